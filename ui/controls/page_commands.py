"""What can be done on a page, each command once: for its buttons, menus, keys and the palette."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from ui.controls.buttons import key_text

ON_CHOSEN = "on chosen"  # property of an action: it acts on what is chosen on its page


def is_letter_of_page(widget: QWidget, letter: str) -> bool:
    """Whether a letter is the key of an action here or around, also of one that has nothing to do
    now: a list does not look for rows by it, which would choose one that nobody asked for.
    """
    key = QKeySequence(letter.upper())
    around: QWidget | None = widget
    while around is not None:
        if any(key in action.shortcuts() for action in around.actions()):
            return True
        around = around.parentWidget()
    return False


class PageCommands:
    """Makes the actions of a page; who owns the page connects them."""

    def __init__(self, page: QWidget) -> None:
        self._page = page
        self.icons: dict[QAction, str] = {}

    def _command(self, name: str, sentence: str, icon: str, *keys: str) -> QAction:
        """One action with its keys, which hold within the page. icon: "" for none."""
        action = QAction(name, self._page)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        hint = f" ({key_text(action.shortcut())})" if keys else ""
        action.setToolTip(sentence + hint)
        self._page.addAction(action)
        self.icons[action] = icon
        return action

    def _act_on_chosen(self, *commands: QAction) -> None:
        """Say of these that they act on what is chosen: they are not done from another page."""
        for command in commands:
            command.setProperty(ON_CHOSEN, True)
