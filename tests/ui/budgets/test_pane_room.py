"""The pane at the right of the budgets keeps within its width, whatever it has to say."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QScrollArea

from app.prompt.budgeting.auto_tune import Tuning
from app.settings.slot_table import SlotName
from ui.budgets.facts import RowFacts
from ui.budgets.page import PANE_MINIMUM
from ui.budgets.pane import BudgetPane
from ui.budgets.pane_facts import LostLine, PaneFacts

LONG_STORY = 12_345  # tokens
ROW = RowFacts(
    setting="budget_short",
    name=SlotName.SHORT,
    title="Zusammenfassung",
    place="im Prompt",
    hue="short-term",
    meaning="Was bisher geschah.",
    value=2_000,
    minimum=0,
    maximum=20_000,
    budget=2_000,
    own=2_000,
    turn=2_000,
    used=2_000,
    full=LONG_STORY,
    most=LONG_STORY,
)


@pytest.mark.usefixtures("in_german")
@pytest.mark.parametrize("has_memory", [True, False])
def test_nothing_in_the_pane_is_wider_than_the_pane(
    dressed: QApplication, has_memory: bool
) -> None:
    pane = BudgetPane()
    pane.resize(PANE_MINIMUM, 700)
    pane.show()
    pane.show_facts(
        PaneFacts(
            row=ROW,
            lost=[LostLine("Etwas, was herausfällt.", "weiß", 12, 2_981)],
            count=1,
            tokens=10_345,
            other=["4 Zeilen: schon in einem anderen Teil."],
            fit=14_250,
            needs=[(2_981, LONG_STORY)],
            tuned=14_250,
            has_memory=has_memory,
        )
    )
    pane.tuning.show_tunings(
        [Tuning(SlotName.SHORT, 2_000, 14_250, LONG_STORY)],
        {SlotName.SHORT: 2_981},
        is_on=False,
        nothing="",
        free=11_111,
        has_total=False,
    )
    pane.tuning.show_tunings(
        [Tuning(SlotName.SHORT, 2_000, 14_250, LONG_STORY), Tuning(SlotName.EPISTEMIC, 90, 150, 9)],
        {},
        is_on=False,
        nothing="",
        free=11_111,
        has_total=False,
    )
    assert len({row.column for row in pane.tuning.rows.values()}) == 1  # arrows in one line
    area = pane.area
    assert isinstance(area, QScrollArea)
    holder = area.widget()
    assert holder is not None
    assert holder.minimumSizeHint().width() <= area.viewport().width()
    pane.hide()
    pane.deleteLater()
