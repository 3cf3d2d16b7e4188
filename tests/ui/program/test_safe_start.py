"""Safe mode shows what there is and touches nothing; it is offered after crashes."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from app.companion import open_companion
from app.core.errors import UsageError
from app.core.paths import Folders, user_folders
from app.core.start_mark import CRASHES, StartMark
from tests.labelled import WrittenTavern
from ui.controls.buttons import Button
from ui.program.application import AGAIN, WindowOptions, run
from ui.program.main_window import MainWindow
from ui.program.safe_start import BANNER, SafeStartOffer, words_to_start_again

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """The program takes SIGINT and SIGTERM for itself; pytest gets them back."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.fixture
def options(dressed: QApplication, tmp_path: Path, demo_tavern: WrittenTavern) -> WindowOptions:
    tavern = demo_tavern.user_folder.parent
    return WindowOptions(tmp_path / "own", tavern, "builtin", demo_tavern.chat)


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return user_folders(tmp_path / "own")


def living_window() -> MainWindow | None:
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, MainWindow) and widget.isVisible() and widget.desk is not None:
            return widget
    return None


def offer() -> SafeStartOffer | None:
    shown = [w for w in QApplication.allWidgets() if isinstance(w, SafeStartOffer)]
    return next((w for w in shown if w.isVisible()), None)


def press(parent: QWidget, words: str) -> None:
    buttons = [b for b in parent.findChildren(Button) if b.text() == words and b.isVisible()]
    assert buttons, [b.text() for b in parent.findChildren(QPushButton)]
    QTest.mouseClick(buttons[0], Qt.MouseButton.LeftButton)


@asynccontextmanager
async def started(options: WindowOptions) -> AsyncIterator[asyncio.Future[int]]:
    running = asyncio.ensure_future(run(options))  # noqa: TID251
    try:
        yield running
    finally:
        if not running.done():
            window = living_window()
            if window is not None:
                window.quit()
            await running


async def test_safe_mode_says_so_and_leaves_by_its_button(
    options: WindowOptions, until: Until
) -> None:
    async with started(replace(options, is_safe=True)) as running:
        await until(lambda: living_window() is not None and bool(banner()))
        window = living_window()
        assert window is not None
        assert banner() == BANNER
        assert "safe mode" in window.windowTitle()
        press(window.frame.banner, "Start normally")
        assert await running == AGAIN


def banner() -> str:
    window = living_window()
    return window.frame.banner.sentence if window is not None else ""


async def test_safe_mode_watches_nothing_works_on_nothing_and_changes_no_story(
    folders: Folders, demo_tavern: WrittenTavern
) -> None:
    tavern = demo_tavern.user_folder.parent
    async with open_companion(
        folders, tavern=tavern, llm="builtin", watch=False, keeps_memory=True, is_safe=True
    ) as companion:
        story = await companion.open_story(demo_tavern.chat)
        assert companion.is_reading_only
        assert companion.work.operations == ()
        with pytest.raises(UsageError, match="Safe mode does not change"):
            await companion.edits.scenes.mark(demo_tavern.chat, story.messages[3].anchor)
        with pytest.raises(UsageError, match="safe mode"):
            await companion.work.start_catch_up(demo_tavern.chat)
        assert "not installed" in companion.health.bridge.sentence


async def test_a_row_of_crashes_offers_safe_mode(
    options: WindowOptions, folders: Folders, until: Until
) -> None:
    for _ in range(CRASHES):
        StartMark(folders.data).begin()
    async with started(options):
        await until(lambda: offer() is not None)
        shown = offer()
        assert shown is not None
        press(shown, "Open in safe mode")
        await until(lambda: banner() == BANNER)
        assert StartMark(folders.data).crashes == 0


async def test_who_declines_safe_mode_is_not_asked_again(
    options: WindowOptions, folders: Folders, until: Until
) -> None:
    for _ in range(CRASHES):
        StartMark(folders.data).begin()
    async with started(options) as running:
        await until(lambda: offer() is not None)
        shown = offer()
        assert shown is not None
        press(shown, "Start normally")
        await until(lambda: living_window() is not None)
        assert banner() == ""
        assert StartMark(folders.data).crashes == 1  # this start, until it got through
        window = living_window()
        assert window is not None
        window.quit()
        assert await running == 0
    assert StartMark(folders.data).crashes == 0


async def test_one_crash_is_no_reason_to_ask(
    options: WindowOptions, folders: Folders, until: Until
) -> None:
    StartMark(folders.data).begin()
    async with started(options):
        await until(lambda: living_window() is not None)
        assert offer() is None


def test_it_starts_again_as_it_was_started_but_not_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "orig_argv", ["python3", "-m", "ui", "--safe", "--data-dir", "x"])
    assert words_to_start_again() == [sys.executable, "-m", "ui", "--data-dir", "x"]
