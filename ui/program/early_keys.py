"""Keys that are pressed while the window stands but has nothing behind it yet: none is lost."""

from __future__ import annotations

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit

from ui.core.actions import Actions

MOST = 64
_LONE = (Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta)


class EarlyKeys:
    """Keeps what was pressed in its order, and lets the window follow it once it can.

    Commands are done; what was typed behind one goes into the field that it opened. Other keys mean
    something that could not be seen yet, and are let go.
    """

    def __init__(self, actions: Actions) -> None:
        self._actions = actions
        self._pressed: list[tuple[QKeyCombination, str]] = []

    def take(self, event: QKeyEvent) -> None:
        """Keep a key for later; what ends the program does so at once."""
        if (quits := self._actions["quit"]) is self._meant(event.keyCombination()):
            quits.trigger()
        elif event.key() not in _LONE and len(self._pressed) < MOST:
            self._pressed.append((event.keyCombination(), event.text()))

    def follow(self) -> None:
        """Do what was asked for, once."""
        pressed, self._pressed = self._pressed, []
        has_begun = False
        for keys, text in pressed:
            field = QApplication.focusWidget()
            if (action := self._meant(keys)) is not None:
                has_begun = True
                if action.isEnabled():
                    action.trigger()
            elif has_begun and isinstance(field, QLineEdit):
                kind = QKeyEvent.Type.KeyPress
                typed = QKeyEvent(kind, keys.key(), keys.keyboardModifiers(), text)
                QApplication.sendEvent(field, typed)

    def _meant(self, keys: QKeyCombination) -> QAction | None:
        command = QKeySequence(keys)
        return next((one for one in self._actions.all() if command in one.shortcuts()), None)
