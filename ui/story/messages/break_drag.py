"""A scene break in the mouse's hand: where it would land, and what its two scenes hold then."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QPoint, QRectF, QTimer, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication

from app.core.translation import tr
from app.story.scenes import Scene
from ui.story import words
from ui.story.lettering import letters
from ui.story.messages import geometry as geo
from ui.story.messages.message_model import MessageModel
from ui.story.messages.rows import RowKind, is_folded
from ui.story.messages.settling_table import SettlingTable
from ui.theme.fonts import MEDIUM
from ui.theme.source import ThemeSource
from ui.theme.style import rounded

EDGE = 40  # px at the viewport's edges in which it scrolls
FASTEST = 28  # px of one step of scrolling
STEP_MS = 16
TAG_LINE = 22
TAG_PADDING = 12


@dataclass(frozen=True, slots=True)
class Landing:
    """Where a break would stand. last: index of the message that ends the upper scene then."""

    upper: Scene
    lower: Scene
    is_moved: bool

    @property
    def last(self) -> int:
        return self.upper.last


class BreakDrag(QObject):
    """Follows the mouse from a divider to the place where it is let go.

    A move costs what it costs to find a row, however long the story is: places come from the
    scenes, and only rows in view are asked for.

    Signals:
        dropped: (index of the scene that ends there, message index), only for another place.
        changed: nothing; something else is to be painted.
    """

    dropped = Signal(int, int)
    changed = Signal()

    def __init__(self, view: SettlingTable, model: MessageModel, theme: ThemeSource) -> None:
        super().__init__(view)
        self._view = view
        self._model = model
        self._theme = theme
        self._upper = -1  # index of the scene that the break in hand ends
        self._anchor = ""
        self._pressed_at: QPoint | None = None
        self._pointer = QPoint()
        self._is_active = False
        self._landing: Landing | None = None
        self._scroll = QTimer(self)
        self._scroll.setInterval(STEP_MS)
        self._scroll.timeout.connect(self._on_scroll)

    @property
    def is_active(self) -> bool:
        """Whether a break is in hand and has left its place."""
        return self._is_active

    @property
    def landing(self) -> Landing | None:
        """Where the break would stand now, None while none is in hand."""
        return self._landing if self._is_active else None

    # The hand

    def press(self, scene: int, point: QPoint) -> None:
        """The mouse went down on the divider of a scene, whose break is that of the one above."""
        closing = self._model.layout.scenes[scene - 1].closing
        if closing is not None:
            self._upper, self._anchor = scene - 1, closing.anchor
            self._pressed_at = point

    def move(self, point: QPoint) -> bool:
        """The mouse moved with its button down; true when it moves a break."""
        if self._pressed_at is None:
            return False
        self._pointer = point
        if not self._is_active:
            way = (point - self._pressed_at).manhattanLength()
            if way < QApplication.startDragDistance():
                return False
            self._is_active = True
        self._follow_pointer()
        if self._speed():
            self._scroll.start()
        return True

    def release(self) -> bool:
        """The mouse let go; true when a break was in hand."""
        was_active, landing, upper = self._is_active, self._landing, self._upper
        self.cancel()
        if was_active and landing is not None and landing.is_moved:
            self.dropped.emit(upper, landing.last)
        return was_active

    def cancel(self) -> None:
        """Leave the break where it was."""
        was_active = self._is_active
        self._pressed_at, self._landing, self._is_active = None, None, False
        self._scroll.stop()
        if was_active:
            self.changed.emit()

    def follow_story(self) -> None:
        """The story changed under the hand: go on only where the break still stands."""
        if self._pressed_at is None:
            return
        scenes = self._model.layout.scenes
        closing = scenes[self._upper].closing if self._upper + 1 < len(scenes) else None
        if closing is None or closing.anchor != self._anchor:
            self.cancel()
        elif self._is_active:
            self._follow_pointer()

    # Places

    def _follow_pointer(self) -> None:
        landing = self._landing_at(self._pointer.y())
        if landing != self._landing:
            self._landing = landing
            self.changed.emit()

    def _bounds(self) -> tuple[int, int]:
        """First and last message that the break may stand on and that has a row of its own."""
        scenes = self._model.layout.scenes
        upper, lower = scenes[self._upper], scenes[self._upper + 1]
        return upper.last if is_folded(upper) else upper.first, lower.last - 1

    def _landing_at(self, y: int) -> Landing:
        scenes = self._model.layout.scenes
        upper, lower = scenes[self._upper], scenes[self._upper + 1]
        least, most = self._bounds()
        last = min(max(self._message_above(y), least), max(most, upper.last))
        moved = replace(upper, last=last), replace(lower, first=last + 1)
        return Landing(*moved, is_moved=last != upper.last)

    def _message_above(self, y: int) -> int:
        """The message whose lower edge is nearest to `y`."""
        view = self._view
        row = view.rowAt(min(max(y, 0), view.viewport().height() - 1))
        if row < 0:
            return len(self._model.story.messages) - 1
        place, area = self._model.place(row), view.row_rect(row)
        if place.kind is RowKind.DIVIDER or y < area.center().y():
            return place.message - 1
        is_shut = place.kind is RowKind.FOLDED
        return self._model.layout.scenes[place.scene].last if is_shut else place.message

    def _line_y(self, last: int) -> int:
        """Where the line behind a message lies in the viewport; outside of it for one not seen."""
        view, layout = self._view, self._model.layout
        if last == layout.scenes[self._upper].last:
            row = layout.row_of_scene(self._upper + 1)
            return view.row_rect(row).y() + geo.DIVIDER_HEIGHT // 2
        area = view.row_rect(layout.row_of_message(last))
        return area.bottom() + 1 - geo.MESSAGE_GAP // 2

    # Scrolling at the edges

    def _speed(self) -> int:
        """Px of the next step, 0 away from the edges and where no further place would come."""
        y, height = self._pointer.y(), self._view.viewport().height()
        least, most = self._bounds()
        if y < EDGE and self._line_y(least) < EDGE:
            return -max(1, FASTEST * min(EDGE - y, EDGE) // EDGE)
        if y > height - EDGE and self._line_y(most) > height - EDGE:
            return max(1, FASTEST * min(y - height + EDGE, EDGE) // EDGE)
        return 0

    def _on_scroll(self) -> None:
        step, bar = self._speed(), self._view.verticalScrollBar()
        before = bar.value()
        bar.setValue(before + step)
        if not step or bar.value() == before:
            self._scroll.stop()
        self._follow_pointer()
        self.changed.emit()

    # Painting

    def paint(self, painter: QPainter) -> None:
        """Draw the line where the break would stand, with what is above and below it then."""
        landing = self.landing
        if landing is None:
            return
        tokens, column = self._theme.tokens, self._view.column
        height = self._view.viewport().height()
        line_y = self._line_y(landing.last)
        is_seen = 0 <= line_y < height
        y = min(max(line_y, TAG_LINE + 4), height - TAG_LINE - 4)
        above, below = scene_sentence(landing.upper), scene_sentence(landing.lower)
        face = letters(12, MEDIUM)
        width = max(face.width(above), face.width(below)) + 2 * TAG_PADDING
        tag = QRectF(column.text_right - width, y - TAG_LINE, width, 2 * TAG_LINE)
        rounded(painter, tag, 8, tokens.float_, tokens.line2)
        if is_seen:
            left, right = column.card_left, column.card_left + column.card_width
            painter.fillRect(QRectF(left, y - 1, right - left, 2), tokens.ring)
            rounded(painter, QRectF(left - 3, y - 4, 8, 8), 4, tokens.ring)
        ink = tokens.t1 if landing.is_moved else tokens.t2
        face.draw(painter, above, ink, tag.left() + TAG_PADDING, y - TAG_LINE / 2)
        face.draw(painter, below, ink, tag.left() + TAG_PADDING, y + TAG_LINE / 2)


def scene_sentence(scene: Scene) -> str:
    """ "Scene 4: 12 messages, #31–42"."""
    span = words.scene_range(scene, is_open_ended=True)
    return tr(
        "Scene {number}: {message_count}, {span}",
        number=scene.number,
        message_count=words.message_count(scene.length),
        span=span,
    )
