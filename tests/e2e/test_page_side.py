"""What Tavernkeep adds to SillyTavern's page: badge, scene button, marks, commands, and jumps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.paths import user_folders
from tests.e2e import sillytavern
from tests.e2e.conftest import RunningTavern
from tests.e2e.page import CONTEXT, TavernPage

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]

LENGTH = 1_000
HOSTILE = '<img src=x onerror="window.hit = 1"> The "Gull" & <b>crew</b> sail at dawn.'
PARTS = ("badge", "button", "marks", "commands")
ANY_TRACE = "[class*='tavernkeep'], [id*='tavernkeep'], [data-tavernkeep-here]"


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def companion(
    tavern: RunningTavern, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Companion]:
    """The program in this process, without a model, with a chat of 1,000 messages."""
    texts = [f"{HOSTILE} It is message {n}, of the day {n // 7}." for n in range(LENGTH)]
    sillytavern.write_chat(tavern.chat_path("Long"), sillytavern.dialogue(*texts))
    folders = user_folders(tmp_path_factory.mktemp("own"))
    root = tavern.user_folder.parent
    async with open_companion(folders, tavern=root, llm="builtin") as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def shown(companion: Companion, page: TavernPage, tavern: RunningTavern) -> Path:
    """The chat Harbour in the page, all parts as they are by default."""
    for part in PARTS:
        await companion.reset_setting(f"page_{part}")
    await page.open_chat("Harbour")
    path = tavern.chat_path("Harbour")
    await companion.open_story(path)
    await page.page.wait_for_selector("#tavernkeep_badge[data-state='ready']")
    return path


async def counted(page: TavernPage, selector: str, number: int) -> None:
    """Wait until so many elements are there."""
    await page.page.wait_for_function(
        "([selector, number]) => document.querySelectorAll(selector).length === number",
        arg=[selector, number],
    )


def flag(index: int) -> str:
    return f"#chat .mes[mesid='{index}'] .tavernkeep-flag"


def mark(index: int) -> str:
    return f"#chat .mes[mesid='{index}'] .tavernkeep-mark"


async def press_scene(page: TavernPage, index: int) -> None:
    await page.evaluate(
        "index => $(`#chat .mes[mesid='${index}'] .tavernkeep-scene`)[0].click()", index
    )


async def ends(companion: Companion, path: Path, index: int, *, wanted: bool) -> None:
    """Wait until a scene ends with a message, or no longer."""
    async with asyncio.timeout(15):
        while True:
            story = companion.story(path)
            assert story is not None
            is_end = any(s.closing is not None and s.last == index for s in story.scenes)
            if is_end == wanted:
                return
            await asyncio.sleep(0.02)


async def test_a_press_ends_a_scene_and_undo_takes_the_flag_away(
    companion: Companion, page: TavernPage, shown: Path
) -> None:
    await companion.put_setting("mirror_to_chat", True)
    await press_scene(page, 1)
    await page.page.wait_for_selector(f"{flag(1)}:not([data-waits])")
    await ends(companion, shown, 1, wanted=True)
    extra = f"() => {CONTEXT}.chat[1].extra.auto_recap_memory?.scene_break_visible === true"
    await page.page.wait_for_function(extra)
    assert await companion.edits.undo(shown) == "scene break"
    await counted(page, flag(1), 0)
    await page.slash("/tk-scene 1")
    await page.page.wait_for_selector(f"{flag(1)}:not([data-waits])")
    await page.evaluate("selector => document.querySelector(selector).click()", flag(1))
    await counted(page, flag(1), 0)
    await ends(companion, shown, 1, wanted=False)
