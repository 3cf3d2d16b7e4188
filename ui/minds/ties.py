"""The lines of the map, drawn as one: several hundred items of their own would each cost a call."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPainterPath, QPainterPathStroker
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from app.memory.epistemic.map_view import Stance
from ui.minds.tones import DISC, paint_glyph, stroke
from ui.theme import current_tokens

GLYPH_STEPS = (0.5, 0.43, 0.57, 0.36, 0.64, 0.29, 0.71, 0.22, 0.78, 0.16, 0.84)
CELL = DISC * 1.2  # px between two glyphs, at least
REACH = 9.0  # px, as near as a pointer has to come to a line


class Tie:
    """The line from a person to a proposition, and where its glyph stands on it."""

    def __init__(self, stance: Stance) -> None:
        self.stance = stance
        self.is_faint = False
        self.glyph = QPointF()
        self.path = QPainterPath()
        self.box = QRectF()

    def lead(
        self, start: tuple[float, float], end: tuple[float, float], taken: set[tuple[int, int]]
    ) -> None:
        """Run from the person to the card; the glyph stands where none of `taken` is near."""
        (x0, y0), (x1, y1) = start, end
        bend = (x1 - x0) / 2
        self.path = QPainterPath(QPointF(x0, y0))
        self.path.cubicTo(x0 + bend, y0, x1 - bend, y1, x1, y1)
        side = DISC / 2 + 4
        self.box = QRectF(min(x0, x1), min(y0, y1) - side, abs(x1 - x0), abs(y1 - y0) + 2 * side)
        spots = ((x0 + (x1 - x0) * _across(u), y0 + (y1 - y0) * _down(u)) for u in GLYPH_STEPS)
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        x, y = next((spot for spot in spots if not _near(*spot) & taken), middle)
        taken.add((int(x // CELL), int(y // CELL)))
        self.glyph = QPointF(x, y)

    def is_at(self, point: QPointF) -> bool:
        """Whether a pointer at this point means the line."""
        if not self.box.contains(point):
            return False
        way = point - self.glyph
        if way.x() ** 2 + way.y() ** 2 <= (DISC / 2) ** 2:
            return True
        stroker = QPainterPathStroker()
        stroker.setWidth(REACH)
        return stroker.createStroke(self.path).contains(point)


class TiesItem(QGraphicsItem):
    """All lines, the faint ones under the others, and their glyphs over them."""

    def __init__(self) -> None:
        super().__init__()
        self._ties: Sequence[Tie] = ()
        self._area = QRectF()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.setZValue(-1)

    def show_ties(self, ties: Sequence[Tie], area: QRectF) -> None:
        """Draw these; area: of the whole map."""
        if area != self._area:
            self.prepareGeometryChange()
            self._area = area
        self._ties = sorted(ties, key=lambda tie: not tie.is_faint)
        self.update()

    def boundingRect(self) -> QRectF:
        return self._area

    def shape(self) -> QPainterPath:
        return QPainterPath()  # the view asks the ties

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        t = current_tokens()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        exposed = option.exposedRect
        seen = [tie for tie in self._ties if tie.box.intersects(exposed)]
        for tie in seen:
            attitude = tie.stance.attitude
            stroke(painter, tie.path, attitude, t, ground=t.well, is_faint=tie.is_faint)
        grown = exposed.adjusted(-DISC, -DISC, DISC, DISC)
        for tie in seen:
            if grown.contains(tie.glyph):
                attitude = tie.stance.attitude
                paint_glyph(painter, tie.glyph, attitude, t, ground=t.well, is_faint=tie.is_faint)


def _across(u: float) -> float:
    """Share of the way to the side at `u` of the curve; its inner points lie half way."""
    v = 1 - u
    return 1.5 * v * v * u + 1.5 * v * u * u + u**3


def _down(u: float) -> float:
    """Share of the way down at `u` of the curve."""
    return 3 * (1 - u) * u * u + u**3


def _near(x: float, y: float) -> set[tuple[int, int]]:
    """The cells within which another glyph would touch one at this point."""
    x, y = x / CELL, y / CELL
    columns = [int((x + step) // 1) for step in (-1, 0, 1)]
    lines = [int((y + step) // 1) for step in (-1, 0, 1)]
    return {(column, line) for column in columns for line in lines}
