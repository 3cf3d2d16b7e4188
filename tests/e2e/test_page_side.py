"""What Tavernkeep adds to SillyTavern's page: badge, scene button, marks, commands, and jumps."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.paths import Folders, user_folders
from tests.e2e import sillytavern
from tests.e2e.conftest import RunningTavern
from tests.e2e.page import CONTEXT, TavernPage

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]

LENGTH = 300
HAS_GROUPS = """() => window.SillyTavern && !document.querySelector('#preloader')
    && SillyTavern.getContext().groups?.length"""
HOSTILE = '<img src=x onerror="window.hit = 1"> The "Gull" & <b>crew</b> sail at dawn.'
ANY_TRACE = (
    ":is([class*='tavernkeep'], [data-tavernkeep-here], [id='tavernkeep_badge']):not(script, link)"
)


class Beside:
    """The program in this process, without a model, that can be closed and started again."""

    def __init__(self, folders: Folders, tavern: Path) -> None:
        self._folders = folders
        self._tavern = tavern
        self._stack = AsyncExitStack()
        self.is_running = False
        self.companion: Companion

    async def start(self) -> None:
        opened = open_companion(self._folders, tavern=self._tavern, llm="builtin")
        self.companion = await self._stack.enter_async_context(opened)
        self.is_running = True

    async def until(self, is_so: Callable[[], bool], seconds: float = 30.0) -> None:
        async with asyncio.timeout(seconds):
            while not is_so():  # noqa: ASYNC110 (nothing tells of it)
                await asyncio.sleep(0.05)

    async def stop(self) -> None:
        self.is_running = False
        await self._stack.aclose()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def program(
    tavern: RunningTavern, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Beside]:
    texts = [f"The Gull sails on the day {n // 7}, and {n} gulls follow." for n in range(LENGTH)]
    sillytavern.write_chat(tavern.chat_path("Long"), sillytavern.dialogue(*texts))
    program = Beside(user_folders(tmp_path_factory.mktemp("own")), tavern.user_folder.parent)
    await program.start()
    yield program
    await program.stop()


@pytest_asyncio.fixture(loop_scope="session", autouse=True)
async def _running(program: Beside) -> None:
    """A test that failed while it had closed the program takes no other one down."""
    if not program.is_running:
        await program.start()


@pytest_asyncio.fixture(loop_scope="session")
async def harbour(program: Beside, page: TavernPage, tavern: RunningTavern) -> Path:
    """The chat Harbour, in the page and in the program."""
    await page.open_chat("Harbour")
    path = tavern.chat_path("Harbour")
    await program.companion.open_story(path)
    await page.page.wait_for_selector("#tavernkeep_badge[data-state='ready']")
    return path


async def open_of_crew(page: TavernPage, name: str) -> None:
    """Open a chat of the group Crew, as soon as the one that it was left with stands there."""
    await page.slash("/go Crew")
    of_crew = f"() => {CONTEXT}.groupId === 'Crew' && {CONTEXT}.chat.length"
    await page.page.wait_for_function(of_crew)
    await page.evaluate(f"name => {CONTEXT}.openGroupChat('Crew', name)", name)
    is_there = f"name => {CONTEXT}.chatId === name && {CONTEXT}.chat.length"
    await page.page.wait_for_function(is_there, arg=name)


async def counted(page: TavernPage, selector: str, number: int) -> None:
    """Wait until so many elements are there."""
    await page.page.wait_for_function(
        "([selector, number]) => document.querySelectorAll(selector).length === number",
        arg=[selector, number],
    )


def at(index: int, part: str) -> str:
    return f"#chat .mes[mesid='{index}'] .tavernkeep-{part}"


async def click(page: TavernPage, selector: str) -> None:
    """Press what the mouse need not be over."""
    await page.page.wait_for_selector(selector, state="attached")
    await page.evaluate("selector => document.querySelector(selector).click()", selector)


def is_marked(companion: Companion, path: Path, index: int) -> bool:
    story = companion.story(path)
    assert story is not None
    return any(s.closing is not None and s.last == index for s in story.scenes)


async def test_a_press_ends_a_scene_and_undo_takes_its_flag_away(
    program: Beside, page: TavernPage, harbour: Path
) -> None:
    companion = program.companion
    await companion.put_setting("mirror_to_chat", True)
    await click(page, at(1, "scene"))
    await page.page.wait_for_selector(f"{at(1, 'flag')}:not([data-waits])")
    assert is_marked(companion, harbour, 1)
    extra = f"() => {CONTEXT}.chat[1].extra.auto_recap_memory?.scene_break_visible === true"
    await page.page.wait_for_function(extra)
    assert await companion.edits.undo(harbour) == "scene break at #1"
    await counted(page, at(1, "flag"), 0)
    assert await page.slash("/tk-scene 1") == "true"
    await page.page.wait_for_selector(f"{at(1, 'flag')}:not([data-waits])")
    await click(page, at(1, "flag"))
    await counted(page, at(1, "flag"), 0)
    assert not is_marked(companion, harbour, 1)


async def test_the_newest_message_ends_a_scene_though_an_earlier_one_says_the_same(
    program: Beside, page: TavernPage, harbour: Path
) -> None:
    count = int(await page.evaluate(f"() => {CONTEXT}.chat.length"))
    said = await page.evaluate(f"() => {CONTEXT}.chat.findLast(one => one.is_user).mes")
    assert await page.slash(f"/send {said} | /tk-scene") == "true"
    assert is_marked(program.companion, harbour, count)
    await program.companion.edits.undo(harbour)
    await page.slash(f"/cut {count}")


async def test_every_command_says_when_the_program_is_away(
    program: Beside, page: TavernPage, harbour: Path
) -> None:
    await program.stop()
    await page.page.wait_for_selector("#tavernkeep_badge[data-state='away']")
    toasts = "() => [...document.querySelectorAll('.toast-warning')].map(one => one.innerText)"
    commands = (
        "tk-recap",
        "recap-refresh-memory",
        "tk-search x",
        "tk-check",
        "tk-open",
        "tk-canon",
        "tk-off",
        "tk-tokens",
    )
    for command in (*commands, "tk-scene 1"):
        await page.evaluate("() => toastr.remove()")
        await page.slash(f"/{command}")
        said = await page.evaluate(toasts)
        assert len(said) == 1, command
        assert "Tavernkeep is not connected." in said[0], command
    await page.slash("/tk-scene 1")  # taken back
    await program.start()


async def test_what_is_pressed_while_the_program_is_away_waits_for_it(
    program: Beside, page: TavernPage, harbour: Path
) -> None:
    await program.stop()
    await page.page.wait_for_selector("#tavernkeep_badge[data-state='away']")
    for index in (0, 2):
        await click(page, at(index, "scene"))
        await page.page.wait_for_selector(f"{at(index, 'flag')}[data-waits]")
    await click(page, at(0, "flag"))  # taken back
    await counted(page, at(0, "flag"), 0)
    await program.start()
    await page.page.wait_for_selector(f"{at(2, 'flag')}:not([data-waits])")
    assert is_marked(program.companion, harbour, 2)
    assert not is_marked(program.companion, harbour, 0)
    await program.companion.edits.undo(harbour)


async def test_marks_follow_their_messages_and_go_without_a_trace(
    program: Beside, page: TavernPage, tavern: RunningTavern
) -> None:
    companion, path = program.companion, tavern.chat_path("Long")
    await companion.put_setting("page_marks", True)
    await companion.put_setting("inclusion_limit", 90)
    await companion.open_story(path)
    await companion.settled(path)
    await page.open_chat("Long")
    last = LENGTH - 1
    await counted(page, ".tavernkeep-mark[data-state='included']", 99)  # the last may be swiped
    assert await page.page.inner_text(at(last - 1, "word")) == "Included"
    story = companion.story(path)
    assert story is not None
    await companion.edits.messages.edit(path, story.messages[last - 2].anchor, HOSTILE)
    await page.page.wait_for_function(
        "([s, text]) => document.querySelector(s).textContent === text",
        arg=[at(last - 2, "recap"), HOSTILE],
    )

    await page.page.click("#show_more_messages")  # what of a press counts differs by version
    await counted(page, ".tavernkeep-mark", 199)
    await page.edit(last - 1, "The lamp goes out.")
    await page.page.wait_for_function(
        "s => document.querySelector(s)?.textContent.includes('The lamp goes out')",
        arg=at(last - 1, "recap"),
    )
    await page.slash(f"/cut {last - 20}")
    await counted(page, ".tavernkeep-mark", 198)

    for part in ("badge", "button", "marks", "commands"):
        await companion.put_setting(f"page_{part}", False)
    await counted(page, ANY_TRACE, 0)
    await page.page.wait_for_function(
        "() => !('tk-scene' in SillyTavern.getContext().SlashCommandParser.commands)"
    )
    assert not await page.evaluate("() => window.hit")
    for part in ("badge", "button", "marks", "commands"):
        await companion.reset_setting(f"page_{part}")


async def test_the_window_can_send_the_page_to_a_message_that_is_not_loaded(
    program: Beside, page: TavernPage, tavern: RunningTavern
) -> None:
    companion, path = program.companion, tavern.chat_path("Long")
    await page.open_chat("Long")
    story = await companion.open_story(path)
    await companion.page.go_to(path, story.messages[150].anchor)
    here = "#chat .mes[mesid='150'][data-tavernkeep-here]"
    await page.page.wait_for_selector(here)
    await counted(page, "[data-tavernkeep-here]", 0)


async def test_what_is_found_and_checked_is_listed_and_can_be_gone_to(
    program: Beside, page: TavernPage, harbour: Path
) -> None:
    wanted: list[tuple[Path, str]] = []
    program.companion.page_requests.window_wanted.connect(lambda asked: wanted.append(asked))
    found = await page.slash("/tk-search ferry hour")
    assert found.startswith("#2 · message: The ferry left an hour ago.")
    await page.page.click(".tavernkeep-item .tavernkeep-label >> nth=0")
    await page.page.wait_for_selector("#chat .mes[mesid='2'][data-tavernkeep-here]")
    assert "Nothing was found." in await page.slash("/tk-search zyzzyva")
    assert "gives nothing away" in await page.slash("/tk-check 2")
    await page.page.keyboard.press("Escape")
    await counted(page, ".tavernkeep-previously", 0)
    await page.slash("/tk-open 2")
    await page.page.wait_for_selector(".toast-warning")  # there is no window
    program.companion.page_requests.has_window = True
    await page.slash("/tk-open 2")
    story = program.companion.story(harbour)
    assert story is not None
    assert wanted == [(harbour, story.messages[2].anchor)]


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_copy_of_a_groups_chat_can_be_opened_in_the_group(
    page: TavernPage, program: Beside, tavern: RunningTavern, is_open: bool
) -> None:
    """It was a file that SillyTavern showed nowhere, since its group did not list it."""
    companion, path = program.companion, tavern.user_folder / "group chats" / "Gathering.jsonl"
    await open_of_crew(page, "Gathering")
    await program.until(lambda: path in companion.chats_in_pages)
    await companion.guard.look(path)
    if not is_open:
        await page.page.goto("about:blank")
        await program.until(lambda: not companion.chats_in_pages)
    copy = (await companion.guard.copies(path))[0]
    restored = await companion.restoring.restore(path, copy)
    assert restored.sentence == "SillyTavern lists it with the chats of the group."
    if not is_open:
        await page.page.goto(tavern.url)
        await page.page.wait_for_function(HAS_GROUPS, timeout=60_000)
    name = restored.path.stem
    await open_of_crew(page, name)
    assert "The crew is here." in await page.evaluate(f"() => {CONTEXT}.chat[0].mes")
    group = json.loads((tavern.user_folder / "groups" / "Crew.json").read_bytes())
    assert name in group["chats"]
    await program.until(
        lambda: (
            next(c for c in companion.taverns[0].chats if c.path == restored.path).owner == "Crew"
        )
    )
    await page.slash("/go Seraphina")


async def test_what_is_added_speaks_the_language_that_sillytavern_speaks(
    program: Beside, page: TavernPage, harbour: Path
) -> None:
    await page.evaluate("() => localStorage.setItem('language', 'de-de')")
    await page.reload()
    await page.page.wait_for_selector("#tavernkeep_badge[title^='Tavernkeep: verbunden']")
    button = f"{at(0, 'scene')}[title^='Hier eine Szene']"
    await page.page.wait_for_selector(button, state="attached")
    # SillyTavern knows the word “Tokens”, too, and would have it in its own words.
    for command, title in (("/tk-search ferry", "„ferry“"), ("/tk-tokens", "Token, die das Ged")):
        await page.slash(command)
        await page.page.wait_for_selector(f".tavernkeep-previously:has-text('{title}')")
        await page.page.keyboard.press("Escape")
        await counted(page, ".tavernkeep-previously", 0)
    await page.evaluate("() => localStorage.removeItem('language')")
    await page.reload()
    await page.page.wait_for_selector("#tavernkeep_badge[title^='Tavernkeep: connected']")


async def test_a_bridge_that_is_taken_out_leaves_nothing_in_an_open_page(
    program: Beside, page: TavernPage, harbour: Path, tavern: RunningTavern
) -> None:
    await program.companion.bridge.remove(tavern.user_folder)
    await counted(page, ANY_TRACE, 0)
    assert page.errors == []
