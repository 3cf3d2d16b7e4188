"""Figures of the budgets page alone: what may be written, and what is offered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.settings.slot_table import SlotName
from ui.budgets.facts import RowFacts
from ui.budgets.pane import GROWING, BudgetPane
from ui.budgets.pane_facts import PaneFacts, pane_facts
from ui.budgets.rows import TokenField


def row(name: SlotName, *, minimum: int = 0) -> RowFacts:
    """One that is cut by its own budget."""
    figures: dict[str, Any] = {
        "budget": 1_150,
        "own": 1_150,
        "turn": 1_150,
        "used": 1_140,
        "full": 2_600,
    }
    return RowFacts(
        f"budget_{name}", name, "A slot", "", "", "", 1_150, minimum, 8_000, most=2_600, **figures
    )


def facts_of(name: SlotName, *, is_unread: bool, told: bool = True, **more: bool) -> PaneFacts:
    occasion = SimpleNamespace(unread=is_unread, told=told)
    preview: Any = SimpleNamespace(prepared=SimpleNamespace(occasion=occasion), standings={})
    outlook: Any = SimpleNamespace(
        slots=SimpleNamespace(contents=()), tunings=(), borrowers=frozenset()
    )
    return pane_facts(preview, outlook, row(name), (), len, **more)


def test_a_number_below_the_least_becomes_the_least(qtbot: QtBot) -> None:
    """The number from before came back, without a word."""
    field = TokenField()
    qtbot.addWidget(field)
    field.show_facts(row(SlotName.LONG, minimum=800))
    settled: list[int] = []
    field.settled.connect(settled.append)
    field.selectAll()
    QTest.keyClicks(field, "300")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert settled == [800]


def test_what_is_being_read_is_not_offered_to_be_read(qtbot: QtBot) -> None:
    """ "Nothing is remembered of this story yet. Read this story now" stood there meanwhile."""
    pane = BudgetPane()
    qtbot.addWidget(pane)
    for is_reading in (False, True):
        pane.show_facts(facts_of(SlotName.LONG, is_unread=False, told=False, is_reading=is_reading))
        assert pane.read.isHidden() is is_reading
        assert ("is being read" in pane.sentence.text()) is is_reading


def test_no_budget_is_offered_to_what_grows_with_its_budget(qtbot: QtBot) -> None:
    """ "Make it fit" let more messages fall out of the prompt, which then had to be told too."""
    assert facts_of(SlotName.LONG, is_unread=True).fit == 3_000
    assert facts_of(SlotName.SHORT, is_unread=False).fit == 3_000
    growing = facts_of(SlotName.SHORT, is_unread=True)
    assert growing.fit is None
    pane = BudgetPane()
    qtbot.addWidget(pane)
    pane.show()
    pane.show_facts(growing)
    assert pane.sentence.isVisible()
    assert pane.sentence.text() == GROWING


def test_nothing_is_offered_before_anything_is_known(qtbot: QtBot) -> None:
    pane = BudgetPane()
    qtbot.addWidget(pane)
    pane.show()
    for button in (pane.fit, pane.read, pane.tuning.use):
        assert not button.isVisible()
