"""A turn in a real SillyTavern: how soon its slots are in the page, and how long a send takes."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import async_playwright

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.prompt.slots import RUNNING_RECAP_KEY
from app.sillytavern.bridge import bridge_installer
from app.views.story_change import StoryChange
from tests.bench.bench_new_message import remembered
from tests.bench.table import IS_QUICK, Aim, Row
from tests.chat_files import jsonl
from tests.e2e import sillytavern
from tests.e2e.conftest import CHROMIUM_ARGUMENTS
from tests.e2e.page import CONTEXT, TavernPage
from tests.fakes import FakeLlm

SIZES = (1_000,) if IS_QUICK else (1_000, 10_000)
ROUNDS = 3 if IS_QUICK else 10
OPEN_MS = 120_000
# Times a send from the press of the button until SillyTavern's page asks its server, and our part
# in it. Without us, the page finds nobody to ask for slots.
CLOCKS = """() => {
    const clocks = window.benchClocks = {isAlone: false};
    const ours = globalThis.tavernkeep_intercept;
    globalThis.tavernkeep_intercept = async (...turn) => {
        if (clocks.isAlone) { return; }
        const begun = performance.now();
        await ours(...turn);
        clocks.slots = performance.now() - begun;
    };
    const ask = window.fetch;
    window.fetch = (...request) => {
        if (String(request[0]).includes('/generate')) {
            clocks.sent ??= performance.now() - clocks.pressed;
        }
        return ask(...request);
    };
    const {eventSource, eventTypes} = SillyTavern.getContext();
    eventSource.on(eventTypes.MESSAGE_RECEIVED, () => { clocks.received = Date.now(); });
}"""
PRESS = """([isAlone, text]) => {
    Object.assign(window.benchClocks, {isAlone, sent: undefined, slots: undefined});
    document.querySelector('#send_textarea').value = text;
    window.benchClocks.pressed = performance.now();
    document.querySelector('#send_but').click();
}"""
SAVED = (
    "Only what SillyTavern has written is taken for the story, and after an event we wait 0.3 s "
    "before the file is read. No prompt waits for that: its slots are asked for as it is built."
)
LOADED = (
    "By the clock: page, SillyTavern, its browser and we share the processors with what else runs."
)
SMALL = "By the clock, with few rounds: the row of the slots says how long the send waits for us."


def measure() -> list[Row]:
    """Missing where there is no SillyTavern in the cache, or no browser."""
    package, browser = sillytavern.find_sillytavern(), sillytavern.find_chromium()
    if package is None or browser is None:
        lacks = "SillyTavern" if package is None else "Chromium"
        missing = f"No {lacks} here; `bootstrap.py test` gets it."
        return [Row("a turn in a real SillyTavern", missing=missing)]
    return asyncio.run(_measured(package, browser))


@dataclass
class Times:
    """Milliseconds, of a turn each."""

    slots: list[float] = field(default_factory=list)
    with_us: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    known: list[float] = field(default_factory=list)


async def _measured(package: Path, browser: Path) -> list[Row]:
    rows = []
    with (
        tempfile.TemporaryDirectory() as name,
        FakeLlm() as llm,
        _tavern(package, Path(name), llm) as (url, user_folder),
    ):
        async with _world(url, user_folder, browser, Path(name), llm) as (companion, page):
            for size in SIZES:
                times = await _played(companion, page, user_folder, size)
                rows += _rows(times, size)
    return rows


def _rows(times: Times, size: int) -> list[Row]:
    of = f"{size:,} messages"
    every = (times.slots, times.with_us, times.alone, times.known)
    slots, ours, alone, known = map(statistics.median, every)
    return [
        Row(f"SillyTavern: slots of a turn in the page, {of}", slots, aim=Aim(most=50), why=LOADED),
        Row(f"SillyTavern: a reply saved and known, {of}", known, aim=Aim(most=50), why=SAVED),
        Row(f"SillyTavern: a send, {of}", ours, "without us", alone, Aim(times=1.05), SMALL),
    ]


@contextmanager
def _tavern(package: Path, folder: Path, llm: FakeLlm) -> Iterator[tuple[str, Path]]:
    """SillyTavern with our bridge and long chats; its address and its user folder."""
    sillytavern.start_server(package, folder / "data", folder).stop()  # makes its folders
    user_folder = folder / "data" / "default-user"
    sillytavern.patch_settings(user_folder, llm)
    for size in SIZES:
        header, chat = remembered(size)
        path = _path(user_folder, size)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jsonl([header, *chat]))
    bridge_installer.install(user_folder)
    server = sillytavern.start_server(package, folder / "data", folder)
    try:
        yield server.url, user_folder
    finally:
        server.stop()
        shutil.rmtree(folder / "data")


def _path(user_folder: Path, size: int) -> Path:
    return user_folder / "chats" / sillytavern.CHARACTER / f"Long {size}.jsonl"


@asynccontextmanager
async def _world(
    url: str, user_folder: Path, browser: Path, folder: Path, llm: FakeLlm
) -> AsyncIterator[tuple[Companion, TavernPage]]:
    async with (
        async_playwright() as playwright,
        open_companion(user_folders(folder / "own"), tavern=user_folder) as companion,
    ):
        for name in ("message_recaps_auto", "scene_breaks_auto", "memory_auto", "away_recap"):
            await companion.put_setting(name, False)
        program = await playwright.chromium.launch(
            executable_path=browser, headless=True, args=CHROMIUM_ARGUMENTS
        )
        try:
            page = TavernPage(await program.new_page(), llm)
            await page.load(url)
            await page.evaluate(CLOCKS)
            yield companion, page
        finally:
            await program.close()


async def _played(companion: Companion, page: TavernPage, user_folder: Path, size: int) -> Times:
    """Turns with us and without, in turns."""
    path, times = _path(user_folder, size), Times()
    await page.evaluate(f"name => {{ {CONTEXT}.openCharacterChat(name); }}", path.stem)
    await page.page.wait_for_function(
        f"""([name, key]) => {CONTEXT}.chatId === name
            && {CONTEXT}.chat.length > 1 && {CONTEXT}.extensionPrompts[key]?.value""",
        arg=[path.stem, RUNNING_RECAP_KEY],
        timeout=OPEN_MS,
    )
    await companion.settled(path)
    await companion.search.settled()
    heard = _Heard(companion, path)
    for number in range(ROUNDS + 1):
        for is_alone in (False, True):
            clocks = await _turn(page, f"I look around, {number}.", is_alone=is_alone)
            known = await heard.until(await page.length())
            if number == 0:
                continue
            if is_alone:
                times.alone.append(clocks["sent"])
            else:
                times.with_us.append(clocks["sent"])
                times.slots.append(clocks["slots"])
                times.known.append(known - clocks["received"])
    return times


class _Heard:
    """When the program knew so many messages of a chat, in milliseconds since the epoch."""

    def __init__(self, companion: Companion, path: Path) -> None:
        self._companion, self._path = companion, path
        self._news = asyncio.Event()
        self._at: dict[int, float] = {}
        companion.story_changed.connect(self._on_change)

    def _on_change(self, _: StoryChange) -> None:
        story = self._companion.story(self._path)
        if story is not None:
            self._at.setdefault(len(story.messages), 1000 * time.time())
            self._news.set()

    async def until(self, length: int) -> float:
        async with asyncio.timeout(60):
            while length not in self._at:
                self._news.clear()
                await self._news.wait()
        return self._at[length]


async def _turn(page: TavernPage, text: str, *, is_alone: bool) -> dict[str, float]:
    length = await page.length()
    await page.evaluate(PRESS, [is_alone, text])
    await page.page.wait_for_function(
        f"length => {CONTEXT}.chat.length >= length && !document.body.dataset.generating",
        arg=length + 2,
        timeout=OPEN_MS,
    )
    clocks: dict[str, float] = await page.evaluate("() => window.benchClocks")
    return clocks
