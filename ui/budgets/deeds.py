"""What can be done on the budgets page, each deed once: for buttons, keys and the palette."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ui.controls.page_deeds import PageDeeds


class BudgetDeeds(PageDeeds):
    """The actions of the page; who owns the page connects them."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.simple = self._deed("One total for all tiers", "Simple budgets.", "minus", "S")
        self.advanced = self._deed("One budget for each tier", "Advanced.", "sliders", "A")
        self.auto_tune = self._deed(
            "Switch auto-tune on or off", "Budgets follow what the tiers need.", "loop", "T"
        )
        self.use_tuned = self._deed(
            "Use the tuned budgets", "Set once what auto-tune would make.", "check", "U"
        )
        self.fit = self._deed(
            "Make the chosen slot fit", "Give it what it needs, and a little more.", "plus", "F"
        )
        self.reset = self._deed(
            "Reset the chosen budget", "Let what holds for all chats hold here.", "undo", "R"
        )
        self.reset_all = self._deed(
            "Reset all budgets", "Let what holds for all chats hold here, for every budget.", "undo"
        )
        self.next_turn = self._deed(
            "Try the next kind of turn",
            "Dialogue, action, transition, intimate.",
            "arrow-right",
            "K",
        )
