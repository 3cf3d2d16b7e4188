"""Small drawings beside the chart: what the parts of a bar stand for, and how full a day is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.core.translation import N_, tr
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.style import rounded

PARTS = ((N_("Read by the model"), "ctl"), (N_("Written"), "t1"))
SWATCH, GAP, APART = 8, 6, 16


class ReadWritten(QWidget):
    """Two swatches with their words."""

    def __init__(self) -> None:
        super().__init__()
        self.setFont(ui_font(11, MEDIUM))
        self.setAccessibleName(tr("Read by the model below, written above"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        words = sum(self.fontMetrics().horizontalAdvance(tr(word)) for word, _ in PARTS)
        return QSize(words + len(PARTS) * (SWATCH + GAP + 2) + APART, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current_tokens(), QPainter(self)
        x = 0.0
        for english, token in PARTS:
            word = tr(english)
            swatch = QRectF(x, (self.height() - SWATCH) / 2, SWATCH, SWATCH)
            rounded(painter, swatch, 2, getattr(t, token))
            x += SWATCH + GAP
            width = self.fontMetrics().horizontalAdvance(word) + 2
            painter.setFont(self.font())
            painter.setPen(t.t2)
            left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(x, 0, width, self.height()), left, word)
            x += width + APART


class CapGauge(QWidget):
    """How much of a day's cap is used; red when nothing is left."""

    def __init__(self) -> None:
        super().__init__()
        self._share = 0.0
        self.setFixedHeight(6)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_share(self, share: float, words: str) -> None:
        """0 to 1, and the same in words."""
        self._share = max(0.0, min(1.0, share))
        self.setAccessibleName(words)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current_tokens(), QPainter(self)
        area = QRectF(self.rect())
        rounded(painter, area, 3, t.well, t.line2)
        if self._share:
            filled = QRectF(0, 0, max(6.0, area.width() * self._share), area.height())
            rounded(painter, filled, 3, t.out_of_budget.fill if self._share >= 1 else t.ctl)
