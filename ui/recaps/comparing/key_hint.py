"""A key and what it does, to read and to press."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton

from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.style import rounded


class KeyHint(QAbstractButton):
    """A key and what it does; a press does it, too.

    Signals:
        pressed_key: its name.
    """

    pressed_key = Signal(str)

    def __init__(self, key: str, shortcut: str, word: str) -> None:
        super().__init__()
        self._name = key
        self._key = shortcut
        self.setText(word)
        self.setAccessibleName(word)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(self._on_clicked)

    def set_word(self, word: str) -> None:
        """Say something else."""
        if word != self.text():
            self.setText(word)
            self.setAccessibleName(word)
            self.updateGeometry()

    def set_key(self, key: str) -> None:
        """Another key does it now."""
        if key != self._key:
            self._key = key
            self.updateGeometry()
            self.update()

    def _on_clicked(self) -> None:
        self.pressed_key.emit(self._name)

    def _key_width(self) -> int:
        return QFontMetrics(ui_font(10.5, MEDIUM)).horizontalAdvance(self._key) + 12

    def _words_width(self) -> int:
        return QFontMetrics(ui_font(12)).horizontalAdvance(self.text())

    def sizeHint(self) -> QSize:
        return QSize(self._key_width() + 7 + self._words_width() + 2, 20)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._key_width(), 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        is_lit = self.isEnabled() and self.underMouse()
        cap = QRectF(0, 1, self._key_width(), 18)
        rounded(painter, cap, 4, t.hover if is_lit else t.raised, t.line2)
        painter.setFont(ui_font(10.5, MEDIUM))
        painter.setPen(t.t2 if self.isEnabled() else t.t3)
        painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, self._key)
        painter.setFont(ui_font(12))
        painter.setPen(t.t1 if is_lit else t.t3)
        room = self.width() - cap.width() - 7
        words = painter.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, int(room)
        )
        area = QRectF(cap.right() + 7, 0, room, 20)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
