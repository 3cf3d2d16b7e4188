"""A side pane stands beside the page, or lies over it when the window is narrow."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from ui.shell.side_split import Side, SideSplit


def split(qtbot: QtBot, side: Side) -> tuple[SideSplit, QWidget, QWidget]:
    main, pane = QWidget(), QWidget()
    made = SideSplit(main, pane, side, width=250, minimum=200, maximum=400)
    qtbot.addWidget(made)
    made.resize(1000, 400)
    made.show()
    return made, main, pane


def test_beside_the_page_the_pane_takes_its_width(qtbot: QtBot) -> None:
    made, main, pane = split(qtbot, Side.LEFT)
    assert (main.x(), main.width(), pane.width()) == (250, 750, 250)
    made.set_pane_width(900)
    assert (main.width(), made.pane_width) == (600, 400)
    made.set_open(False)
    assert main.width() == 1000
    assert not pane.isVisible()


def test_over_the_page_the_pane_takes_nothing_from_it(qtbot: QtBot) -> None:
    made, main, pane = split(qtbot, Side.RIGHT)
    made.set_overlay(True)
    assert main.width() == 1000
    assert not pane.isVisible()
    made.toggle()
    assert pane.isVisible()
    assert main.width() == 1000
    qtbot.keyClick(made, Qt.Key.Key_Escape)
    assert not pane.isVisible()
    made.set_overlay(False)
    assert pane.isVisible()


def test_a_page_without_the_pane_has_all_the_room(qtbot: QtBot) -> None:
    made, main, _pane = split(qtbot, Side.LEFT)
    made.set_available(False)
    assert main.width() == 1000
    made.set_available(True)
    assert main.width() == 750


def test_nobody_writes_behind_a_pane_that_lies_over_the_page(qtbot: QtBot) -> None:
    """The editor of an own version opened behind the list, its first letters hidden."""
    made, main, pane = split(qtbot, Side.LEFT)
    text, inside = QPlainTextEdit(main), QLineEdit(pane)
    text.show()
    inside.show()
    made.set_overlay(True)
    made.toggle()
    made.activateWindow()
    inside.setFocus()
    qtbot.waitUntil(inside.hasFocus)
    assert pane.isVisible()
    text.setReadOnly(True)
    text.setFocus()
    qtbot.waitUntil(text.hasFocus)
    assert pane.isVisible()
    inside.setFocus()
    text.setReadOnly(False)
    text.setFocus()
    qtbot.waitUntil(text.hasFocus)
    assert not pane.isVisible()
