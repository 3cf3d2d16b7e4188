"""The memories page in a living window, with the memories that come with the demo story."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from app.companion import Companion
from app.memory.documents.browsing import sentence_of
from app.memory.standing import Standing
from app.views.memory_view import MemoryView
from tests.labelled import WrittenTavern
from tests.ui.told_demo import keeping_memory
from ui.memories.page import MemoriesPage
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture
async def companion(
    tmp_path: Path, demo_tavern: WrittenTavern, remembered_demo: Path
) -> AsyncIterator[Companion]:
    """A real companion that keeps memory; the demo story has been read for it."""
    async with keeping_memory(remembered_demo, tmp_path / "own", demo_tavern) as running:
        yield running


@pytest_asyncio.fixture
async def demo_window(window: MainWindow, demo_tavern: WrittenTavern) -> MainWindow:
    """The window with the demo story; recaps are not waited for."""
    assert window.desk is not None
    await window.desk.session.open_path(demo_tavern.chat)
    return window


@pytest_asyncio.fixture
async def page(demo_window: MainWindow, until: Until) -> MemoriesPage:
    """It shows all tiers."""
    demo_window.show_page("memories")
    shown = demo_window.page
    assert isinstance(shown, MemoriesPage)
    await until(lambda: shown.model.rowCount() > 0)
    return shown


@pytest.fixture
def remembered(companion: Companion, demo_tavern: WrittenTavern) -> Callable[[], MemoryView]:
    """What is remembered of the demo story, read anew."""
    return partial(companion.memory, demo_tavern.chat)


@pytest.fixture
def standing_of(remembered: Callable[[], MemoryView]) -> Callable[[str], Standing | None]:
    def find(words: str) -> Standing | None:
        memories = remembered().memories
        return next((s for s in memories if words in sentence_of(s.memory)), None)

    return find
