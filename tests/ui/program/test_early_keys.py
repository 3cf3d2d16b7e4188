"""What is pressed while the window stands and its companion is still being opened is not lost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from app.companion import Companion
from app.core.tasks import TaskSupervisor
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow
from ui.theme import theme

Until = Callable[[Callable[[], bool]], Awaitable[None]]
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
async def bare(dressed: QApplication, until: Until) -> AsyncIterator[MainWindow]:
    """The window with nothing behind it yet."""
    shown = MainWindow(theme, TaskSupervisor())
    shown.show()
    shown.activateWindow()
    await until(shown.isActiveWindow)
    yield shown
    await shown.detach()
    shown.hide()
    shown.deleteLater()


async def test_commands_and_what_was_typed_behind_them_are_followed_in_their_order(
    bare: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    QTest.keyClick(bare, Qt.Key.Key_B)  # there was nothing to break yet
    QTest.keyClick(bare, Qt.Key.Key_2, CONTROL)
    QTest.keyClick(bare, Qt.Key.Key_O, CONTROL)  # not enabled before a companion runs
    QTest.keyClicks(bare, "lamp")
    bare.attach(companion)
    bare.begin(demo_tavern.chat)
    desk = bare.desk
    assert desk is not None
    await until(lambda: desk.session.path is not None and desk.page_key == "recaps")

    def typed() -> str:
        field = QApplication.focusWidget()
        return field.text() if isinstance(field, QLineEdit) else ""

    await until(lambda: typed() == "lamp")
    await companion.settled(demo_tavern.chat)
    await until(lambda: desk.session.is_counted)


async def test_the_key_that_ends_the_program_needs_no_companion(bare: MainWindow) -> None:
    closed: list[bool] = []
    bare.closed.connect(lambda: closed.append(True))
    QTest.keyClick(bare, Qt.Key.Key_Q, CONTROL)
    assert closed == [True]
