"""Where in the story one looks: an axis with its scenes, a number, and the way back to now."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSlider, QSpinBox, QWidget

from app.core.translation import tr
from app.story.story import Story
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label
from ui.controls.timers import once
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T2_ROLE
from ui.theme.style import rounded

HEIGHT = 44
SETTLE_MS = 60
KNOB = 12


class MomentBar(QWidget):
    """Signals:
    moved: index of the message at which memories are to be shown; -1 for the newest.
    """

    moved = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self.axis = _Axis()
        self.number = QSpinBox()
        self.number.setAccessibleName(tr("As it was at message"))
        self.number.setPrefix("#")
        self.number.setFixedWidth(72)
        self.number.setFixedHeight(28)
        self.number.setFont(ui_font(12.5, MEDIUM))
        self.number.setKeyboardTracking(False)
        self.number.lineEdit().setTextMargins(6, 0, 0, 0)
        self.now = Button(
            tr("Back to now"), icon="arrow-right", role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge
        )
        self._words = Label(tr("As it was at"), font=ui_font(12, MEDIUM), tone=T2_ROLE)
        self._settle = once(self, SETTLE_MS, self._tell)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 16, 0)
        row.setSpacing(10)
        row.addWidget(self._words)
        row.addWidget(self.number)
        row.addWidget(self.axis, 1)
        row.addWidget(self.now)
        self.axis.valueChanged.connect(self._on_axis)
        self.number.valueChanged.connect(self._on_number)
        self.now.clicked.connect(self.go_to_now)
        self._show()

    @property
    def at(self) -> int:
        """Index of the message; -1 for the newest, whichever it is."""
        value = self.axis.value()
        return -1 if value >= self.axis.maximum() else value

    def show_story(self, story: Story | None) -> None:
        """Follow the story; who looks at the newest message goes on doing so."""
        count = len(story.messages) if story is not None else 0
        was_now = self.at < 0
        last = max(0, count - 1)
        with QSignalBlocker(self.axis), QSignalBlocker(self.number):
            self.axis.setMaximum(last)
            self.number.setMaximum(last)
            if was_now:
                self.axis.setValue(last)
            self.number.setValue(self.axis.value())
        self.axis.set_scenes([scene.first for scene in story.scenes] if story is not None else [])
        self._show()

    def go_to(self, index: int) -> None:
        """Look at a message."""
        self.axis.setValue(index)

    def go_to_now(self) -> None:
        """Look at the newest message again."""
        self.axis.setValue(self.axis.maximum())

    def _on_axis(self, value: int) -> None:
        with QSignalBlocker(self.number):
            self.number.setValue(value)
        self._show()
        self._settle.start()

    def _on_number(self, value: int) -> None:
        self.axis.setValue(value)

    def _tell(self) -> None:
        self.moved.emit(self.at)

    def _show(self) -> None:
        is_now = self.at < 0
        self.now.setVisible(not is_now)
        self._words.setText(tr("As of") if is_now else tr("As it was at"))

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(0, 0, self.width(), 1, current_tokens().line)


class _Axis(QSlider):
    """The story from its first to its last message, a gap at each scene."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._scenes: list[int] = []
        self.setAccessibleName(tr("Moment of the story"))
        self.setMaximum(0)
        self.setPageStep(10)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip(tr("Show what was remembered at an earlier message."))

    def set_scenes(self, firsts: list[int]) -> None:
        """firsts: index of the first message of each scene."""
        if firsts != self._scenes:
            self._scenes = firsts
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, 24)

    def _x(self, index: int) -> float:
        room = self.width() - KNOB
        return KNOB / 2 + room * index / max(1, self.maximum())

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        middle = self.height() / 2
        here = self._x(self.value())
        edges = [*self._scenes, self.maximum() + 1] if self._scenes else [0, self.maximum() + 1]
        # Of thousands of scenes none would be seen by itself: those up to the next gap are one.
        start, end = self._x(0), self._x(self.maximum())
        step = (end - start) / max(1, self.maximum())
        left = self._x(edges[0])
        for first, after in pairwise(edges):
            right = min(start + after * step, end)
            has_gap = right - (start + first * step) > 4
            if not has_gap and after != edges[-1]:
                continue
            right -= 2 if has_gap else 0
            rounded(painter, QRectF(left, middle - 2, max(1.0, right - left), 4), 2, t.line2)
            left = self._x(after)
        rounded(painter, QRectF(here - KNOB / 2, middle - KNOB / 2, KNOB, KNOB), KNOB / 2, t.accent)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        return

    def _go(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton):
            room = max(1, self.width() - KNOB)
            share = (event.position().x() - KNOB / 2) / room
            self.setValue(round(share * self.maximum()))
