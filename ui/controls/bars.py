"""Bars: how much of a budget a text takes, and what is cut."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.core.translation import tr
from ui.theme import current_tokens
from ui.theme.style import rounded

HATCH_STEP = 4.0


def hatch(painter: QPainter, area: QRectF, colour: QColor, *, radius: float = 2.0) -> None:
    """Diagonal strokes clipped to a rounded area."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    clip = QPainterPath()
    clip.addRoundedRect(area, radius, radius)
    painter.setClipPath(clip)
    painter.setPen(QPen(colour, current_tokens().hatch_width))
    x = area.left() - area.height()
    while x < area.right() + area.height():
        painter.drawLine(
            QRectF(x, area.top(), area.height(), area.height()).bottomLeft(),
            QRectF(x, area.top(), area.height(), area.height()).topRight(),
        )
        x += HATCH_STEP
    painter.restore()


class BudgetBar(QWidget):
    """What is used of a budget; past the budget's mark a hatch for what was cut.

    The scale reaches to `scale` tokens, so that several bars can share one.
    """

    def __init__(self, *, height: int = 8, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._used = 0
        self._budget = 0
        self._wanted = 0
        self._scale = 1
        self._fill: QColor | None = None
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_values(
        self,
        used: int,
        budget: int,
        *,
        wanted: int | None = None,
        scale: int | None = None,
        fill: QColor | None = None,
    ) -> None:
        """All in tokens. wanted: without the budget. scale: tokens at the full width."""
        self._used, self._budget = used, budget
        self._wanted = used if wanted is None else wanted
        self._scale = max(1, scale if scale is not None else max(budget, self._wanted))
        self._fill = fill
        self.setAccessibleName(tr("{used} of {budget} tokens", used=used, budget=budget))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(80, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        height = float(self.height())
        radius = min(4.0, height / 2)

        def at(tokens: int) -> float:
            return self.width() * min(tokens, self._scale) / self._scale

        track = QRectF(0, 0, max(height, at(self._budget)), height)
        rounded(painter, track, radius, t.well, t.line2)
        is_cut = self._wanted > self._used and self._wanted > self._budget
        if self._used > 0:
            filled = QRectF(0, 0, max(radius * 2, at(self._used)), height)
            rounded(painter, filled, radius, self._fill or t.included.fill)
        if is_cut:
            edge = at(max(self._budget, self._used))
            rest = QRectF(edge + 2, 1, max(3.0, at(self._wanted) - edge - 2), height - 2)
            hatch(painter, rest, t.out_of_budget.text)
            painter.fillRect(QRectF(edge - 1, -1, 2, height + 2), t.out_of_budget.text)


class ProgressLine(QWidget):
    """A thin bar of real steps."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._share = 0.0
        self.setFixedHeight(4)

    def set_share(self, share: float) -> None:
        """0 to 1."""
        self._share = max(0.0, min(1.0, share))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        rounded(painter, self.rect(), 2, t.well)
        if self._share > 0:
            done = QRectF(0, 0, max(4.0, self.width() * self._share), self.height())
            painter.setBrush(QBrush(t.accent))
            rounded(painter, done, 2, t.accent)
