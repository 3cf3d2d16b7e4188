"""Each slot, in each way of placing it, in what a real SillyTavern sends to its model."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
import pytest_asyncio

from app.core.part_health import Light
from app.memory.records import Tier
from app.prompt.generation import Turn
from app.prompt.placement import IN_BLOCK, MACROS
from app.prompt.slots import RUNNING_RECAP_KEY, SlotSet
from app.settings.slot_table import SlotName
from app.sillytavern.bridge import bridge_installer
from app.work.chats.open_chat import OpenChat
from tests.character_card import write_card
from tests.e2e import sillytavern
from tests.e2e.conftest import RunningTavern
from tests.e2e.page import CONTEXT, TavernPage
from tests.e2e.slots_world import LENGTH, RUNNING, SlotsWorld, depth_of, mark, open_slots_world
from tests.fakes import FakeLlm, RecordedRequest
from tests.oracle.gold import Gold
from tests.oracle.server import Oracle

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]

ME = "Seraphina"
CARD = "Seraphina's Personality"  # of the card that comes with SillyTavern
MAIN = f"Write {ME}'s next reply"
HEAD = (SlotName.CANON, SlotName.PROFILES, SlotName.LONG)
DEPTHS = {
    SlotName.SCENES: 6,
    SlotName.RELATIONSHIPS: 5,
    SlotName.TRIGGERED: 4,
    SlotName.SESSION: 3,
    SlotName(Tier.ARCS): 2,
    SlotName.EPISTEMIC: 1,
    SlotName.STATE_LEDGER: 1,
}
OF_ONE = (SlotName.CANON, SlotName.PROFILES, SlotName.EPISTEMIC)
ALL = (*HEAD, *DEPTHS)
STORY = Gold.read(Path(__file__).parents[1] / "data" / "stories" / "lantern-district.json")
CAPTAIN = str(STORY.story["characters"][0]["name"])
PLAYED = 60
GUARD = {  # one macro in each field that is looked at, and one that the description names too
    "system_prompt": "{{original}} And: {{smartmemory-stateledger}}",
    "personality": "Calm. {{smartmemory-canon}} {{smartmemory-longterm}}",
    "scenario": "A gate. {{ SmartMemory-Arcs }}",
    "mes_example": "<START>\n{{char}}: {{smartmemory-session}}",
}
BY_MACRO = {
    SlotName.LONG,
    SlotName.STATE_LEDGER,
    SlotName.CANON,
    SlotName(Tier.ARCS),
    SlotName.SESSION,
}


def mark_of(name: SlotName, who: str = ME) -> str:
    return mark(name, who if name in OF_ONE else "")


@pytest.fixture(scope="module")
def tavern(
    sillytavern_package: Path,
    template: Path,
    llm: FakeLlm,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningTavern]:
    """A SillyTavern with somebody whose card names macros, and a group with another one."""
    folder = tmp_path_factory.mktemp("slots")
    shutil.copytree(template, folder / "data")
    user_folder = folder / "data" / "default-user"
    sillytavern.patch_settings(user_folder, llm)
    cards = user_folder / "characters"
    described = "A guard. {{smartmemory-longterm}}"
    write_card(cards / "Vera.png", name="Vera", description=described, fields=GUARD)
    described = "A ferryman. {{smartmemory-epistemic}}"
    write_card(cards / "Bram.png", name="Bram", description=described)
    described = "A watchman. {{smartmemory-runningrecap}}"
    write_card(cards / "Odo.png", name="Odo", description=described)
    described = STORY.story["characters"][0]["description"]
    write_card(cards / "Sloe.png", name=CAPTAIN, description=described)
    members = [f"{sillytavern.CHARACTER}.png", "Bram.png"]
    sillytavern.write_group(user_folder, "Crew", members, "Gathering")
    bridge_installer.install(user_folder)
    server = sillytavern.start_server(sillytavern_package, folder / "data", folder)
    yield RunningTavern(server.url, user_folder, llm, server.log, server)
    server.stop()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def world(
    tavern: RunningTavern, page: TavernPage, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[SlotsWorld]:
    numbers = iter(range(1000, 9000))
    tavern.llm.reply = lambda _: f"That was line-{next(numbers)}."
    async with open_slots_world(tavern, page, tmp_path_factory.mktemp("own")) as world:
        # What stands where is looked at here, not how soon: and machines that test are busy.
        world.world.companion._link._server.turn_wait_seconds = 2.0
        await page.reload()
        yield world


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def solo(world: SlotsWorld, tavern: RunningTavern) -> Path:
    """A chat with Seraphina in which SillyTavern's own Summarize is at work, too."""
    path = tavern.user_folder / "chats" / sillytavern.CHARACTER / "Remembered.jsonl"
    await world.write(path, ME, summary="mark-summarize")
    return path


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def guard(world: SlotsWorld, tavern: RunningTavern) -> Path:
    """A chat with Vera, whose card names five macros."""
    path = tavern.user_folder / "chats" / "Vera" / "Gate.jsonl"
    await world.write(path, "Vera")
    return path


async def shown(world: SlotsWorld, path: Path, who: str) -> None:
    """Have a chat shown, with the defaults and its slots set."""
    await world.open(path, who)
    await world.reset()
    await world.shows(RUNNING_RECAP_KEY, RUNNING)


async def spread(world: SlotsWorld, page: TavernPage) -> None:
    """Put slots at their own depths, and wait until the page, too, would put them there."""
    await world.put(slots_deepest=99)
    scenes = [SlotName.SCENES.key, DEPTHS[SlotName.SCENES]]
    is_there = f"([key, depth]) => {CONTEXT}.extensionPrompts[key]?.depth === depth"
    await page.page.wait_for_function(is_there, arg=scenes)


def check_head(request: RecordedRequest, *, is_text: bool = False) -> None:
    """The head: the running recap before all, then what rarely changes, then the chat."""
    text = request.text
    heads = [text.index(mark_of(name)) for name in HEAD]
    assert heads == sorted(heads) or is_text  # there SillyTavern sorts by key
    first, last = text.index(CARD), text.index("line-")
    if is_text:
        assert text.index(RUNNING) < first < min(heads) < max(heads) < last
    else:
        assert text.index(RUNNING) < text.index(MAIN) < min(heads) < max(heads) < first < last


def check_all(request: RecordedRequest, depths: dict[SlotName, int] = DEPTHS) -> None:
    """Each slot once, at its depth; Summarize and another extension beside them."""
    found = {name: depth_of(mark_of(name), request) for name in depths}
    assert found == depths
    check_head(request)
    for text in (*map(mark_of, HEAD), RUNNING, "mark-summarize", "mark-of-another"):
        assert request.text.count(text) == 1
    assert depth_of("mark-of-another", request) == 1


async def test_each_slot_stands_in_its_place_whatever_is_generated(
    world: SlotsWorld, solo: Path, page: TavernPage
) -> None:
    await shown(world, solo, ME)
    await page.set_prompt("another", "mark-of-another")
    await spread(world, page)
    check_all(await page.send("I say line-500."))
    for kind in ("swipe", "regenerate"):
        check_all(await page.generate_again(kind))
    page.llm.reply, before = (lambda _: "And so on."), page.llm.reply
    try:
        check_all(await page.generate_again("continue"))
        asked = await page.generate_again("impersonate")
        # The user speaks now: what the character knows is not for that prompt.
        own = (SlotName.CANON, SlotName.PROFILES, SlotName.EPISTEMIC)
        mine = [name for name in ALL if name not in own]
        assert [name for name in ALL if mark_of(name) in asked.text] == mine
        await page.page.fill("#send_textarea", "")
        number = len(page.llm.requests)
        await page.evaluate(f"() => {CONTEXT}.generateQuietPrompt({{quietPrompt: 'Sum up.'}})")
        check_all(page.llm.requests[number])
    finally:
        page.llm.reply = before
    await world.reset()
    check_all(await page.send("I say line-501."), dict.fromkeys(DEPTHS, 1))


async def test_a_correction_stands_behind_the_last_message_for_one_reply(
    world: SlotsWorld, solo: Path, page: TavernPage
) -> None:
    await shown(world, solo, ME)
    await world.correct("mark-repair")
    await world.shows(SlotName.REPAIR.key, "mark-repair")
    assert depth_of("mark-repair", await page.send("I say line-510.")) == 0
    await world.shows(SlotName.REPAIR.key, "")
    assert "mark-repair" not in (await page.send("I say line-511.")).text


async def test_after_another_chat_and_after_a_reload_all_is_there_again(
    world: SlotsWorld, solo: Path, page: TavernPage, tavern: RunningTavern
) -> None:
    other = tavern.user_folder / "chats" / sillytavern.CHARACTER / "Other.jsonl"
    sillytavern.write_chat(other, sillytavern.dialogue("The mill stood still.", "Why?"))
    await world.open(other, ME)
    # Long-term memories are the character's, and known in all chats; nothing else is.
    told = (await page.send("Hello?")).text
    known = [mark(SlotName.LONG), mark(SlotName.TRIGGERED)]
    assert [text for text in (*map(mark_of, ALL), RUNNING) if text in told] == known
    await shown(world, solo, ME)
    await page.set_prompt("another", "mark-of-another")
    check_all(await page.send("I say line-520."), dict.fromkeys(DEPTHS, 1))
    await page.reload()
    await shown(world, solo, ME)
    await page.set_prompt("another", "mark-of-another")
    check_all(await page.send("I say line-521."), dict.fromkeys(DEPTHS, 1))


async def test_what_is_told_later_stands_where_it_would_have_stood_from_the_start(
    world: SlotsWorld, solo: Path, page: TavernPage
) -> None:
    """SillyTavern sends slots in the order in which they were first set: a profile that came
    after the first memories stood behind them, and Prompt showed it before them.
    """
    await shown(world, solo, ME)
    await world.put(canon_enabled=False)
    try:
        await page.reload()
        await world.shows(RUNNING_RECAP_KEY, RUNNING)
        request = await page.send("I say line-525.")
        assert mark_of(SlotName.CANON) not in request.text
        assert mark_of(SlotName.LONG) in request.text
    finally:
        await world.world.companion.reset_setting("canon_enabled", path=solo)
    check_head(await page.send("I say line-526."))


async def test_without_a_running_recap_the_summary_stands_at_the_head(
    world: SlotsWorld, solo: Path, page: TavernPage
) -> None:
    await shown(world, solo, ME)
    await world.put(running_recap_enabled=False)
    request = await page.send("I say line-530.")
    summary = mark(SlotName.SHORT)
    assert request.text.index(MAIN) < request.text.index(summary) < request.text.index(CARD)
    assert request.text.count(summary) == 1
    assert "<story_so_far>" not in request.text


async def test_one_block_holds_what_belongs_in_it_and_nothing_twice(
    world: SlotsWorld, solo: Path, page: TavernPage
) -> None:
    await shown(world, solo, ME)
    await world.put(slots_unified=True)
    request = await page.send("I say line-540.")
    places = [request.text.index(mark_of(n)) for n in IN_BLOCK if n is not SlotName.SHORT]
    assert places == sorted(places)
    assert request.text.index(MAIN) < places[0] < places[-1] < request.text.index(CARD)
    (block,) = (m for m in request.messages if mark_of(SlotName.CANON) in m["content"])
    assert mark_of(SlotName(Tier.ARCS)) in block["content"]
    check_once(request, ME)
    await world.put(slots_unified=False)
    check_all_but_the_others(await page.send("I say line-541."))


def check_once(request: RecordedRequest, who: str) -> None:
    """Everything is told, and nothing twice."""
    for name in ALL:
        assert request.text.count(mark_of(name, who)) == 1, name


def check_all_but_the_others(request: RecordedRequest) -> None:
    check_head(request)
    found = {name: depth_of(mark_of(name), request) for name in DEPTHS}
    assert found == dict.fromkeys(DEPTHS, 1)


async def test_macros_that_the_card_names_take_the_place_of_their_slots(
    world: SlotsWorld, guard: Path, page: TavernPage
) -> None:
    await shown(world, guard, "Vera")
    request = await page.send("I say line-550.")
    check_by_macro(request)
    for kind in ("swipe", "regenerate"):
        check_by_macro(await page.generate_again(kind))
    assert world.health.bridge.light is Light.GOOD
    # What is learned shows in the very next prompt, also where the card is read first.
    held = world.world.kept("The lantern is green.", 2, text="mark-fresh")
    await world.world.write(held)
    request = await page.send("I say line-551.")
    assert place(request, "A guard.") < place(request, "mark-fresh") < place(request, "line-0")
    check_by_macro(request)
    await world.put(slots_macros="never")
    request = await page.send("I say line-552.")
    check_once(request, "Vera")
    assert depth_of(mark(SlotName(Tier.ARCS)), request) == 1
    assert await world.macro("arcs") == ""


async def test_macros_work_in_the_engine_of_older_versions_too(
    world: SlotsWorld, guard: Path, page: TavernPage
) -> None:
    await shown(world, guard, "Vera")
    engine = f"isNew => {{ {CONTEXT}.powerUserSettings.experimental_macro_engine = isNew; }}"
    await page.evaluate(engine, False)
    try:
        request = await page.send("I say line-553.")
    finally:
        await page.evaluate(engine, True)
    check_once(request, "Vera")
    assert (
        place(request, "A guard.") < place(request, mark(SlotName.LONG)) < place(request, "line-0")
    )
    assert (
        depth_of(mark(SlotName(Tier.ARCS)), request) == 1
    )  # it knows no braces with spaces in them


def place(request: RecordedRequest, text: str) -> int:
    assert request.text.count(text) == 1, text
    return request.text.index(text)


def check_by_macro(request: RecordedRequest) -> None:
    """Five texts where Vera's card names them, the others in their slots."""
    check_once(request, "Vera")
    assert "smartmemory" not in request.text.lower()
    text = request.text
    for before, name in (
        ("And:", SlotName.STATE_LEDGER),
        ("A guard.", SlotName.LONG),
        ("Calm.", SlotName.CANON),
        ("A gate.", SlotName(Tier.ARCS)),
        ("[Example Chat]", SlotName.SESSION),
    ):
        begin = text.index(mark_of(name, "Vera"))
        assert before in text[max(0, begin - 150) : begin], name
    for name in DEPTHS.keys() - BY_MACRO:
        assert depth_of(mark_of(name, "Vera"), request) == 1


async def test_forced_macros_that_stand_nowhere_are_told_of_and_fill_a_note_that_names_them(
    world: SlotsWorld, solo: Path, page: TavernPage
) -> None:
    await shown(world, solo, ME)
    await world.put(slots_macros="forced")
    request = await page.send("I say line-560.")
    assert [name for name in ALL if mark_of(name) in request.text] == []
    assert request.text.count(RUNNING) == 1
    await until(lambda: world.health.bridge.light is Light.BAD)
    assert "{{smartmemory-" in world.health.bridge.sentence
    note = " / ".join(f"{{{{{macro}}}}}" for macro in MACROS.values())
    await page.add_authors_note(note)
    request = await page.send("I say line-561.")
    check_once(request, ME)
    assert {depth_of(mark_of(name), request) for name in ALL} == {4}
    await until(lambda: world.health.bridge.light is Light.GOOD)
    await world.reset()
    check_all_but_the_others(await page.send("I say line-562."))
    await page.add_authors_note("")


async def until(found: Callable[[], bool]) -> None:
    """Wait until it is so."""
    async with asyncio.timeout(15):
        while not found():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_each_member_of_a_group_gets_its_own_by_slot_or_by_macro(
    world: SlotsWorld, tavern: RunningTavern, page: TavernPage
) -> None:
    path = tavern.user_folder / "group chats" / "Gathering.jsonl"
    await world.write(path, ME, "Bram")
    await shown(world, path, "Crew")
    seraphina, bram = await page.send_to_group("I say line-570.", members=2)
    for request, who, other in ((seraphina, ME, "Bram"), (bram, "Bram", ME)):
        for name in OF_ONE:
            assert request.text.count(mark_of(name, who)) == 1, (name, who)
            assert mark_of(name, other) not in request.text, (name, who)
    assert depth_of(mark_of(SlotName.EPISTEMIC), seraphina) == 1
    secret = mark_of(SlotName.EPISTEMIC, "Bram")
    assert place(bram, "A ferryman.") < place(bram, secret) < place(bram, "line-0")


async def test_each_member_gets_its_own_though_the_program_is_too_slow(
    world: SlotsWorld, tavern: RunningTavern, page: TavernPage
) -> None:
    """On a busy machine half of a group's prompts were made for nobody in particular."""
    path = tavern.user_folder / "group chats" / "Gathering.jsonl"
    await world.write(path, ME, "Bram")
    await shown(world, path, "Crew")
    await world.settled(LENGTH)
    link = world.world.companion._link
    await link.ask(link.pages[-1], "ping", {})  # it has what it was sent
    quick, late = link._slots_of, asyncio.Event()

    async def slow(chat: OpenChat, turn: Turn) -> SlotSet:
        await late.wait()
        return await quick(chat, turn)

    link._slots_of = slow
    try:
        requests = await page.send_to_group("I say line-571.", members=2)
    finally:
        link._slots_of = quick
        late.set()
    for request, who, other in zip(requests, (ME, "Bram"), ("Bram", ME), strict=True):
        for name in OF_ONE:
            assert request.text.count(mark_of(name, who)) == 1, (name, who)
            assert mark_of(name, other) not in request.text, (name, who)


async def test_the_running_recap_stands_where_a_card_names_its_macro(
    world: SlotsWorld, tavern: RunningTavern, page: TavernPage
) -> None:
    path = tavern.user_folder / "chats" / "Odo" / "Tower.jsonl"
    await world.write(path, "Odo")
    await shown(world, path, "Odo")
    text = (await page.send("I say line-570.")).text
    assert text.count(RUNNING) == 1
    begin = text.index(RUNNING)
    assert "A watchman." in text[max(0, begin - 300) : begin]
    assert "smartmemory" not in text.lower()


async def test_all_slots_in_a_text_completion(
    world: SlotsWorld, solo: Path, guard: Path, page: TavernPage
) -> None:
    async with page.text_completion():
        await shown(world, solo, ME)
        await spread(world, page)
        request = await page.send("I say line-580.")
        assert "prompt" in request.body
        check_head(request, is_text=True)
        assert {name: depth_of(mark_of(name), request) for name in DEPTHS} == DEPTHS
        request = await page.generate_again("swipe")
        assert {name: depth_of(mark_of(name), request) for name in DEPTHS} == DEPTHS
        await world.reset()
        await shown(world, guard, "Vera")
        request = await page.send("I say line-581.")
        check_once(request, "Vera")
        assert "smartmemory" not in request.text.lower()
        assert place(request, "A guard.") < place(request, mark(SlotName.LONG))


async def test_switching_off_clears_everything(
    world: SlotsWorld, solo: Path, guard: Path, page: TavernPage
) -> None:
    for path, who in ((guard, "Vera"), (solo, ME)):
        await shown(world, path, who)
        await world.put(slots_enabled=False)
        await world.shows(RUNNING_RECAP_KEY, "")
        keys = {name.key for name in SlotName} | {RUNNING_RECAP_KEY}
        assert not keys & (await page.prompt_texts()).keys()
        assert await world.macro("longterm") == ""
        request = await page.send("I say line-590.")
        assert [text for text in map(mark, SlotName) if text in request.text] == []
        assert RUNNING not in request.text
        assert "smartmemory" not in request.text.lower()
    assert request.text.count("mark-summarize") == 1
    await world.reset()
    assert page.errors == []


async def test_from_turn_to_turn_most_of_the_request_stays_as_it_was(
    world: SlotsWorld, page: TavernPage, tavern: RunningTavern
) -> None:
    """A chat of 60 messages with all slots on and default settings; a provider keeps the rest."""
    played = [
        {"name": m["name"], "is_user": m["is_user"], "mes": m["mes"]}
        for m in STORY.messages[:PLAYED]
    ]
    path = tavern.user_folder / "chats" / "Sloe" / "Lanterns.jsonl"
    sillytavern.write_chat(path, played[:1])
    await world.open(path, CAPTAIN)
    world.model.reply = Oracle(STORY, is_talkative=True).reply
    await world.put(memory_auto=True, scene_breaks_auto=True, slots_head_every=20)
    await page.slash(f"/persona-set mode=temp {STORY.story['user_name']}")
    script = f"tokens => {{ {CONTEXT}.chatCompletionSettings.openai_max_context = tokens; }}"
    await page.evaluate(script, 32_000)

    def said(text: str, _: object) -> str:
        return text

    requests = []
    for at in range(1, PLAYED - 1, 2):
        page.llm.reply = partial(said, str(played[at + 1]["mes"]))
        requests.append(await page.send(played[at]["mes"]))
        await world.settled(at + 2)
    bodies = [json.dumps(request.body["messages"], ensure_ascii=False) for request in requests]
    shares = [
        len(os.path.commonprefix([before, after])) / len(before)  # noqa: RUF071
        for before, after in pairwise(bodies)
    ]
    kept = statistics.median(shares)
    print(f"kept of the request before: {kept:.2f} (median)")  # noqa: T201
    assert "Relationship history:" in bodies[-1]
    assert "Memories of what came before:" in bodies[-1]
    assert "Current state:" in bodies[-1]
    assert kept >= 0.8, shares
