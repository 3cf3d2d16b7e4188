"""The story as a strip of scenes, a bar per message: where one is, and what becomes of it all."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.core.translation import tr
from app.story.inclusion import InclusionState
from app.story.story import Story
from ui.story import words
from ui.story.lettering import loud_meta, meta
from ui.story.messages.message_model import empty_story
from ui.story.messages.settling_table import VisibleRange
from ui.story.scenes.bar_painter import BarPainter
from ui.story.scenes.bars import BY_RANK, Bars, bucketed, no_bars
from ui.theme.source import ThemeSource
from ui.theme.style import rounded
from ui.theme.tokens import faded

CLIP_HEIGHT = 58
HEIGHT = 66  # the frame reaches out below the clips
GAP = 4
TITLE_MIDDLE = 11
FRAME_TOP = 18
BARS_TOP = 24
BARS_FOOT = CLIP_HEIGHT - 1
LEAST_BAR = 2
SAMPLE = 4_000  # messages that settle the scale of a long story
LEAST_NAME = 44  # px; less shows a syllable of it, which says nothing
PX_PER_BAR = 3.0  # below this, buckets
CLIP_RADIUS = 4
FAILED = BY_RANK.index(InclusionState.FAILED)


@dataclass(frozen=True, slots=True)
class Clip:
    """One scene's part of the strip: messages first to last from `left`, `width` px."""

    first: int
    last: int
    left: float
    width: float

    @property
    def bar_width(self) -> float:
        return self.width / (self.last + 1 - self.first)

    def x_of(self, message: int) -> float:
        """Where a message's bar begins; message may be last + 1, for where the last one ends."""
        return self.left + self.bar_width * (message - self.first)


class Clips:
    """All scenes side by side, each as wide as its messages are many."""

    def __init__(self, story: Story, width: int) -> None:
        scenes = story.scenes if story.messages and width > 0 else ()
        self.count = len(scenes)
        self._firsts = [scene.first for scene in scenes]
        self._lasts = [scene.last for scene in scenes]
        if not scenes:
            self._lefts: list[float] = []
            self._bar_width = 0.0
            return
        # Gaps may take a quarter of the width: a strip of a thousand scenes has none.
        gap = GAP if GAP * (self.count - 1) <= width / 4 else 0
        self._bar_width = (width - gap * (self.count - 1)) / len(story.messages)
        firsts = np.array(self._firsts)
        self._lefts = (firsts * self._bar_width + np.arange(self.count) * gap).tolist()

    def __getitem__(self, number: int) -> Clip:
        first, last = self._firsts[number], self._lasts[number]
        return Clip(first, last, self._lefts[number], (last + 1 - first) * self._bar_width)

    @property
    def bar_width(self) -> float:
        """Px per message, the same in every clip."""
        return self._bar_width

    def scene_of(self, message: int) -> int:
        """Which clip holds a message, -1 for none."""
        return bisect_right(self._firsts, message) - 1

    def clip_at(self, x: float) -> int:
        """The clip at `x`, or the one before a gap; the first one left of all."""
        return max(bisect_right(self._lefts, x) - 1, 0)

    def wide(self, least: float) -> range | list[int]:
        """Clips at least so many px wide."""
        if self._bar_width >= least:
            return range(self.count)
        sizes = np.array(self._lasts) + 1 - np.array(self._firsts)
        return [int(n) for n in np.flatnonzero(sizes * self._bar_width >= least)]


class Strip(QWidget):
    """Paints a cached picture of the story and the viewport's frame over it.

    Signals:
        place_wanted: message index, while the frame is dragged or the strip is clicked.
        scene_opened: scene index, by double click or the keyboard.
    """

    place_wanted = Signal(int)
    scene_opened = Signal(int)

    def __init__(self, theme: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._story = empty_story()
        self._bars = no_bars()
        self._clips = Clips(self._story, 0)
        self._visible = VisibleRange(0, -1)
        self._painter = BarPainter(theme.tokens)
        self._scale = 1.0  # tokens of the highest bar
        self._picture: QPixmap | None = None
        self._lifted: QPixmap | None = None
        self._scene = -1
        self._drag_offset: float | None = None
        self._by_key = False
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Scenes of the story"))
        theme.changed.connect(self._on_palette_changed)

    def set_story(self, story: Story, bars: Bars) -> None:
        """Show another state of the story."""
        self._story, self._bars = story, bars
        # One novel of a message must not flatten all the others.
        sample = bars.tokens[:: max(1, bars.count // SAMPLE)]
        self._scale = max(float(np.percentile(sample, 98)), 1.0) if bars.count else 1.0
        self._clips = Clips(story, self.width())
        self._scene = self._clips.scene_of(self._visible.place)
        self._forget_picture()

    def set_visible(self, visible: VisibleRange) -> None:
        """Move the frame to the messages in the viewport."""
        self._visible = visible
        scene = self._clips.scene_of(visible.place)
        if scene != self._scene:
            self._scene = scene
            self._lifted = None
            self._say_place()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    def _say_place(self) -> None:
        if 0 <= self._scene < len(self._story.scenes):
            scene = self._story.scenes[self._scene]
            name = words.scene_name(self._story, scene)
            self.setAccessibleDescription(words.spoken_scene(scene, name, False))

    def _forget_picture(self) -> None:
        self._picture = self._lifted = None
        self.update()

    def _on_palette_changed(self, _tokens: object) -> None:
        self._painter = BarPainter(self._theme.tokens)
        self._forget_picture()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._picture is None:
            self._picture = self._drawn(0, self._clips.count, is_current=False)
        painter.drawPixmap(0, 0, self._picture)
        if 0 <= self._scene < self._clips.count and self._clips[self._scene].width >= 8:
            if self._lifted is None:
                self._lifted = self._drawn(self._scene, self._scene + 1, is_current=True)
            painter.drawPixmap(0, 0, self._lifted)
        frame, tokens = self.frame(), self._theme.tokens
        if not frame.isEmpty():
            ground = faded(tokens.t1, 0.06)
            rounded(painter, frame, CLIP_RADIUS, ground, tokens.ring, tokens.ring_width)
        if self.hasFocus() and self._by_key:
            ring = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            rounded(painter, ring, 6, None, tokens.ring, tokens.ring_width)

    def frame(self) -> QRectF:
        """The viewport's frame in px; empty when nothing is visible."""
        visible = self._visible
        if (
            visible.last < visible.first
            or not self._clips.count
            or visible.last >= self._bars.count
        ):
            return QRectF()
        left = self._clips[self._clips.scene_of(visible.first)].x_of(visible.first) - 2
        right = self._clips[self._clips.scene_of(visible.last)].x_of(visible.last + 1) + 1
        if right - left < 10:
            left, right = (left + right) / 2 - 5, (left + right) / 2 + 5
        left = max(left, 0)
        right = min(max(right, left + 10), self.width())
        return QRectF(round(left), FRAME_TOP, round(right) - round(left), HEIGHT - FRAME_TOP - 1)

    def _drawn(self, first: int, end: int, *, is_current: bool) -> QPixmap:
        """A picture of some clips on nothing, as large as the strip."""
        ratio = self.devicePixelRatioF()
        picture = QPixmap(round(self.width() * ratio), round(HEIGHT * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        if is_current:
            self._draw_clip(painter, first, self._clips[first], is_current=True)
        else:
            for number in self._clips.wide(2 * CLIP_RADIUS):
                self._draw_clip(painter, number, self._clips[number], is_current=False)
        self._draw_bars(painter, first, end)
        painter.end()
        return picture

    def _draw_clip(self, painter: QPainter, number: int, clip: Clip, *, is_current: bool) -> None:
        tokens = self._theme.tokens
        left, right = round(clip.left), round(clip.left + clip.width)
        area = QRectF(left, 0, max(right - left, 1), CLIP_HEIGHT)
        ground = tokens.raised if is_current else tokens.well
        edge = tokens.line2 if is_current else tokens.line
        rounded(painter, area, CLIP_RADIUS, ground, edge)
        scene = self._story.scenes[number]
        room = area.width() - 11
        label, face = str(scene.number), loud_meta() if is_current else meta()
        if room < face.width(label):
            return
        ink = tokens.t1 if is_current else tokens.t3
        x = face.draw(painter, label, ink, left + 7, TITLE_MIDDLE) + 6
        room = right - 4 - x
        if room >= LEAST_NAME:
            name = words.scene_name(self._story, scene) if scene.is_closed else scene.name
            face.draw(painter, name, ink, x, TITLE_MIDDLE, room)

    def _draw_bars(self, painter: QPainter, first: int, end: int) -> None:
        """Draw a bar per message where there is room, else a bar per bucket."""
        clips = self._clips
        if clips.count * 2 * CLIP_RADIUS > self.width() and end - first > 1:
            # More scenes than px: one row of buckets over all of them.
            whole = Clip(0, self._bars.count - 1, 0, self.width())
            self._draw_clip_bars(painter, whole, min(self._bars.count, self.width() // LEAST_BAR))
            return
        for number in range(first, end):
            clip = clips[number]
            columns = clip.last + 1 - clip.first
            if clips.bar_width < PX_PER_BAR:
                columns = min(columns, max(1, int(clip.width // LEAST_BAR)))
            self._draw_clip_bars(painter, clip, columns)

    def _draw_clip_bars(self, painter: QPainter, clip: Clip, columns: int) -> None:
        part = slice(clip.first, clip.last + 1)
        tokens, ranks = self._bars.tokens[part], self._bars.ranks[part]
        if not len(tokens) or columns < 1:
            return
        if columns < len(tokens):
            tokens, ranks = bucketed(tokens, ranks, columns)
        room = BARS_FOOT - BARS_TOP
        heights = np.maximum(2, np.minimum(1.0, tokens / self._scale) * room).round()
        edges = np.round(clip.left + np.arange(columns + 1) * (clip.width / columns))
        gap = 1 if clip.width / columns >= PX_PER_BAR else 0
        for place in range(columns):
            x, height = edges[place], float(heights[place])
            area = QRectF(x, BARS_FOOT - height, max(edges[place + 1] - x - gap, 1), height)
            rank = int(ranks[place])
            self._painter.bar(painter, rank, area)
            if rank == FAILED:
                self._painter.dot(painter, area.center().x(), max(area.y() - 4, BARS_TOP - 3))

    # Mouse and keyboard

    def message_at(self, x: float) -> int:
        """The message whose bar is at `x`; the nearest one in gaps and outside."""
        if not self._clips.count:
            return -1
        number = self._clips.clip_at(x)
        clip = self._clips[number]
        share = (x - clip.left) / clip.width if clip.width > 0 else 0.0
        message = clip.first + int(share * (clip.last + 1 - clip.first))
        return min(max(message, clip.first), clip.last)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self._clips.count:
            return
        self._by_key = False
        x, frame = event.position().x(), self.frame()
        if frame.contains(event.position()):
            self._drag_offset = x - frame.left() - 2  # taken hold of: nothing jumps
        else:
            self._drag_offset = 0.0
            self._drag_to(x)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag_offset is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self._drag_to(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag_offset = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        message = self.message_at(event.position().x())
        if message >= 0:
            self.scene_opened.emit(self._clips.scene_of(message))

    def _drag_to(self, x: float) -> None:
        message = self.message_at(x - (self._drag_offset or 0.0))
        if message >= 0:
            self.place_wanted.emit(message)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = self._clips.count - 1
        match event.key():
            case Qt.Key.Key_Left:
                wanted = max(self._scene - 1, 0)
            case Qt.Key.Key_Right:
                wanted = min(self._scene + 1, last)
            case Qt.Key.Key_Home:
                wanted = 0
            case Qt.Key.Key_End:
                wanted = last
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space:
                wanted = self._scene
            case _:
                event.ignore()
                return
        self._by_key = True
        if wanted >= 0:
            self.scene_opened.emit(wanted)
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        tabs = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._by_key = event.reason() in tabs
        super().focusInEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos()), self, QRect())
            return True
        return super().event(event)

    def tip_at(self, point: QPoint) -> str:
        """What the strip says of the place under the pointer."""
        message = self.message_at(point.x())
        if message < 0:
            return ""
        scene = self._story.scenes[self._clips.scene_of(message)]
        name = words.scene_name(self._story, scene)
        title = f"{scene.number} {name}, {words.scene_range(scene)}"
        if point.y() < FRAME_TOP:
            return title
        parts = [f"#{message}", words.token_count(int(self._bars.tokens[message]))]
        if message < len(self._story.inclusion):
            parts.append(tr(words.STATES_IN_A_LIST[self._story.inclusion[message].state]))
        return f"{', '.join(parts)}\n{title}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._clips = Clips(self._story, self.width())
        self._scene = self._clips.scene_of(self._visible.place)
        self._forget_picture()
