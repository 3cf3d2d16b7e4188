"""The rows of the next prompt can be read however low the window is."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.prompt.slots import Slot, SlotSet
from app.settings.slot_table import Position, Role, SlotName
from ui.controls.labels import Label
from ui.inspector.next_prompt import NextPrompt

NAMES = [name for name in SlotName if name is not SlotName.UNIFIED]
SLOTS = SlotSet(
    tuple(
        Slot(name.key, Position.IN_PROMPT, 0, Role.SYSTEM, False, "A text.", 20, 100, 20)
        for name in NAMES
    )
)


def test_why_nothing_is_sent_is_said(qtbot: QtBot) -> None:
    """Where Tavernkeep is off for the chat, "yet" promised a prompt that does not come."""
    pane = NextPrompt(QAction("See the exact text"))
    qtbot.addWidget(pane)
    pane.show_slots(SlotSet(warnings=("It is off.",)), "")
    assert pane._nothing.text() == "It is off."
    pane.show_slots(SlotSet(), "")
    assert pane._nothing.text() == "Nothing is added to the prompt yet."


@pytest.mark.parametrize("height", [200, 800])
def test_no_row_is_cut_where_the_window_is_low(qtbot: QtBot, height: int) -> None:
    """Rows were pressed until their letters lost their lower half."""
    see_text = QAction("See the exact text")
    holder, pane = QWidget(), NextPrompt(see_text)
    QVBoxLayout(holder).addWidget(pane)
    qtbot.addWidget(holder)
    holder.setFixedSize(320, height)
    holder.show()
    pane.show_slots(SLOTS, "Mira answers")
    whole = 20 * len(NAMES)  # px at least
    qtbot.waitUntil(lambda: pane.area.sizeHint().height() > whole and pane.area.height() > 0)
    rows = pane.area.findChildren(Label)
    assert len(rows) == len(NAMES)
    assert all(row.height() >= row.sizeHint().height() for row in rows)
    is_all_seen = pane.area.viewport().height() >= pane.area.sizeHint().height()
    assert is_all_seen == (height == 800)
