"""What can be done on the budgets page, each deed once: for buttons, keys and the palette."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from ui.controls.buttons import key_text


class BudgetDeeds:
    """The actions of the page; who owns the page connects them."""

    def __init__(self, page: QWidget) -> None:
        self._page = page
        self.icons: dict[QAction, str] = {}
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

    def _deed(self, name: str, sentence: str, icon: str, *keys: str) -> QAction:
        action = QAction(name, self._page)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        hint = f" ({key_text(action.shortcut())})" if keys else ""
        action.setToolTip(sentence + hint)
        self._page.addAction(action)
        self.icons[action] = icon
        return action
