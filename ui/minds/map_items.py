"""What stands on the map: a person and a proposition."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from app.memory.epistemic.map_view import Topic
from ui.controls.labels import plain_tip
from ui.minds.tones import paint_person, paint_veil, sharpness
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

PERSON_DISC = 44.0
NAME_WIDTH = 132.0
CARD_HEIGHT = 46.0
RING_GAP = 3.5


class PersonItem(QGraphicsItem):
    """A disc with initials and the name under it; its origin is the disc's centre."""

    def __init__(self, key: str, name: str, place: int) -> None:
        super().__init__()
        self.key = key
        self.name = name
        self._place = place
        self.is_chosen = False
        self.has_part = True  # in what is chosen, or nothing is
        self.setToolTip(plain_tip(name))
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setZValue(2)

    def show_part(self, *, is_chosen: bool, has_part: bool) -> None:
        """Whether it is chosen, and has a part in what is."""
        if (is_chosen, has_part) != (self.is_chosen, self.has_part):
            self.is_chosen, self.has_part = is_chosen, has_part
            self.update()

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
        if not self.has_part and not t.is_contrast:
            painter.setOpacity(0.55)
        paint_person(painter, disc, self.name, self._place, t)
        painter.setOpacity(1.0)
        if self.is_chosen:
            ring = disc.adjusted(-RING_GAP, -RING_GAP, RING_GAP, RING_GAP)
            rounded(painter, ring, ring.width() / 2, None, t.ring, 1.8)
        font = ui_font(12, SEMIBOLD if self.is_chosen else MEDIUM)
        painter.setFont(font)
        painter.setPen(t.t1 if self.is_chosen else t.t2 if self.has_part else t.t3)
        area = QRectF(-NAME_WIDTH / 2, PERSON_DISC / 2 + 5, NAME_WIDTH, 18)
        words = QFontMetrics(font).elidedText(
            self.name, Qt.TextElideMode.ElideRight, round(NAME_WIDTH)
        )
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)


class PropositionItem(QGraphicsItem):
    """A card with a proposition's title and who has how much of it; its origin is its centre."""

    def __init__(self, topic: Topic) -> None:
        super().__init__()
        self.topic = topic
        self.counts = ""
        self.place = ""
        self.is_veiled = False
        self.is_chosen = False
        self._width = 250.0
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setZValue(1)

    def show_state(
        self,
        *,
        counts: str | None = None,
        place: str | None = None,
        is_veiled: bool | None = None,
        is_chosen: bool | None = None,
    ) -> None:
        """Change what is given; drawn anew only where something is another now."""
        new = (
            self.counts if counts is None else counts,
            self.place if place is None else place,
            self.is_veiled if is_veiled is None else is_veiled,
            self.is_chosen if is_chosen is None else is_chosen,
        )
        if new != (self.counts, self.place, self.is_veiled, self.is_chosen):
            self.counts, self.place, self.is_veiled, self.is_chosen = new
            self.update()

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
        if self.is_chosen:
            rounded(painter, card.adjusted(-2, -2, 2, 2), 10, None, t.ring, 1.8)
        left = card.left() + 14
        if self.topic.is_secret:
            tone = t.ring if self.is_chosen else t.t3
            painter.drawPixmap(
                QPointF(card.left() + 12, card.top() + 7),
                icon_pixmap("lock", tone, 14, sharpness(painter)),
            )
            left += 18
        title = QRectF(left, card.top() + 4, card.right() - 12 - left, 19)
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
        foot = QRectF(left, card.top() + 24, card.right() - 12 - left, 17)
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
