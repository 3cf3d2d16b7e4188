"""A real SillyTavern lends its model to Tavernkeep, and shows what happened before."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.companion import open_companion
from app.core.errors import BackendAway, BackendBusy, BackendRefused, BridgeError
from app.core.operations import OperationKind, OperationStatus
from app.core.paths import user_folders
from app.core.tasks import TaskSupervisor
from app.llm.backends import sillytavern_page
from app.llm.backends.backend import Request
from app.llm.backends.page_line import OnPart
from app.llm.backends.sillytavern_page import PageBackend
from tests.e2e.bridge import RecordingBridge, slot_set
from tests.e2e.conftest import RunningTavern
from tests.e2e.page import CONTEXT, TavernPage
from tests.fakes import BROKEN, MODEL, SLOW, FakeLlm, Wire

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]

SLOT = "A slot of ours."
ASKED = "What does {{user}} know, and {{setvar::x::1}} what not?"
REQUEST = Request("You remember.", ASKED, max_output_tokens=77)
SLOWLY = Request("You remember.", f"{SLOW} Take your time.")
PROFILES = [
    {
        "id": "one",
        "name": "Small: one",
        "mode": "cc",
        "api": "custom",
        "api-url": "",
        "model": "small-model",
    },
]
CARD = ".tavernkeep-previously"
STARTED = f"""() => {{
    window.heard = [];
    const {{ eventSource, eventTypes }} = {CONTEXT};
    for (const name of ['GENERATION_STARTED', 'GENERATION_ENDED', 'CHAT_COMPLETION_PROMPT_READY',
        'CHAT_COMPLETION_SETTINGS_READY', 'GENERATE_AFTER_COMBINE_PROMPTS', 'MESSAGE_SENT']) {{
        eventSource.on(eventTypes[name], (...given) => {{
            // SillyTavern makes the prompt of a chat that was just opened, to count it.
            const isTry = given.some(one => one === true || one?.dryRun);
            if (!isTry) window.heard.push(name);
        }});
    }}
}}"""


class Line:
    """Asks the page that a bridge has."""

    def __init__(self, bridge: RecordingBridge, beside: str = "auto") -> None:
        self._bridge = bridge
        self._beside = beside

    async def ask_page(
        self, kind: str, params: dict[str, Any], *, seconds: float, on_part: OnPart | None = None
    ) -> dict[str, Any]:
        page = await self._bridge.page()
        params = {**params, "beside": self._beside}
        try:
            return await self._bridge.server.request(
                page, kind, params, timeout=seconds, on_part=on_part
            )
        except BridgeError as error:
            raise BackendAway(str(error)) from error


@pytest_asyncio.fixture(loop_scope="session")
async def backend(bridge: RecordingBridge, page: TavernPage) -> AsyncIterator[PageBackend]:
    """The connection of the chat, with a slot set in the chat Harbour."""
    bridge.free()
    await page.open_chat("Harbour")
    await bridge.showing("Harbour")
    bridge.publish("Harbour", slot_set(SLOT))
    await page.prompt_text("tavernkeep_test", SLOT)
    yield PageBackend("", Line(bridge))
    await page.stream(False)


async def until_asked(llm: FakeLlm, number: int) -> None:
    """Wait until the model has got so many requests."""
    await asyncio.to_thread(llm.wait_for_request, number - 1)


async def test_what_is_asked_goes_alone_and_unseen(
    backend: PageBackend, bridge: RecordingBridge, page: TavernPage
) -> None:
    await page.evaluate(STARTED)
    number, before = len(page.llm.requests), await page.length()
    await backend.prepare()
    assert backend.context_tokens == 8000
    answer = await backend.generate(REQUEST)
    assert answer.text == "The lamp burned low and nobody spoke."
    (request,) = page.llm.requests[number:]
    assert request.messages == [
        {"role": "system", "content": "You remember."},
        {"role": "user", "content": ASKED},
    ]
    body = request.body
    assert (body["model"], body["max_tokens"], body["temperature"]) == (MODEL, 77, 0.3)
    assert bridge.turns == []
    assert await page.evaluate("() => window.heard") == []
    assert await page.length() == before
    assert await page.evaluate(f"() => {CONTEXT}.chatCompletionSettings.openai_max_tokens") == 300


async def test_the_answer_is_streamed_where_the_chat_is(
    backend: PageBackend, page: TavernPage
) -> None:
    await page.stream(True)
    number = len(page.llm.requests)
    page.llm.reply = lambda _: "<think>Hm, hm.</think>The lamp is out."
    try:
        answer = await backend.generate(REQUEST)
    finally:
        page.llm.reply = lambda _: "The lamp burned low and nobody spoke."
    assert (answer.text, answer.reasoning) == ("The lamp is out.", "Hm, hm.")
    (request,) = page.llm.requests[number:]
    assert request.body["stream"] is True
    assert request.messages[1]["content"] == ASKED


async def test_a_profile_is_asked_by_its_name(
    backend: PageBackend, bridge: RecordingBridge, page: TavernPage
) -> None:
    script = f"all => {{ {CONTEXT}.extensionSettings.connectionManager.profiles = all; }}"
    profiles = [{**one, "api-url": page.llm.url} for one in PROFILES]
    await page.evaluate(script, profiles)
    found = await Line(bridge).ask_page("connection", {}, seconds=5)
    assert found["profiles"] == ["Small: one"]
    number = len(page.llm.requests)
    of_profile = PageBackend("Small: one", Line(bridge))
    await of_profile.prepare()
    assert (await of_profile.generate(REQUEST)).text.startswith("The lamp")
    (request,) = page.llm.requests[number:]
    assert (request.body["model"], request.body["max_tokens"]) == ("small-model", 77)
    assert [message["content"] for message in request.messages] == ["You remember.", ASKED]
    with pytest.raises(BackendRefused, match="no connection profile"):
        await PageBackend("Gone", Line(bridge)).generate(REQUEST)


@pytest.mark.parametrize("streams", [False, True])
async def test_a_fault_of_the_model_is_told(
    backend: PageBackend, page: TavernPage, streams: bool
) -> None:
    await page.stream(streams)
    with pytest.raises(BackendBusy, match="500"):
        await backend.generate(Request("", f"{BROKEN} Go on."))
    assert await page.evaluate("() => document.querySelectorAll('.toast-error').length") == 0


async def test_who_sends_a_message_goes_first(backend: PageBackend, page: TavernPage) -> None:
    number = len(page.llm.requests)
    asking = asyncio.gather(backend.generate(SLOWLY))
    await until_asked(page.llm, number + 1)
    request = await page.send("I wait no longer.")
    assert SLOW not in request.text
    with pytest.raises(BackendAway, match="goes first") as raised:
        await asking
    assert raised.value.retry_after_seconds == 3
    assert raised.value.was_sent


async def test_who_plays_faster_than_the_model_writes_gets_recaps_and_pays_once_more_at_most(
    backend: PageBackend,
    bridge: RecordingBridge,
    page: TavernPage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sillytavern_page, "QUIET_SECONDS", 3.0)
    monkeypatch.setattr(page.llm, "slow_seconds", 6.0)
    number = len(page.llm.requests)

    def of_ours() -> int:
        return sum(SLOW in request.text for request in page.llm.requests[number:])

    asking = asyncio.gather(backend.generate(SLOWLY))
    await until_asked(page.llm, number + 1)
    await page.send("I go on.")
    with pytest.raises(BackendAway):
        await asking
    again = asyncio.gather(backend.generate(SLOWLY))
    await page.send("And on.")
    assert of_ours() == 1  # it is not sent again at once
    while of_ours() < 2:  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    await page.send("And on, without a pause.")
    (answered,) = await again
    assert answered.text
    assert of_ours() == 2


async def test_what_an_account_answers_beside_is_not_thrown_away(
    backend: PageBackend,
    bridge: RecordingBridge,
    page: TavernPage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page.llm, "slow_seconds", 10.0)  # longer than a turn takes
    number = len(page.llm.requests)
    beside = PageBackend("", Line(bridge, beside="always"))
    asking = asyncio.gather(beside.generate(SLOWLY))
    await until_asked(page.llm, number + 1)
    await page.send("I do not wait.")
    (answered,) = await asking
    assert answered.text
    assert sum(SLOW in request.text for request in page.llm.requests[number:]) == 1


@pytest.mark.parametrize(
    ("source", "url", "is_beside"),
    [
        ("openrouter", "", True),
        ("custom", "https://api.example.com/v1", True),
        ("custom", "http://192.168.0.7:5001/v1", False),
        ("custom", "http://localhost:5001/v1", False),
        ("custom", "", False),
    ],
)
async def test_a_model_at_home_is_told_from_an_account(
    page: TavernPage, source: str, url: str, is_beside: bool
) -> None:
    found = await page.evaluate(
        f"""async ([source, url]) => {{
            const settings = {CONTEXT}.chatCompletionSettings;
            const before = [settings.chat_completion_source, settings.custom_url];
            [settings.chat_completion_source, settings.custom_url] = [source, url];
            const asking = await import('/scripts/extensions/third-party/tavernkeep/asking.js');
            const found = asking.runsBeside({{}});
            [settings.chat_completion_source, settings.custom_url] = before;
            return found;
        }}""",
        [source, url],
    )
    assert found is is_beside


async def test_a_turn_is_waited_for(backend: PageBackend, page: TavernPage) -> None:
    held = threading.Event()

    def answer(wire: Wire) -> None:
        while not held.is_set() and wire.wait(0.02):
            pass
        wire.head(content_type="application/json")
        wire.send(b'{"choices": [{"message": {"role": "assistant", "content": "There."}}]}')

    number = len(page.llm.requests)
    page.llm.reply = lambda _: answer
    sending = asyncio.gather(page.send("Who is there?"))
    await until_asked(page.llm, number + 1)
    page.llm.reply = lambda _: "The lamp burned low and nobody spoke."
    asking = asyncio.gather(backend.generate(REQUEST))
    await backend.prepare()  # the page has the question by now
    assert len(page.llm.requests) == number + 1
    held.set()
    (sent,), (answered,) = await sending, await asking
    assert "Who is there?" in sent.text
    assert answered.text.startswith("The lamp")
    assert len(page.llm.requests) == number + 2


async def test_what_is_given_up_is_not_paid_for_to_its_end(
    backend: PageBackend, page: TavernPage
) -> None:
    left = threading.Event()

    def go_on(wire: Wire) -> None:
        wire.head()
        try:
            while wire.wait(0.02):
                wire.piece("and ")
        except OSError:
            left.set()

    await page.stream(True)
    number = len(page.llm.requests)
    page.llm.reply = lambda _: go_on
    tasks = TaskSupervisor()
    tasks.spawn(backend.generate(REQUEST), name="asking")
    await until_asked(page.llm, number + 1)
    page.llm.reply = lambda _: "The lamp burned low and nobody spoke."
    await tasks.aclose()
    assert await asyncio.to_thread(left.wait, 10)
    assert (await backend.generate(REQUEST)).text.startswith("The lamp")


async def test_a_text_completion_is_asked_alone_too(backend: PageBackend, page: TavernPage) -> None:
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
        number = len(page.llm.requests)
        assert (await backend.generate(REQUEST)).text.startswith("The lamp")
        (request,) = page.llm.requests[number:]
        assert request.path.endswith("/completions")
        assert "chat" not in request.path
        assert request.body["prompt"].replace("\n", " ") == f"You remember.  {ASKED}"
        assert request.body["max_tokens"] == 77
        await page.evaluate(
            f"() => Object.assign({CONTEXT}.powerUserSettings.instruct,"
            " {enabled: true, preset: 'ChatML'})"
        )
        assert (await backend.generate(REQUEST)).text.startswith("The lamp")
        prompt = page.llm.requests[number + 1].body["prompt"]
        assert prompt.startswith("<|im_start|>system\nYou remember.<|im_end|>\n<|im_start|>user\n")
        assert prompt.endswith(f"{ASKED}<|im_end|>\n<|im_start|>assistant\n")
    finally:
        await page.evaluate(f"() => {{ {CONTEXT}.powerUserSettings.instruct.enabled = false; }}")
        await page.evaluate("() => $('#main_api').val('openai').trigger('change')")
        await page.page.wait_for_function(f"() => {CONTEXT}.mainApi === 'openai'")
        await page.evaluate("() => $('#api_button_openai').trigger('click')")
        await page.page.wait_for_function(f"() => {CONTEXT}.onlineStatus !== 'no_connection'")


# --- what happened before


async def show(bridge: RecordingBridge, name: str = "Harbour", text: str = "The fog.") -> Any:
    chat = {"kind": "solo", "avatar": "default_Seraphina.png", "chat": name}
    params = {"chat": chat, "title": "Previously", "text": text}
    return await bridge.server.request(await bridge.page(), "show_recap", params)


async def is_gone(page: TavernPage) -> bool:
    return await page.page.locator(CARD).count() == 0


async def test_a_recap_lies_over_the_chat_and_in_no_prompt(
    backend: PageBackend, bridge: RecordingBridge, page: TavernPage
) -> None:
    text = "<img src=x onerror='window.hacked = 1'> The fog\nlay on {{user}}."
    await show(bridge, text=text)
    shown = page.page.locator(CARD)
    assert await shown.locator(".tavernkeep-text").text_content() == text
    assert await shown.locator("img").count() == 0
    await show(bridge, text="Only one.")
    assert await shown.count() == 1
    request = await page.send("I come back.")
    assert "Only one." not in request.text
    assert await is_gone(page)
    assert not await page.evaluate("() => window.hacked")


@pytest.mark.pitfall(10)
async def test_a_recap_is_closed_by_key_button_and_another_chat(
    backend: PageBackend, bridge: RecordingBridge, page: TavernPage
) -> None:
    await show(bridge)
    await page.page.keyboard.press("Escape")
    assert await is_gone(page)
    await show(bridge)
    await page.page.click(f"{CARD} button")
    assert await is_gone(page)
    await show(bridge)
    await page.open_chat("Mill")
    await bridge.showing("Mill")
    await page.page.wait_for_selector(CARD, state="detached")
    with pytest.raises(BridgeError, match="another chat"):
        await show(bridge)
    assert await is_gone(page)


@pytest.mark.pitfall(60)
async def test_a_recap_fits_a_small_screen_and_leaves_the_chat_to_be_used(
    backend: PageBackend, bridge: RecordingBridge, page: TavernPage
) -> None:
    """Spec §23: overlays were cut off on small screens, and kept others from writing."""
    before = page.page.viewport_size
    assert before is not None
    await page.page.set_viewport_size({"width": 360, "height": 480})
    try:
        await show(bridge, text="The fog lay on the harbour.\n" * 200)
        box = await page.page.locator(CARD).bounding_box()
        assert box is not None
        assert min(box["x"], box["y"]) >= 0
        assert box["x"] + box["width"] <= 360
        assert box["y"] + box["height"] <= 480
        await page.page.click("#send_textarea")  # nothing lies over it
        await page.page.click(f"{CARD} button")  # it is scrolled to
        assert await is_gone(page)
    finally:
        await page.page.set_viewport_size(before)


async def test_the_recap_may_be_asked_for(
    backend: PageBackend, bridge: RecordingBridge, page: TavernPage
) -> None:
    await page.slash("/tk-recap")
    await bridge.until(lambda: next((e for e in bridge.events if e.name == "recap_asked"), None))


# --- all of it


async def test_the_program_remembers_through_the_page_and_tells_who_comes_back(
    bridge: RecordingBridge, page: TavernPage, tavern: RunningTavern, tmp_path: Path
) -> None:
    await page.open_chat("Mill")
    await bridge.server.remove_tavern(tavern.user_folder)  # the program takes the page over
    folders, path, number = user_folders(tmp_path), tavern.chat_path("Mill"), len(page.llm.requests)
    async with open_companion(
        folders, tavern=tavern.user_folder, llm="sillytavern", keeps_memory=True
    ) as companion:
        page.llm.reply = lambda _: "NONE"
        await companion.open_story(path)
        await companion.remembered.read_now(path)
        request = await asyncio.to_thread(page.llm.wait_for_request, number, 30)
        system, user = request.messages
        assert (system["role"], user["role"]) == ("system", "user")
        assert "Who stopped it?" in user["content"]
        assert "Write Seraphina's next reply" not in request.text
        await companion.settled(path)
        done = [op for op in companion.work.operations if op.spec.kind is OperationKind.MEMORY_PASS]
        assert [op.status for op in done] == [OperationStatus.DONE]

        page.llm.reply = lambda _: "The lamp burned low and nobody spoke."
        await page.open_chat("Harbour")
        harbour = tavern.chat_path("Harbour")
        await companion.open_story(harbour)  # also where its page's word has not come yet
        await companion.settled(harbour)  # a busy model is not asked to tell
        with closing(sqlite3.connect(folders.database)) as database, database:
            database.execute("UPDATE activity SET last_active = last_active - 180000")
        await page.open_chat("Mill")
        text = page.page.locator(f"{CARD} .tavernkeep-text")
        assert await text.text_content(timeout=15_000) == "The lamp burned low and nobody spoke."
        title = await page.page.locator(f"{CARD} .tavernkeep-title").text_content()
        assert title == "Previously · 2 days ago"
        await page.page.keyboard.press("Escape")
        await page.open_chat("Harbour")
        await page.open_chat("Mill")
        await page.slash("/tk-recap")
        await page.page.wait_for_selector(CARD)
