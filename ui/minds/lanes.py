"""One lane for each person of a proposition: from where to where they knew, suspected or hid it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.core.translation import N_, tr
from app.memory.epistemic.map_view import EpistemicMapView, Stance, Stretch
from ui.controls.labels import plain_tip
from ui.minds.scene_slider import LABEL, Axis, playhead
from ui.minds.tones import DISC, paint_glyph, stroke
from ui.minds.words import how_words, stance_words, stay_words, stretch_words
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.palette import T3_ROLE
from ui.theme.style import rounded
from ui.theme.tokens import Tokens, faded

LANE = 24
FOOT = 32
BAND = 3  # px, of who is there
NOTHING = N_("Choose a matter to see who learned of it, and when.")


def _glyphs(axis: Axis, stretches: Sequence[Stretch]) -> list[float]:
    """Where the glyph of each stretch stands, in px: where it begins, or as much before that as the
    next one needs to be seen whole.
    """
    first = LABEL + DISC / 2 - 6
    found: list[float] = []
    after = math.inf
    for stretch in reversed(stretches):
        after = max(first, min(axis.x(stretch.first), after - DISC))
        found.append(after)
    return found[::-1]


def paint_band(painter: QPainter, band: QRectF, t: Tokens, *, is_away: bool) -> None:
    """That somebody is there, or in a line of a pixel that they are gone."""
    if is_away:
        painter.fillRect(QRectF(band.left(), band.center().y(), band.width(), 1), t.t3)
    else:
        rounded(painter, band, 1, t.t3)


class Lanes(QWidget):
    """Signals:
    message_asked: index of the message where a stretch begins. person_asked: key.
    """

    message_asked = Signal(int)
    person_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._minds: EpistemicMapView | None = None
        self._lanes: list[tuple[str, tuple[Stretch, ...]]] = []
        self._know: Sequence[tuple[int, int]] = ()
        self._proposition = -1
        self._at = self._last = 0
        self._person = ""
        self.setAccessibleName(tr("Who learned of it, and when"))
        self.setForegroundRole(T3_ROLE)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_proposition(self, minds: EpistemicMapView | None, number: int, last: int) -> None:
        """The lanes of a proposition, -1 for none."""
        self._minds, self._proposition, self._last = minds, number, last
        if minds is None or not 0 <= number < len(minds.topics):
            self._lanes, self._know = [], ()
        else:
            found = minds.stretches(number)
            self._lanes = sorted(found.items(), key=lambda lane: lane[1][0].first)
            self._know = minds.knowing(number)
        self._describe()
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    @property
    def has_stays(self) -> bool:
        """Whether it is known of anybody in a lane where they are."""
        minds = self._minds
        return minds is not None and any(minds.stays(person) for person, _ in self._lanes)

    def show_moment(self, at: int, person: str) -> None:
        """Where the playhead stands, and whose lane is in front."""
        if (at, person) != (self._at, self._person):
            self._at, self._person = at, person
            self.update()

    def _describe(self) -> None:
        minds = self._minds
        if minds is None:
            return
        said = [
            f"#{stretch.first}: {stance_words(minds, self._stance(person, stretch))}"
            for person, stretches in self._lanes
            for stretch in stretches
        ]
        self.setAccessibleDescription(". ".join(said))

    def _stance(self, person: str, stretch: Stretch) -> Stance:
        return Stance(person, self._proposition, stretch.attitude, stretch.standing)

    def sizeHint(self) -> QSize:
        return QSize(480, max(1, len(self._lanes)) * LANE + FOOT)

    def _axis(self) -> Axis:
        return Axis(self.width(), self._last)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        axis = self._axis()
        for place, (person, stretches) in enumerate(self._lanes):
            lane = QRectF(8, place * LANE, self.width() - 16, LANE)
            ground = t.stage
            if place % 2 == 0:
                rounded(painter, lane, 5, t.well)
                ground = t.well
            self._write_name(painter, person, lane)
            self._paint_presence(painter, axis, person, lane)
            for stretch, x in zip(stretches, _glyphs(axis, stretches), strict=True):
                self._paint_stretch(painter, axis, stretch, lane, ground, x)
        if not self._lanes:
            painter.setFont(ui_font(12, MEDIUM))
            painter.setPen(t.t3)
            area = QRectF(16, 0, self.width() - 32, LANE)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, tr(NOTHING))
        else:
            self._paint_count(painter, axis)
            playhead(painter, axis, self._at, self.height() - 6)

    def _write_name(self, painter: QPainter, person: str, lane: QRectF) -> None:
        t = current_tokens()
        is_front = person == self._person
        painter.setFont(ui_font(12, SEMIBOLD if is_front else MEDIUM))
        painter.setPen(t.t1 if is_front else t.t2)
        name = self._minds.short(person) if self._minds is not None else ""
        words = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, LABEL - 28)
        area = QRectF(16, lane.top(), LABEL - 24, LANE)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_presence(self, painter: QPainter, axis: Axis, person: str, lane: QRectF) -> None:
        """A thin band where somebody is known to be somewhere, open where they are gone."""
        t = current_tokens()
        for stay in self._minds.stays(person) if self._minds is not None else ():
            left = axis.x(stay.first)
            right = axis.x(self._last if stay.end is None else stay.end)
            band = QRectF(left, lane.bottom() - BAND - 1, max(2.0, right - left - 1), BAND)
            paint_band(painter, band, t, is_away=stay.spot.is_away)

    def _paint_stretch(
        self,
        painter: QPainter,
        axis: Axis,
        stretch: Stretch,
        lane: QRectF,
        ground: QColor,
        glyph: float,
    ) -> None:
        t = current_tokens()
        y = lane.center().y()
        left = axis.x(stretch.first)
        end = axis.x(self._last if stretch.end is None else stretch.end)
        until = min(end, axis.x(self._at))
        is_to_come = stretch.first > self._at
        for begin, over, is_faint in ((left, until, False), (max(left, until), end, True)):
            if over - begin > 1:
                path = QPainterPath(QPointF(begin, y))
                path.lineTo(over, y)
                stroke(painter, path, stretch.attitude, t, ground=ground, is_faint=is_faint)
        paint_glyph(
            painter,
            QPointF(glyph, y),
            stretch.attitude,
            t,
            ground=ground,
            is_faint=is_to_come,
            disc=DISC - 1,
        )

    def _paint_count(self, painter: QPainter, axis: Axis) -> None:
        """How many know it, as steps at the foot."""
        t = current_tokens()
        top = len(self._lanes) * LANE
        painter.fillRect(QRectF(16, top + 3, self.width() - 32, 1), t.line)
        painter.setFont(ui_font(12, MEDIUM))
        painter.setPen(t.t2)
        area = QRectF(16, top + 6, LABEL - 24, FOOT - 8)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, tr("Who knows it"))
        most = max((count for _, count in self._know), default=0)
        for place, (first, count) in enumerate(self._know):
            if not count:
                continue
            after = self._know[place + 1][0] if place + 1 < len(self._know) else self._last
            left, right = axis.x(first), axis.x(after)
            height = 4 + 14 * count / max(1, most)
            bar = QRectF(left, top + FOOT - 4 - height, max(1.0, right - left - 1), height)
            colour = t.included.fill
            rounded(painter, bar, 2, faded(colour, 0.3 if first > self._at else 0.5))
            painter.setFont(ui_font(11, SEMIBOLD))
            painter.setPen(t.t1 if first <= self._at else t.t3)
            if bar.width() > 12:
                words = QRectF(left + 5, top + 8, 30, FOOT - 12)
                painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, str(count))

    # What is under the pointer

    def _at_point(self, point: QPointF) -> tuple[str, Stretch | None]:
        place = int(point.y() // LANE)
        if not 0 <= place < len(self._lanes):
            return "", None
        person, stretches = self._lanes[place]
        index = self._axis().index(point.x())
        begun = [s for s in stretches if self._axis().x(s.first) - DISC / 2 <= point.x()]
        held = [s for s in begun if s.end is None or index <= s.end]
        return person, held[-1] if held and point.x() >= LABEL else None

    def told_at(self, point: QPointF) -> str:
        """What a tip says of a place in the lanes: how somebody stands to it, since when and why,
        and where they are; "" for nothing.
        """
        person, stretch = self._at_point(point)
        minds = self._minds
        if minds is None or not person or point.x() < LABEL:
            return ""
        said: list[str] = []
        if stretch is not None:
            how = how_words(stretch.standing)
            said += [stance_words(minds, self._stance(person, stretch)), stretch_words(stretch)]
            said += [how] if stretch.standing.memory.channel else []
        index = self._axis().index(point.x())
        stays = (s for s in minds.stays(person) if s.first <= index)
        said += [stay_words(s) for s in stays if s.end is None or index < s.end]
        return "\n".join(said)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        person, stretch = self._at_point(event.position())
        if stretch is not None and stretch.first >= 0:
            self.message_asked.emit(stretch.first)
        elif person:
            self.person_asked.emit(person)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        person, stretch = self._at_point(event.position())
        is_link = bool(person) and (stretch is None or stretch.first >= 0)
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.told_at(QPointF(event.pos()))
            if words:
                QToolTip.showText(event.globalPos(), plain_tip(words), self)
            return True
        return super().event(event)
