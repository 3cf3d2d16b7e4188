"""What can be done on the budgets page, each deed once: for buttons, keys and the palette."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.translation import tr
from ui.controls.page_deeds import PageDeeds


class BudgetDeeds(PageDeeds):
    """The actions of the page; who owns the page connects them."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.simple = self._deed(tr("One total for all tiers"), tr("Simple budgets."), "minus", "S")
        self.advanced = self._deed(tr("One budget for each tier"), tr("Advanced."), "sliders", "A")
        self.auto_tune = self._deed(
            tr("Switch auto-tune on or off"), tr("Budgets follow what the tiers need."), "loop", "T"
        )
        self.use_tuned = self._deed(
            tr("Use the tuned budgets"), tr("Set once what auto-tune would make."), "check", "U"
        )
        self.fit = self._deed(
            tr("Make the chosen slot fit"),
            tr("Give it what it needs, and a little more."),
            "plus",
            "F",
        )
        self.reset = self._deed(
            tr("Reset the chosen budget"),
            tr("Let what holds for all chats hold here."),
            "undo",
            "R",
        )
        self.reset_all = self._deed(
            tr("Reset all budgets"),
            tr("Let what holds for all chats hold here, for every budget."),
            "undo",
        )
        self.next_turn = self._deed(
            tr("Try the next kind of turn"),
            tr("Dialogue, action, transition, intimate."),
            "arrow-right",
            "K",
        )
