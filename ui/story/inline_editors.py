"""Editors that lie over the row they change: a scene's name, a message's recap."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.controls.fields import FIELD_HEIGHT, Field, Prose
from ui.story.chat_view import ChatView
from ui.theme.source import ThemeSource
from ui.theme.style import rounded

LONGEST_NAME = 200
NAME_WIDTH = 320
RECAP_HEIGHT = 88


class NameEditor(Field):
    """One line over a divider. Return or leaving keeps the name, Escape the old one.

    Signals:
        committed: (scene index, name), only when the name is another one.
    """

    committed = Signal(int, str)

    def __init__(self, view: ChatView) -> None:
        super().__init__("Name of the scene", parent=view.viewport())
        self._view = view
        self._scene = -1
        self._before = ""
        self.setMaxLength(LONGEST_NAME)
        self.hide()
        view.verticalScrollBar().valueChanged.connect(self._cancel)

    def edit(self, scene: int, name: str, row: QRect) -> None:
        """Lie over a scene's row and take the keyboard."""
        self._scene, self._before = scene, name
        column = self._view.column
        width = min(NAME_WIDTH, column.text_width)
        self.setGeometry(column.text_left - 8, row.y() + 4, width, FIELD_HEIGHT)
        self.setText(name)
        self.setPlaceholderText("Name of the scene")
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.selectAll()

    def _commit(self) -> None:
        scene, name = self._scene, self.text().strip()
        self._end()
        if scene >= 0 and name and name != self._before:
            self.committed.emit(scene, name)

    def _cancel(self, _value: int = 0) -> None:
        self._end()

    def _end(self) -> None:
        had_focus = self.hasFocus()
        self._scene = -1
        self.hide()
        if had_focus:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Neither goes on to the column, which would fold the scene at once.
        if event.key() == Qt.Key.Key_Escape:
            self._cancel()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._commit()
            return
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self._scene >= 0 and event.reason() != Qt.FocusReason.PopupFocusReason:
            self._commit()


class RecapEditor(QWidget):
    """A few lines under a message. Ctrl Return or leaving keeps them, Escape the old ones.

    Signals:
        committed: (message index, text), only when the text is another one.
    """

    committed = Signal(int, str)

    def __init__(self, view: ChatView, theme: ThemeSource) -> None:
        super().__init__(view.viewport())
        self._view = view
        self._theme = theme
        self._message = -1
        self.prose = Prose("Recap of this message", parent=self)
        self.prose.setReadOnly(False)
        self.prose.setPlaceholderText("What this message adds to the story")
        self.prose.installEventFilter(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        column.addWidget(self.prose)
        self.hide()
        self.prose.committed.connect(self._commit)
        self.prose.escaped.connect(self._end)
        view.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def edit(self, message: int, text: str, row: QRect) -> None:
        """Lie over the foot of a message's row and take the keyboard."""
        self._message = message
        column, height = self._view.column, self._view.viewport().height()
        top = min(row.bottom() - 34, height - RECAP_HEIGHT - 8)
        self.setGeometry(column.text_left - 10, max(top, 4), column.text_width + 20, RECAP_HEIGHT)
        self.prose.set_text(text)
        self.show()
        self.raise_()
        self.prose.setFocus(Qt.FocusReason.OtherFocusReason)

    def _commit(self) -> None:
        message, text = self._message, self.prose.toPlainText().strip()
        self._end()
        if message >= 0:
            self.committed.emit(message, text)

    def _end(self) -> None:
        had_focus = self.prose.hasFocus()
        self._message = -1
        self.hide()
        if had_focus:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_scrolled(self, _value: int) -> None:
        self._end()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut and isinstance(event, QFocusEvent):
            popup = event.reason() == Qt.FocusReason.PopupFocusReason
            if self._message >= 0 and not popup and watched is self.prose:
                self._commit()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        rounded(QPainter(self), self.rect(), 7, tokens.float_, tokens.ring, 1.6)
