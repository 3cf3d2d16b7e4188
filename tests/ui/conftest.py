"""The window's surroundings: the dressed application, a running companion, the window itself."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.companion import Companion, open_companion
from app.core import translation
from app.core.paths import user_folders
from app.core.tasks import TaskSupervisor
from tests.labelled import WrittenTavern
from tests.paused_loop import pytest_runtest_protocol as pytest_runtest_protocol
from tests.ui.told_demo import put_demo, remember_demo, tell_demo
from ui.program.application import dress
from ui.program.main_window import MainWindow
from ui.theme import ThemeChoice, theme

Until = Callable[[Callable[[], bool]], object]


@pytest.fixture(scope="session", autouse=True)
def collected_here() -> Iterator[None]:
    """Garbage is collected on this thread only, as in the program (ui/core/collecting.py).

    What is there before the first window is no window's garbage, and not looked through each time.
    """
    gc.disable()
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
    gc.collect()
    gc.enable()


@pytest.fixture(scope="session")
def dressed(qapp: QApplication) -> QApplication:
    """The application with our fonts, style and palette, in the dark."""
    dress(qapp)
    theme.set_choice(ThemeChoice.DARK)
    return qapp


@pytest.fixture
def in_german() -> Iterator[None]:
    """All that is made from now on speaks German."""
    translation.use("de")
    yield
    translation.use(translation.ENGLISH)


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], object]:
    """Give the loop room until something holds: paint and layout tell no signal."""

    async def wait(holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not holds():  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    return wait


@pytest.fixture(scope="session")
def told_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that holds all recaps of the demo story."""
    return tell_demo(tmp_path_factory.mktemp("told"))


@pytest.fixture(scope="session")
def remembered_demo(told_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that holds the demo story's recaps and memories."""
    return remember_demo(told_demo, tmp_path_factory.mktemp("remembered"))


@pytest.fixture
async def companion(
    tmp_path: Path, demo_tavern: WrittenTavern, request: pytest.FixtureRequest
) -> AsyncIterator[Companion]:
    """A real companion without a model, over a copy of the demo tavern.

    Where the test wants `demo_window`, all recaps are written already: making them for each test
    anew took most of its time.
    """
    folders = user_folders(tmp_path / "own")
    tavern = demo_tavern.user_folder.parent
    if "demo_window" in request.fixturenames:
        put_demo(request.getfixturevalue("told_demo"), folders, demo_tavern.chat)
    async with open_companion(folders, tavern=tavern, llm="builtin", watch=False) as running:
        yield running


@pytest.fixture
async def window(dressed: QApplication, companion: Companion) -> AsyncIterator[MainWindow]:
    """The window, shown and alive; no chat is open."""
    shown = MainWindow(theme, TaskSupervisor())
    shown.resize(1360, 860)
    shown.show()
    async with asyncio.timeout(30):
        while not shown.isActiveWindow():
            # On a real screen keys reach nobody before, and who asks too early is not heard.
            shown.activateWindow()
            await asyncio.sleep(0.01)
    shown.attach(companion)
    yield shown
    await shown.detach()
    shown.hide()
    shown.deleteLater()
    del shown
    gc.collect()


@pytest.fixture
async def demo_window(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern
) -> MainWindow:
    """The window with the demo story, its recaps all written."""
    assert window.desk is not None
    await window.desk.session.open_path(demo_tavern.chat)
    await companion.settled(demo_tavern.chat)
    return window
