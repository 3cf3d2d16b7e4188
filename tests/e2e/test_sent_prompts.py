"""What the page tells of prompts and of tokens, against what really went to the model."""

from __future__ import annotations

from dataclasses import replace

import pytest
import pytest_asyncio

from app.llm.tokenizer import KNOWN_RANKS, counter_for
from app.prompt.model_tokens import MEASURES, PROBES, measured
from app.prompt.order import ordered
from app.prompt.slots import Slot, SlotSet
from app.prompt.turns import FinalPrompt, SentPart, Share, Wire, pieces_of, turn_of
from app.settings.slot_table import Position
from app.sillytavern.bridge.bridge_protocol import ChatIdentity, Sent, TurnRequest
from tests.e2e.bridge import RecordingBridge, chat, slot_set
from tests.e2e.page import CONTEXT, TavernPage

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]


@pytest_asyncio.fixture(loop_scope="session")
async def sent(bridge: RecordingBridge, page: TavernPage) -> list[Sent]:
    """The reports of a page that shows Harbour, where slots are waiting."""
    bridge.free()
    await page.open_chat("Harbour")
    await bridge.showing("Harbour")
    heard: list[Sent] = []
    bridge.server.sent.connect(lambda told: heard.append(told[1]))
    return heard


async def first_of(bridge: RecordingBridge, sent: list[Sent]) -> Sent:
    """The report; the page is asked something, so that it has told what it had to tell."""
    await bridge.server.request(await bridge.page(), "ping")
    assert len(sent) == 1
    return sent.pop()


def slots() -> SlotSet:
    head = slot_set("The head of it all.", key="tk_head", position=Position.IN_PROMPT)
    deep = slot_set("Two from the end.", key="tk_deep", position=Position.IN_CHAT, depth=2)
    near = slot_set("At the end.", key="tk_near", position=Position.IN_CHAT, depth=2)
    return SlotSet((*head.slots, *deep.slots, *near.slots), 7)


async def test_a_turn_is_reported_as_it_was_sent(
    bridge: RecordingBridge, page: TavernPage, sent: list[Sent]
) -> None:
    made = slots()

    async def answer(_turn: object) -> SlotSet:
        return made

    bridge.answer = answer
    request = await page.send("I light a lamp.")
    report = await first_of(bridge, sent)
    assert report.turn == bridge.turns[-1].id
    assert report.chat == chat("Harbour")
    assert [(p.role, p.text) for p in report.parts] == [
        (m["role"], m["content"]) for m in request.messages
    ]
    assert {slot.key: slot.text for slot in report.slots} == {s.key: s.text for s in made.slots}
    turn = turn_of(
        made, moment=0.0, generation="normal", responder="Seraphina", context=8000, messages=5
    )
    parts = tuple(SentPart(p.role, p.text, p.length, p.mark) for p in report.parts)
    pieces = pieces_of(replace(turn, prompt=FinalPrompt(Wire.CHAT, parts)))
    order = [piece.slot.key for piece in pieces if piece.slot is not None]
    assert order == ["tk_head", "tk_deep", "tk_near"]
    assert pieces[0].share is Share.OWN
    assert pieces[-1].share is Share.CHAT


@pytest.mark.pitfall(4)
async def test_requests_of_others_and_dry_runs_are_no_turns(
    bridge: RecordingBridge, page: TavernPage, sent: list[Sent]
) -> None:
    await page.evaluate(f"() => {CONTEXT}.generateRaw({{prompt: 'A riddle?'}})")
    await page.evaluate(f"() => {CONTEXT}.generate('normal', {{}}, true)")
    await bridge.server.request(await bridge.page(), "ping")
    assert sent == []


async def test_a_prompt_that_is_too_long_is_described(
    bridge: RecordingBridge, page: TavernPage, sent: list[Sent]
) -> None:
    await page.evaluate(
        f"() => {{ {CONTEXT}.chatCompletionSettings.openai_max_context = 200_000; }}"
    )
    long = SlotSet(
        tuple(
            Slot(f"tk_{n}", Position.IN_PROMPT, 0, 0, False, f"{n}" * 100_000, 1, 1, 1)  # type: ignore[arg-type]
            for n in range(4)
        )
    )

    async def answer(_turn: object) -> SlotSet:
        return long

    bridge.answer = answer
    try:
        await page.send("Long.")
    finally:
        await page.evaluate(
            f"() => {{ {CONTEXT}.chatCompletionSettings.openai_max_context = 8000; }}"
        )
    report = await first_of(bridge, sent)
    assert sum(part.length for part in report.parts) > 400_000
    assert sum(len(part.text) for part in report.parts) <= 240_000
    assert any(part.text == "" and part.mark for part in report.parts)


async def test_tokens_are_counted_by_the_connected_models_tokenizer(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    shown = await bridge.page()
    told = await bridge.server.request(shown, "tokenizer")
    assert told["name"].startswith("openai/")
    texts = [*MEASURES, *PROBES]
    counted = await bridge.server.request(shown, "count_tokens", {"texts": texts})
    assert counted["name"] == told["name"]
    ours = counter_for()
    encodings = [counter_for(name) for name in KNOWN_RANKS]
    found = measured("n", counted["counts"], encodings, ours)
    assert found.encoding in KNOWN_RANKS
    source = await page.evaluate(f"() => {CONTEXT}.chatCompletionSettings.chat_completion_source")
    try:
        await page.evaluate(
            f"() => {{ {CONTEXT}.chatCompletionSettings.chat_completion_source = 'claude'; }}"
        )
        other = await bridge.server.request(shown, "count_tokens", {"texts": texts})
        assert other["name"] != told["name"]
        claude = measured("c", other["counts"], encodings, ours)
        assert claude.encoding == ""
        assert 0 <= claude.overhead < 20
        assert other["counts"] != counted["counts"]
    finally:
        await page.evaluate(
            f"s => {{ {CONTEXT}.chatCompletionSettings.chat_completion_source = s; }}", source
        )


async def test_a_text_completion_is_reported_as_one_text(
    bridge: RecordingBridge, page: TavernPage, sent: list[Sent]
) -> None:
    made = slots()

    async def answer(_turn: object) -> SlotSet:
        return made

    bridge.answer = answer
    await page.evaluate(
        f"""url => {{
            const settings = {CONTEXT}.textCompletionSettings;
            settings.type = 'generic';
            settings.server_urls.generic = url;
            $('#main_api').val('textgenerationwebui').trigger('change');
            $('#api_button_textgenerationwebui').trigger('click');
        }}""",
        page.llm.url.removesuffix("/v1"),
    )
    online = f"() => {CONTEXT}.mainApi === 'textgenerationwebui' && "
    online += f"{CONTEXT}.onlineStatus !== 'no_connection'"
    try:
        await page.page.wait_for_function(online, timeout=15_000)
        request = await page.send("I look around.")
        report = await first_of(bridge, sent)
        assert report.wire == "text"
        assert [part.text for part in report.parts] == [request.body["prompt"]]
        turn = turn_of(
            made, moment=0.0, generation="normal", responder="Seraphina", context=8000, messages=5
        )
        parts = tuple(SentPart(p.role, p.text, p.length, p.mark) for p in report.parts)
        pieces = pieces_of(replace(turn, prompt=FinalPrompt(Wire.TEXT, parts)))
        found = [piece.slot.key for piece in pieces if piece.slot is not None]
        assert found == [one.key for one in ordered(made.slots, Wire.TEXT)]
        shown = await bridge.page()
        told = await bridge.server.request(shown, "tokenizer")
        assert told["name"].startswith("textgenerationwebui/generic/")
        counted = await bridge.server.request(shown, "count_tokens", {"texts": list(MEASURES)})
        assert all(count > 0 for count in counted["counts"])
    finally:
        await page.evaluate("() => $('#main_api').val('openai').trigger('change')")
        await page.page.wait_for_function(f"() => {CONTEXT}.mainApi === 'openai'")
        await page.evaluate("() => $('#api_button_openai').trigger('click')")
        await page.page.wait_for_function(f"() => {CONTEXT}.onlineStatus !== 'no_connection'")


async def test_each_member_of_a_group_has_a_turn_of_its_own(
    bridge: RecordingBridge, page: TavernPage, sent: list[Sent]
) -> None:
    async def answer(turn: TurnRequest) -> SlotSet:
        return slot_set(f"For {turn.responder} alone.", key="tk_own")

    bridge.answer = answer
    await page.slash("/go Crew")
    crew = ChatIdentity(kind="group", chat="Gathering", group="Crew")
    await bridge.until(lambda: next((p for p in bridge.server.pages if p.chat == crew), None))
    bridge.turns.clear()
    sent.clear()
    await page.send_to_group("Who goes there?", members=2)
    await bridge.server.request(await bridge.page(), "ping")
    assert [report.turn for report in sent] == [turn.id for turn in bridge.turns]
    for report, turn in zip(sent, bridge.turns, strict=True):
        assert any(part.text == f"For {turn.responder} alone." for part in report.parts)
