"""What can be done on the budgets page, each command once: for buttons, keys and the palette."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.core.translation import tr
from ui.controls.page_commands import PageCommands


class BudgetCommands(PageCommands):
    """The actions of the page; who owns the page connects them."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.simple = self._command(
            tr("One total for all tiers"), tr("Simple budgets."), "minus", "S"
        )
        self.advanced = self._command(
            tr("One budget for each tier"), tr("Advanced."), "sliders", "A"
        )
        self.auto_tune = self._command(
            tr("Switch auto-tune on or off"), tr("Budgets follow what the tiers need."), "loop", "T"
        )
        self.use_tuned = self._command(
            tr("Use the tuned budgets"), tr("Set once what auto-tune would make."), "check", "U"
        )
        self.fit = self._command(
            tr("Make the chosen slot fit"),
            tr("Give it what it needs, and a little more."),
            "plus",
            "F",
        )
        self.reset = self._command(
            tr("Reset the chosen budget"),
            tr("Let what holds for all chats hold here."),
            "undo",
            "R",
        )
        self.reset_all = self._command(
            tr("Reset all budgets"),
            tr("Let what holds for all chats hold here, for every budget."),
            "undo",
        )
        self.next_turn = self._command(
            tr("Try the next kind of turn"),
            tr("Dialogue, action, transition, intimate."),
            "arrow-right",
            "K",
        )
        self._act_on_chosen(self.fit, self.reset)
        self.set_ready(False)

    def set_ready(self, is_ready: bool) -> None:
        """Enable what can be done once a turn is known. `fit` and `use_tuned` follow that turn."""
        for command in self.icons:
            if command not in (self.fit, self.use_tuned) or not is_ready:
                command.setEnabled(is_ready)
