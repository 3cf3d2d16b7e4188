"""Where a button's word stands."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ui.controls.buttons import Button, ButtonRole


def inked(button: Button) -> tuple[int, int]:
    """The first and the last column of px with anything painted on it."""
    picture = button.grab().toImage()
    ground = picture.pixel(0, 0)
    columns = [
        x
        for x in range(picture.width())
        if any(picture.pixel(x, y) != ground for y in range(picture.height()))
    ]
    return columns[0], columns[-1]


@pytest.mark.parametrize("edge", [Qt.Edge.LeftEdge, Qt.Edge.RightEdge])
@pytest.mark.parametrize("icon", ["", "copy"])
def test_a_word_that_is_flush_stands_at_the_edge_of_what_is_above_it(
    dressed: QApplication, qtbot: QtBot, edge: Qt.Edge, icon: str
) -> None:
    above = QWidget()
    qtbot.addWidget(above)
    button = Button("Unpin it", icon=icon, role=ButtonRole.QUIET, flush=edge, parent=above)
    for width in (button.sizeHint().width(), 240):  # a layout may give it more
        button.resize(width, 28)
        first, last = inked(button)
        if edge is Qt.Edge.LeftEdge:
            assert first <= 2
        else:
            assert last >= width - 3


def test_other_buttons_keep_their_room(dressed: QApplication, qtbot: QtBot) -> None:
    button = Button("Unpin it", role=ButtonRole.QUIET)
    qtbot.addWidget(button)
    button.resize(button.sizeHint())
    first, last = inked(button)
    assert first >= 13
    assert last <= button.width() - 14
