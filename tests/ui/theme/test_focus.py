"""Which control has the keyboard is seen however the keyboard came there, but for a click."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ui.controls.buttons import Switch
from ui.controls.fields import Segments
from ui.controls.keys import give_keys
from ui.controls.surfaces import scrolling
from ui.theme.focus import FocusRing, ask_for_menu

LEFT = Qt.MouseButton.LeftButton


class Framed(QWidget):
    """A window with a ring, a choice, a switch and something that is scrolled."""

    def __init__(self, application: QApplication) -> None:
        super().__init__()
        self.ring = FocusRing(application, self)
        self.choice = Segments("Theme", {"light": "Light", "dark": "Dark"})
        self.choice.choose("light")
        self.switch = Switch("Follow")
        self.words = scrolling(QLabel("Words " * 40), name="Words")
        column = QVBoxLayout(self)
        for part in (self.choice, self.switch, self.words):
            column.addWidget(part)

    def focusNextPrevChild(self, forward: bool) -> bool:
        self.ring.announce_key()
        return super().focusNextPrevChild(forward)


@pytest.fixture
def framed(qtbot: QtBot, dressed: QApplication) -> Framed:
    window = Framed(dressed)
    qtbot.addWidget(window)
    window.resize(300, 200)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def test_the_ring_is_there_where_a_command_puts_the_keyboard(framed: Framed) -> None:
    """The palette led to a setting, and nothing showed which of two the arrows would change."""
    give_keys(framed.choice)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert framed.ring.shown_on is focused
    give_keys(framed.choice)
    assert framed.ring.shown_on is focused, "also where it is already"


def test_arrows_take_the_ring_along_and_a_click_takes_it_away(framed: Framed) -> None:
    give_keys(framed.choice)
    first = QApplication.focusWidget()
    assert first is not None
    QTest.keyClick(first, Qt.Key.Key_Right)
    second = QApplication.focusWidget()
    assert second is not first
    assert framed.ring.shown_on is second
    QTest.mouseClick(framed.switch, LEFT)
    assert QApplication.focusWidget() is framed.switch
    assert framed.ring.shown_on is None


def test_what_is_scrolled_has_a_ring_when_tab_gets_there(framed: Framed) -> None:
    give_keys(framed.switch)
    QTest.keyClick(framed.switch, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is framed.words
    assert framed.ring.shown_on is framed.words


def test_the_menu_key_is_had_by_other_keys(qtbot: QtBot) -> None:
    class Asked(QWidget):
        reasons: list[QContextMenuEvent.Reason] = []  # noqa: RUF012

        def contextMenuEvent(self, event: QContextMenuEvent) -> None:
            self.reasons.append(event.reason())

    widget = Asked()
    qtbot.addWidget(widget)
    ask_for_menu(widget)
    assert widget.reasons == [QContextMenuEvent.Reason.Keyboard]
