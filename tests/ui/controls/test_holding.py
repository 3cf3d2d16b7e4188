"""Rows keep their places while the pointer is over them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QListWidget

from ui.controls.holding import Hold


@pytest.fixture
def view(qapp: QApplication) -> QListWidget:
    made = QListWidget()
    made.addItems(["one", "two"])
    made.show()
    return made


def enter(view: QListWidget) -> None:
    at = QPointF(5, 5)
    QApplication.sendEvent(view.viewport(), QEnterEvent(at, at, at))


def leave(view: QListWidget) -> None:
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))


def test_rows_are_held_from_the_pointers_coming_to_its_going(view: QListWidget) -> None:
    hold, ended = Hold(view), []
    hold.ended.connect(lambda: ended.append(True))
    assert not hold.is_on
    enter(view)
    assert hold.is_on
    leave(view)
    assert not hold.is_on
    assert ended == [True]


def test_what_the_user_did_lets_them_go(view: QListWidget) -> None:
    hold = Hold(view)
    enter(view)
    hold.let_go()
    assert not hold.is_on


def test_a_list_that_goes_holds_nothing(view: QListWidget) -> None:
    hold = Hold(view)
    enter(view)
    view.hide()
    assert not hold.is_on


def test_a_pointer_that_was_parked_holds_them_no_longer(view: QListWidget) -> None:
    """Else the list would stand still for who watches it with the mouse left there."""
    hold = Hold(view)
    enter(view)
    assert hold.parked.isActive()
    hold.parked.timeout.emit()
    assert not hold.is_on
