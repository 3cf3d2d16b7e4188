"""The size of everything is chosen for the next start, which is a press away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from app.companion import Companion
from app.core.chosen_scale import ChosenScale
from ui.program.main_window import MainWindow
from ui.settings.look import LookSection
from ui.settings.page import SettingsPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_a_chosen_size_is_kept_and_taken_up_by_a_new_start(
    window: MainWindow, companion: Companion, until: Until
) -> None:
    window.show_page("settings")
    page = window.page
    assert isinstance(page, SettingsPage)
    look = page.findChild(LookSection)
    assert look is not None
    page.go_to("Look")
    buttons = look.scale.findChildren(QAbstractButton)
    (wanted,) = [button for button in buttons if button.text() == "130 %"]
    QTest.mouseClick(wanted, Qt.MouseButton.LeftButton)
    await until(lambda: ChosenScale(companion.folders.data).get() == 130)
    closed = []
    window.closed.connect(lambda: closed.append(True))
    assert not window.is_to_start_again
    QTest.mouseClick(look.restart, Qt.MouseButton.LeftButton)
    assert closed
    assert window.is_to_start_again
