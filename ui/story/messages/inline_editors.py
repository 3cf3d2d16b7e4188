"""Editors that lie over the row they change: a scene's name, a message's recap."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import tr
from ui.controls.buttons import Button, ButtonRole
from ui.controls.fields import FIELD_HEIGHT, Field
from ui.controls.prose import Prose
from ui.story.messages.chat_view import ChatView
from ui.theme.source import ThemeSource
from ui.theme.style import rounded

LONGEST_NAME = 200
NAME_WIDTH = 320
RECAP_HEIGHT = 124


class NameEditor(Field):
    """One line over a divider. Return or leaving keeps the name, Escape the old one.

    Signals:
        committed: (scene index, name), only when the name is another one.
    """

    committed = Signal(int, str)

    def __init__(self, view: ChatView) -> None:
        super().__init__(tr("Name of the scene"), parent=view.viewport())
        self._view = view
        self._scene = -1
        self._before = ""
        self._row = QPersistentModelIndex()
        self.setMaxLength(LONGEST_NAME)
        self.setPlaceholderText(tr("Name of the scene"))
        self.hide()
        view.verticalScrollBar().valueChanged.connect(self._lie_over)
        view.viewport().installEventFilter(self)

    def edit(self, scene: int, name: str, row: int) -> None:
        """Lie over a scene's row and take the keyboard."""
        self._scene, self._before = scene, name
        self._row = QPersistentModelIndex(self._view.model().index(row, 0))
        self.setText(name)
        self._lie_over()
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.selectAll()

    def _lie_over(self, _value: int = 0) -> None:
        if self._scene >= 0 and self._row.isValid():
            column, area = self._view.column, self._view.row_rect(self._row.row())
            width = min(NAME_WIDTH, column.text_width)
            self.setGeometry(column.text_left - 8, area.y() + 4, width, FIELD_HEIGHT)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._lie_over()
        return False

    def _commit(self) -> None:
        scene, name = self._scene, self.text().strip()
        self._end()
        if scene >= 0 and name and name != self._before:
            self.committed.emit(scene, name)

    def _end(self) -> None:
        had_focus = self.hasFocus()
        self._scene = -1
        self.hide()
        if had_focus:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Neither goes on to the column, which would fold the scene at once.
        if event.key() == Qt.Key.Key_Escape:
            self._end()
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
    """A few lines under a message. Ctrl S, Ctrl Return or leaving keeps them, Escape the old ones.

    Signals:
        committed: (message index, text), only when the text is another one.
    """

    committed = Signal(int, str)

    def __init__(self, view: ChatView, theme: ThemeSource) -> None:
        super().__init__(view.viewport())
        self._view = view
        self._theme = theme
        self._message = -1
        self._before = ""
        self._row = QPersistentModelIndex()
        self.prose = Prose(tr("Recap of this message"), parent=self)
        self.prose.setReadOnly(False)
        self.prose.setPlaceholderText(tr("What this message adds to the story"))
        self.prose.installEventFilter(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        column.setSpacing(4)
        column.addWidget(self.prose)
        self.drop = Button(tr("Discard changes"), role=ButtonRole.QUIET, hint="Esc")
        self.keep = Button(tr("Keep"), icon="check", role=ButtonRole.MAIN, hint=tr("Ctrl S"))
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        for button, slot in ((self.drop, self._end), (self.keep, self._commit)):
            button.clicked.connect(slot)
            button.installEventFilter(self)
            foot.addWidget(button)
        column.addLayout(foot)
        self.hide()
        self.prose.committed.connect(self._commit)
        self.prose.escaped.connect(self._end)
        view.verticalScrollBar().valueChanged.connect(self._lie_over)
        view.viewport().installEventFilter(self)

    def edit(self, message: int, text: str, row: int) -> None:
        """Lie over the foot of a message's row and take the keyboard."""
        self._message, self._before = message, text
        self._row = QPersistentModelIndex(self._view.model().index(row, 0))
        self._lie_over()
        self.prose.set_text(text)
        self.show()
        self.raise_()
        self.prose.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lie_over(self, _value: int = 0) -> None:
        if self._message >= 0 and self._row.isValid():
            column, height = self._view.column, self._view.viewport().height()
            area = self._view.row_rect(self._row.row())
            top = max(min(area.bottom() - 34, height - RECAP_HEIGHT - 8), 4)
            left, width = column.text_left - 10, column.text_width + 20
            self.setGeometry(left, top, width, RECAP_HEIGHT)

    def _commit(self) -> None:
        message, text = self._message, self.prose.toPlainText().strip()
        self._end()
        if message >= 0 and text != self._before:
            self.committed.emit(message, text)

    def _end(self) -> None:
        had_focus = self._has_focus
        self._message = -1
        self.hide()
        if had_focus:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._lie_over()
        elif watched is self.prose and isinstance(event, QKeyEvent):
            is_press = event.type() == QEvent.Type.KeyPress
            if is_press and event.matches(QKeySequence.StandardKey.Save):
                self._commit()
                return True
        elif isinstance(event, QFocusEvent) and event.lostFocus() and self._message >= 0:
            is_menu = event.reason() == Qt.FocusReason.PopupFocusReason
            is_ours = watched in (self.prose, self.keep, self.drop)
            if is_ours and not is_menu and not self._has_focus:
                self._commit()
        return False

    @property
    def _has_focus(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        rounded(QPainter(self), self.rect(), 7, tokens.float_, tokens.ring, 1.6)
