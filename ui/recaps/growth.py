"""How a recap grew: its tokens from version to version, under the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.core.translation import number, tr
from ui.recaps.version_rows import LEFT, RIGHT
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font

HEIGHT = 156
TOP, FOOT = 40.0, 24.0
LEAST_APART = 9.0  # px between two points that are drawn one by one


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """One version. side: LEFT or RIGHT when it is compared, else ""."""

    word: str
    tokens: int
    side: str = ""


class GrowthLine(QWidget):
    """A line over all versions, oldest first. Hidden for fewer than two."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: Sequence[GrowthPoint] = ()
        self._budget = 0
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_points(self, points: Sequence[GrowthPoint], budget: int) -> None:
        """budget: in tokens, 0 for none."""
        self._points, self._budget = points, budget
        self.setVisible(len(points) > 1)
        words = ", ".join(f"{point.word} {point.tokens}" for point in points)
        if budget:
            words = tr(
                "Growth in tokens of a budget of {budget}: {points}",
                budget=number(budget),
                points=words,
            )
        else:
            words = tr("Growth in tokens: {points}", points=words)
        self.setAccessibleName(words)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(196, HEIGHT)

    def _places(self) -> list[QPointF]:
        area, top = self._area, self._top
        step = area.width() / max(1, len(self._points) - 1)
        return [
            QPointF(area.left() + number * step, self._height_of(point.tokens, top))
            for number, point in enumerate(self._points)
        ]

    @property
    def _area(self) -> QRectF:
        return QRectF(5, TOP, self.width() - 12, self.height() - TOP - FOOT)

    @property
    def _top(self) -> float:
        """Tokens at the upper end: those of the longest version, or its budget."""
        most = max((point.tokens for point in self._points), default=1)
        # A budget far above would press the line flat: the scale then ends at the line.
        return float(max(self._budget, most)) if self._shows_budget else most * 1.1

    @property
    def _shows_budget(self) -> bool:
        most = max((point.tokens for point in self._points), default=1)
        return 0 < self._budget < 2.5 * most

    def _height_of(self, tokens: float, top: float) -> float:
        """Where so many tokens stand, px from above; top: those at the upper end."""
        return self._area.bottom() - self._area.height() * tokens / max(1.0, top)

    @property
    def budget_line(self) -> float | None:
        """Where the budget stands, px from above; None where it is not drawn."""
        return self._height_of(self._budget, self._top) if self._shows_budget else None

    @property
    def heights(self) -> tuple[float, ...]:
        """Where the versions stand, px from above, oldest first."""
        return tuple(place.y() for place in self._places())

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        painter.fillRect(QRectF(0, 0, self.width(), 1), t.line)
        painter.setFont(ui_font(12, MEDIUM))
        painter.setPen(t.t2)
        head = QRectF(0, 10, self.width(), 20)
        painter.drawText(head, Qt.AlignmentFlag.AlignLeft, tr("Growth"))
        if self._budget:
            words = tr("{budget} budget", budget=number(self._budget))
            painter.setPen(t.t3)
            painter.drawText(head, Qt.AlignmentFlag.AlignRight, words)
        places = self._places()
        if len(places) < 2:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = self.budget_line
        if line is not None:
            painter.setPen(QPen(t.line2, 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(0, line + 0.5), QPointF(self.width(), line + 0.5))
        floor = self.height() - FOOT
        ground = QPolygonF([QPointF(places[0].x(), floor), *places, QPointF(places[-1].x(), floor)])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(t.raised if t.is_dark else t.line)
        painter.drawPolygon(ground)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(t.t3, 1.35))
        painter.drawPolyline(QPolygonF(places))
        self._paint_points(painter, places)

    def _paint_points(self, painter: QPainter, places: list[QPointF]) -> None:
        t = current_tokens()
        apart = places[1].x() - places[0].x()
        inks = {LEFT: t.out_of_budget.text, RIGHT: t.included.text}
        for point, place in zip(self._points, places, strict=True):
            if point.side or apart >= LEAST_APART:
                painter.setBrush(t.chrome)
                painter.setPen(QPen(inks.get(point.side, t.t3), 1.6))
                painter.drawEllipse(place, 2.7, 2.7)
        painter.setFont(ui_font(10, MEDIUM))
        metrics = painter.fontMetrics()
        free = -100.0
        last = len(places) - 1
        end = places[last].x() - metrics.horizontalAdvance(self._points[last].word)
        for nth, (point, place) in enumerate(zip(self._points, places, strict=True)):
            if nth != last and place.x() < free:
                continue  # among thousands hardly one has room: measured are those alone
            half = metrics.horizontalAdvance(point.word) / 2
            left = max(0.0, min(place.x() - half, self.width() - 2 * half))
            # The last one is always named; others where there is room.
            if nth != last and (left < free or left + 2 * half + 4 > end):
                continue
            painter.setPen(QColor(t.t1 if point.side else t.t3))
            area = QRectF(left, self.height() - FOOT + 9, 2 * half + 2, 14)
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft, point.word)
            free = left + 2 * half + 5
