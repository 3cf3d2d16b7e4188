"""What stands on the stage while something is read: rows at their final height, then a sentence."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.core.translation import tr
from ui.controls.timers import once
from ui.theme import current_tokens
from ui.theme.fonts import ui_font
from ui.theme.style import rounded

PATIENCE_MS = 400
COLUMN = 640
ROW = 96
GAP = 10


class WaitingPage(QWidget):
    """Still rows of `well`; what is waited for is said after 400 ms."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = tr("Starting up")
        self._is_late = False
        self._patience = once(self, PATIENCE_MS, self._on_late)
        self.setAccessibleName(self._sentence)

    def say(self, sentence: str) -> None:
        """What is waited for."""
        self._sentence = sentence
        self.setAccessibleName(sentence)
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._is_late = False
        self._patience.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._patience.stop()

    def _on_late(self) -> None:
        self._is_late = True
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        width = min(COLUMN, self.width() - 48)
        left = (self.width() - width) / 2
        top = 84.0
        while top < self.height() - ROW:
            rounded(painter, QRectF(left, top, width, ROW), 8, t.well)
            top += ROW + GAP
        if self._is_late:
            painter.setFont(ui_font(12.5))
            painter.setPen(t.t2)
            area = QRectF(left, 40, width, 24)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, self._sentence)
