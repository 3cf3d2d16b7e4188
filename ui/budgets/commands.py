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
            tr("One total for all memory"), tr("Simple budgets."), "minus", "S"
        )
        self.advanced = self._command(
            tr("One budget for each kind of memory"), tr("One by one."), "sliders", "A"
        )
        self.auto_tune = self._command(
            tr("Switch auto-tune on or off"),
            tr("Budgets follow what each kind of memory needs."),
            "loop",
            "T",
        )
        self.use_tuned = self._command(
            tr("Apply the tuned budgets"), tr("Apply once what auto-tune would set."), "check", "U"
        )
        self.fit = self._command(
            tr("Make the selected part fit"),
            tr("Gives it what it needs, plus a little more."),
            "plus",
            "F",
        )
        self.reset = self._command(
            tr("Reset the selected budget"),
            tr("Go back to the budget for all chats."),
            "undo",
            "R",
        )
        self.reset_all = self._command(
            tr("Reset all budgets"),
            tr("Go back to the budgets for all chats."),
            "undo",
        )
        self.next_turn = self._command(
            tr("Try another kind of turn"),
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
