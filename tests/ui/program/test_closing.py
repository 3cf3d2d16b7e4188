"""Closing while the disk is full: nothing is lost without a word."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.companion import Companion
from app.work.chats import disk_space
from tests.disk_faults import full_database
from ui.program.closing import LossWarning
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture
async def full(
    window: MainWindow, companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[list[bool]]:
    """Something waits in memory; gives each time that the window was closed."""
    monkeypatch.setattr(disk_space, "LOOK_SECONDS", 0.05)
    closed: list[bool] = []
    window.closed.connect(lambda: closed.append(window.is_to_start_again))
    async with full_database(companion):
        await companion.put_setting("window_state", "x" * 200_000)
        assert companion.room.sentence
        yield closed


def warning(window: MainWindow) -> LossWarning:
    (shown,) = [one for one in window.findChildren(LossWarning) if one.isVisible()]
    return shown


async def test_closing_asks_first_and_staying_leaves_all_as_it_was(
    window: MainWindow, full: list[bool]
) -> None:
    window.close()
    window.close()
    assert window.isVisible()
    QTest.mouseClick(warning(window).stay, Qt.MouseButton.LeftButton)
    assert not full
    window.start_again()
    QTest.keyClick(warning(window), Qt.Key.Key_Escape)
    assert not full
    assert not window.is_to_start_again


async def test_who_gives_it_up_closes(window: MainWindow, full: list[bool]) -> None:
    window.actions_["restart"].trigger()
    QTest.mouseClick(warning(window).give_up, Qt.MouseButton.LeftButton)
    assert full == [True]


async def test_with_room_again_it_closes_by_itself(
    window: MainWindow, companion: Companion, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    monkeypatch.setattr(disk_space, "LOOK_SECONDS", 0.05)
    closed: list[bool] = []
    window.closed.connect(lambda: closed.append(True))
    async with full_database(companion):
        await companion.put_setting("window_state", "x" * 200_000)
        window.close()
        assert not closed
    await until(lambda: closed == [True])
