"""Single lines of text on a painter: what they measure and where they end."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, REGULAR, SEMIBOLD, display_font, ui_font

HATCH_SIDE = 4


class Letters:
    """A font with its metrics, made once: asking Qt anew costs more than the drawing."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self.metrics = QFontMetricsF(font)

    def width(self, text: str) -> float:
        """Advance of one line in px."""
        return self.metrics.horizontalAdvance(text)

    def draw(
        self,
        painter: QPainter,
        text: str,
        colour: QColor,
        left: float,
        middle: float,
        room: float | None = None,
    ) -> float:
        """Draw one line centred on `middle`, cut to `room` px; returns where it ends."""
        if room is not None:
            if room <= 0:
                return left
            text = self.metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter.setFont(self.font)
        painter.setPen(colour)
        # Centred on the height of capitals, as rows of icons and words want it.
        baseline = middle + self.metrics.capHeight() / 2
        painter.drawText(QPointF(left, round(baseline)), text)
        return left + self.width(text)

    def draw_right(
        self, painter: QPainter, text: str, colour: QColor, right: float, middle: float
    ) -> float:
        """Draw one line that ends at `right`; returns where it begins."""
        left = right - self.width(text)
        self.draw(painter, text, colour, left, middle)
        return left


@cache
def letters(px: float, weight: QFont.Weight = REGULAR) -> Letters:
    """The interface's font in one size and weight."""
    return Letters(ui_font(px, weight))


def meta() -> Letters:
    return letters(11)


@cache
def scene_number() -> Letters:
    """A scene's number on its divider."""
    return Letters(display_font(15))


def loud_meta() -> Letters:
    return letters(11, SEMIBOLD)


@cache
def _hatch_tile(ink: str, alpha: int, ground: str, ground_alpha: int, width: float) -> QPixmap:
    scale = 4  # drawn large and scaled down by the brush's transform, so that strokes stay smooth
    side = HATCH_SIDE * scale
    tile = QPixmap(side, side)
    base = QColor(ground)
    base.setAlpha(ground_alpha)
    tile.fill(base)
    stroke = QColor(ink)
    stroke.setAlpha(alpha)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(stroke, width * scale))
    for shift in (-side, 0, side):
        painter.drawLine(shift, side, shift + side, 0)
    painter.end()
    return tile


def hatch_brush(ink: QColor, ground: QColor) -> QBrush:
    """Diagonal strokes of `ink` on `ground`: not as it stands (spec/look.md §1)."""
    from PySide6.QtGui import QTransform

    width = current_tokens().hatch_width
    tile = _hatch_tile(ink.name(), ink.alpha(), ground.name(), ground.alpha(), width)
    brush = QBrush(tile)
    brush.setTransform(QTransform.fromScale(1 / 4, 1 / 4))
    return brush


@cache
def _pattern_tile(name: str, ink: str, alpha: int, ground: str, ground_alpha: int) -> QPixmap:
    side = HATCH_SIDE * 4
    tile = QPixmap(side, side)
    base = QColor(ground)
    base.setAlpha(ground_alpha)
    tile.fill(base)
    mark = QColor(ink)
    mark.setAlpha(alpha)
    painter = QPainter(tile)
    if name == "lines":
        painter.fillRect(0, 0, side, side // 2, mark)
    elif name == "columns":
        painter.fillRect(0, 0, side // 2, side, mark)
    else:
        painter.fillRect(0, 0, side // 2, side // 2, mark)
        painter.fillRect(side // 2, side // 2, side // 2, side // 2, mark)
    painter.end()
    return tile


def pattern_brush(name: str, ink: QColor, ground: QColor) -> QBrush:
    """Level "lines", upright "columns", or a "grid" of dots, of `ink` on `ground`."""
    from PySide6.QtGui import QTransform

    tile = _pattern_tile(name, ink.name(), ink.alpha(), ground.name(), ground.alpha())
    brush = QBrush(tile)
    brush.setTransform(QTransform.fromScale(1 / 4, 1 / 4))
    return brush


def key_cap(
    painter: QPainter, key: str, right: float, middle: float, edge: QColor, ink: QColor
) -> float:
    """Draw a key hint in its frame, ending at `right`; returns where it begins."""
    face = letters(10, MEDIUM)
    width = max(16.0, face.width(key) + 8)
    frame = QRectF(right - width, round(middle) - 9, width, 18)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(edge, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    painter.restore()
    face.draw(painter, key, ink, frame.center().x() - face.width(key) / 2, middle)
    return frame.left()


def centre_square(area: QRect | QRectF, side: float) -> QPointF:
    """Top left of a square of `side` px in the middle of an area, on whole pixels."""
    middle = QRectF(area).center()
    return QPointF(round(middle.x() - side / 2), round(middle.y() - side / 2))
