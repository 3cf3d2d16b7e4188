"""The story as a ruler of its scenes, with a playhead that replays how knowledge spread."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QSlider, QToolTip, QWidget

from app.core.translation import tr
from app.story.story import Story
from ui.controls.labels import plain_tip
from ui.minds.words import scene_words
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.style import rounded

LEAST_NAME = 90  # px that a scene's name is begun in where it has to be cut
LABEL = 118  # px at the left, for names
RIGHT = 22
FLAG = (44, 18)
CLIP = 22
NARROWEST = 3  # px from one scene to the next that are told apart
LEAST_WORDS = 14  # px of a scene that has room for its number
HEIGHT = FLAG[1] + 4 + CLIP + 2


@dataclass(frozen=True, slots=True)
class Axis:
    """Where messages stand on a line of `width` px in all; last: index of the newest."""

    width: float
    last: int

    def x(self, index: float) -> float:
        """Where a message ends, in px; -1 is where the story begins."""
        room = max(1.0, self.width - LABEL - RIGHT)
        share = (max(-1.0, min(index, float(self.last))) + 1) / (self.last + 1)
        return LABEL + room * share

    def index(self, x: float) -> int:
        """Which message stands there."""
        room = max(1.0, self.width - LABEL - RIGHT)
        return max(0, min(self.last, int((x - LABEL) / room * (self.last + 1))))


class SceneSlider(QSlider):
    """Its value is the index of a message. Arrows go from scene to scene, with Shift from message
    to message.

    Signals:
        play_asked: Space was pressed.
    """

    play_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._firsts: list[int] = []
        self._lasts: list[int] = []
        self._story: Story | None = None
        self.setAccessibleName(tr("Moment of the story, by scenes"))
        self.setToolTip("")
        self.setMaximum(0)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.valueChanged.connect(self._describe)

    @property
    def axis(self) -> Axis:
        return Axis(self.width(), self.maximum())

    def show_story(self, story: Story) -> None:
        """The scenes of a story, by number and name."""
        self._firsts = [scene.first for scene in story.scenes]
        self._lasts = [scene.last for scene in story.scenes]
        self._story = story
        self._describe()
        self.update()

    @property
    def scene(self) -> int:
        """Place of the scene that is looked at."""
        return max(0, bisect_right(self._firsts, self.value()) - 1)

    def scene_words(self) -> str:
        """Number and name of the scene that is looked at."""
        return self._words_of(self.scene)

    def _words_of(self, place: int) -> str:
        if self._story is None or not 0 <= place < len(self._story.scenes):
            return ""
        return scene_words(self._story, self._story.scenes[place])

    def step_scene(self, way: int) -> None:
        """Go to the end of the next scene, or of the one before."""
        if way > 0:
            place = bisect_right(self._lasts, self.value())
        else:
            place = bisect_left(self._lasts, self.value()) - 1
        if 0 <= place < len(self._lasts):
            self.setValue(self._lasts[place])
        elif place >= len(self._lasts):
            self.setValue(self.maximum())

    def _describe(self, _value: int = 0) -> None:
        self.setAccessibleDescription(
            tr("Scene {scene}, message {message}", scene=self.scene_words(), message=self.value())
        )

    def sizeHint(self) -> QSize:
        return QSize(480, HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ways = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_PageUp: -1,
            Qt.Key.Key_PageDown: 1,
        }
        way = ways.get(Qt.Key(event.key()), 0)
        if way and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.setValue(self.value() + way)
        elif way:
            self.step_scene(way)
        elif event.key() == Qt.Key.Key_Home and self._lasts:
            self.setValue(self._lasts[0])
        elif event.key() == Qt.Key.Key_End:
            self.setValue(self.maximum())
        elif event.key() == Qt.Key.Key_Space:
            self.play_asked.emit()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.step_scene(-1 if event.angleDelta().y() > 0 else 1)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        x = event.position().x()
        if abs(x - self.axis.x(self.value())) > FLAG[0] / 2 and x >= LABEL:
            place = bisect_right(self._firsts, self.axis.index(x)) - 1
            if 0 <= place < len(self._lasts):  # a scene is what one aims at; dragging is exact
                self.setValue(self._lasts[place])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.setValue(self.axis.index(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        return

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = bisect_right(self._firsts, self.axis.index(event.pos().x())) - 1
            if event.pos().x() >= LABEL and 0 <= place < len(self._lasts):
                span = tr("#{first} to #{last}", first=self._firsts[place], last=self._lasts[place])
                tip = f"{self._words_of(place)}\n{span}"
                QToolTip.showText(event.globalPos(), plain_tip(tip), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        axis, top = self.axis, FLAG[1] + 4
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(ui_font(12, SEMIBOLD))
        painter.setPen(t.t2)
        painter.drawText(QRectF(16, top, LABEL - 24, CLIP), middle, tr("Scene"))
        here = self.scene
        for place in self._seen():
            first, last = self._firsts[place], self._lasts[place]
            left, right = axis.x(first - 1), axis.x(last)
            area = QRectF(left + 1.5, top, max(2.0, right - left - 3), CLIP)
            is_here = place == here
            rounded(painter, area, 4, t.raised if is_here else t.well, t.ctl if is_here else t.line)
            if area.width() < LEAST_WORDS:
                continue
            painter.setFont(ui_font(11, SEMIBOLD if is_here else MEDIUM))
            painter.setPen(t.t1 if is_here else t.t3)
            self._write(painter, area, self._words_of(place))
        self._paint_flag(painter, axis.x(self.value()))

    def _seen(self) -> Iterator[int]:
        """Places of the scenes to paint: of those that stand on the same px one is enough."""
        axis, here, place = self.axis, self.scene, 0
        while place < len(self._lasts):
            yield place
            beside = axis.index(axis.x(self._lasts[place]) + NARROWEST)
            after = max(place + 1, bisect_left(self._lasts, beside))
            place = here if place < here < after else after

    def _write(self, painter: QPainter, area: QRectF, words: str) -> None:
        """The number and as much of the name as there is room for; else the number, or nothing."""
        metrics, room = painter.fontMetrics(), area.width() - 10
        number = words.split(" ", 1)[0]
        if room < metrics.horizontalAdvance(number):
            return
        if metrics.horizontalAdvance(words) > room < LEAST_NAME:  # a few letters tell nothing
            words = number
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(area.adjusted(5, 0, -5, 0), Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_flag(self, painter: QPainter, x: float) -> None:
        t = current_tokens()
        painter.fillRect(QRectF(x - 1, FLAG[1] - 2, 2, self.height()), t.ring)
        left = max(2.0, min(x - FLAG[0] / 2, self.width() - FLAG[0] - 2.0))
        flag = QRectF(left, 0, *FLAG)
        rounded(painter, flag, 5, t.accent)
        if self.hasFocus():
            rounded(painter, flag.adjusted(-2, -2, 2, 2), 6, None, t.ring, 1.4)
        painter.setFont(ui_font(11, SEMIBOLD))
        painter.setPen(t.accent_ink)
        painter.drawText(flag, Qt.AlignmentFlag.AlignCenter, f"#{self.value()}")


def playhead(painter: QPainter, axis: Axis, value: int, height: float) -> None:
    """The line of the moment over what hangs on the same axis."""
    x = axis.x(value)
    painter.fillRect(QRectF(QPointF(x - 1, 0), QPointF(x + 1, height)), current_tokens().ring)
