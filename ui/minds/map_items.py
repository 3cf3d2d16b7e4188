"""What stands on the map: a person, a matter, and the line between them."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPainterPath, QPainterPathStroker
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from app.memory.minds import Stance, Topic
from ui.minds.tones import DISC, paint_glyph, paint_person, paint_veil, stroke
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

PERSON_DISC = 44.0
NAME_WIDTH = 132.0
CARD_HEIGHT = 50.0
RING_GAP = 3.5
GLYPH_STEPS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8)


class PersonItem(QGraphicsItem):
    """A disc with initials and the name under it; its origin is the disc's centre."""

    def __init__(self, key: str, name: str, place: int) -> None:
        super().__init__()
        self.key = key
        self.name = name
        self._place = place
        self.is_chosen = False
        self.has_part = True  # in what is chosen, or nothing is
        self.has_cursor = False
        self.setToolTip(name)
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setZValue(2)

    def boundingRect(self) -> QRectF:
        return QRectF(-NAME_WIDTH / 2, -PERSON_DISC / 2 - 8, NAME_WIDTH, PERSON_DISC + 36)

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        path.addRect(QRectF(-NAME_WIDTH / 2, -PERSON_DISC / 2, NAME_WIDTH, PERSON_DISC + 24))
        return path

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        t = current_tokens()
        disc = QRectF(-PERSON_DISC / 2, -PERSON_DISC / 2, PERSON_DISC, PERSON_DISC)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.has_part:
            painter.setOpacity(0.55)
        paint_person(painter, disc, self.name, self._place, t)
        painter.setOpacity(1.0)
        if self.is_chosen or self.has_cursor:
            ring = disc.adjusted(-RING_GAP, -RING_GAP, RING_GAP, RING_GAP)
            edge = t.ring if self.is_chosen else t.ctl
            rounded(painter, ring, ring.width() / 2, None, edge, 1.8)
        font = ui_font(12, SEMIBOLD if self.is_chosen else MEDIUM)
        painter.setFont(font)
        painter.setPen(t.t1 if self.is_chosen else t.t2 if self.has_part else t.t3)
        area = QRectF(-NAME_WIDTH / 2, PERSON_DISC / 2 + 5, NAME_WIDTH, 18)
        words = QFontMetrics(font).elidedText(
            self.name, Qt.TextElideMode.ElideRight, round(NAME_WIDTH)
        )
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)


class MatterItem(QGraphicsItem):
    """A card with a matter's title and who has how much of it; its origin is its centre."""

    def __init__(self, topic: Topic) -> None:
        super().__init__()
        self.topic = topic
        self.counts = ""
        self.place = ""
        self.is_veiled = False
        self.is_chosen = False
        self.has_cursor = False
        self._width = 250.0
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setZValue(1)

    @property
    def width(self) -> float:
        return self._width

    def set_width(self, width: float) -> None:
        if width != self._width:
            self.prepareGeometryChange()
            self._width = width

    def boundingRect(self) -> QRectF:
        grown = RING_GAP + 2
        return self._card().adjusted(-grown, -grown, grown, grown)

    def _card(self) -> QRectF:
        return QRectF(-self._width / 2, -CARD_HEIGHT / 2, self._width, CARD_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        t = current_tokens()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = self._card()
        rounded(painter, card, 8, t.raised, t.line2)
        if self.is_chosen or self.has_cursor:
            edge = t.ring if self.is_chosen else t.ctl
            rounded(painter, card.adjusted(-2, -2, 2, 2), 10, None, edge, 1.8)
        left = card.left() + 14
        if self.topic.is_secret:
            tone = t.ring if self.is_chosen else t.t3
            dpr = painter.device().devicePixelRatioF()
            painter.drawPixmap(
                QPointF(card.left() + 12, card.top() + 9), icon_pixmap("lock", tone, 14, dpr)
            )
            left += 18
        title = QRectF(left, card.top() + 6, card.right() - 12 - left, 19)
        if self.is_veiled:
            paint_veil(painter, title, self.topic.title, t)
        else:
            font = ui_font(12.5, SEMIBOLD)
            painter.setFont(font)
            painter.setPen(t.t1)
            words = QFontMetrics(font).elidedText(
                self.topic.title, Qt.TextElideMode.ElideRight, round(title.width())
            )
            painter.drawText(title, Qt.AlignmentFlag.AlignVCenter, words)
        foot = QRectF(left, card.top() + 26, card.right() - 12 - left, 17)
        painter.setFont(ui_font(11.5, MEDIUM))
        painter.setPen(t.t3)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(foot, right, self.place)
        room = foot.width() - painter.fontMetrics().horizontalAdvance(self.place) - 8
        painter.setPen(t.t2)
        words = painter.fontMetrics().elidedText(
            self.counts, Qt.TextElideMode.ElideRight, round(room)
        )
        painter.drawText(foot, Qt.AlignmentFlag.AlignVCenter, words)


class GlyphItem(QGraphicsItem):
    """An attitude's icon in a disc, over all lines; its origin is its centre."""

    def __init__(self, stance: Stance) -> None:
        super().__init__()
        self.stance = stance
        self.is_faint = False
        self.setZValue(0.8)

    def boundingRect(self) -> QRectF:
        side = DISC / 2 + 1
        return QRectF(-side, -side, 2 * side, 2 * side)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        t = current_tokens()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_glyph(
            painter, QPointF(), self.stance.attitude, t, ground=t.well, is_faint=self.is_faint
        )


class TieItem(QGraphicsItem):
    """The line from a person to a matter; its glyph is an item beside it."""

    def __init__(self, stance: Stance) -> None:
        super().__init__()
        self.stance = stance
        self.is_faint = False
        self.glyph_item = GlyphItem(stance)
        self._path = QPainterPath()
        self._reach = QPainterPath()
        self.setZValue(0)

    def lead(self, start: QPointF, end: QPointF, taken: set[tuple[int, int]]) -> None:
        """Run from the person to the card; the glyph stands where none of `taken` is near."""
        self.prepareGeometryChange()
        bend = (end.x() - start.x()) * 0.5
        path = QPainterPath(start)
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
        self._path = path
        self._reach = QPainterPath()
        cell = DISC * 1.35
        spots = [path.pointAtPercent(step) for step in GLYPH_STEPS]
        spot = next((p for p in spots if not _near(p, cell) & taken), spots[0])
        taken.add((int(spot.x() // cell), int(spot.y() // cell)))
        self.glyph_item.setPos(spot)

    def set_faint(self, is_faint: bool) -> None:
        """Step back behind what is chosen."""
        if is_faint != self.is_faint:
            self.is_faint = is_faint
            self.setZValue(0 if is_faint else 0.5)
            self.glyph_item.is_faint = is_faint
            self.glyph_item.setZValue(0.8 if is_faint else 0.9)
            self.glyph_item.update()
            self.update()

    def boundingRect(self) -> QRectF:
        return self._path.boundingRect().adjusted(-4, -4, 4, 4)

    def shape(self) -> QPainterPath:
        if self._reach.isEmpty():
            stroker = QPainterPathStroker()
            stroker.setWidth(9)
            self._reach = stroker.createStroke(self._path)
        return self._reach

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        t = current_tokens()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        attitude = self.stance.attitude
        stroke(painter, self._path, attitude, t, ground=t.well, is_faint=self.is_faint)


def _near(point: QPointF, cell: float) -> set[tuple[int, int]]:
    """The cells of a grid within which another glyph would touch one at this point."""
    x, y = point.x() / cell, point.y() / cell
    columns = {int(x // 1), int((x - 0.5) // 1), int((x + 0.5) // 1)}
    lines = {int(y // 1), int((y - 0.5) // 1), int((y + 0.5) // 1)}
    return {(column, line) for column in columns for line in lines}
