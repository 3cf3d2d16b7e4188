"""The pages, with a notice that lies over their foot and moves nothing when it comes and goes.

It lies where no button, field or what a page keeps clear is beneath it, as far down as that can be
had. What it lies over can be scrolled out from under it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QScrollBar,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from ui.controls.timers import once
from ui.shell.foot_room import FootRoom

WIDEST = 860  # px; a line that is longer is read worse
NARROWER = (640, 480)
BESIDE = 12
STEP = 24
HIGHEST = 0.5  # part of the height that it may go up from the foot
# A page that has just come to the front has not laid itself out yet, and reads what it shows.
SETTLE_MS = (20, 300, 1_000, 3_000)
PRESSED = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QAbstractSlider)


@runtime_checkable
class KeepsClear(Protocol):
    """A page with parts at its foot that are read and cannot be scrolled."""

    @property
    def kept_clear(self) -> Sequence[QWidget]:
        """Over which no notice is to lie."""


class PageArea(QWidget):
    """Fills itself with the pages.

    Signals:
        covered: px of the pages' foot that the notice lies over, 0 while there is none.
    """

    covered = Signal(int)

    def __init__(self, stack: QStackedWidget, notice: QWidget) -> None:
        super().__init__()
        self._stack = stack
        self._notice = notice
        stack.setParent(self)
        notice.setParent(self)
        notice.installEventFilter(self)
        notice.hide()
        self._covered = 0
        self._settle = once(self, SETTLE_MS[0], self._on_settled)
        self._left: list[int] = []  # ms until it is looked at again
        stack.currentChanged.connect(self._begin_settling)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def covered_px(self) -> int:
        """As `covered` said last."""
        return self._covered

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            # Whoever asks has invalidated the layout; once more would ask again, without an end.
            self._place()
        elif event.type() in (QEvent.Type.Show, QEvent.Type.Resize):
            # Its words may be others, or wrap otherwise.
            self._place_anew()
            if event.type() == QEvent.Type.Show:
                self._begin_settling()
        elif event.type() == QEvent.Type.Hide:
            self._tell_covered(0)
            self._give_room(None)
        return False

    def _begin_settling(self) -> None:
        self._left = list(SETTLE_MS)
        self._on_settled()

    def _on_settled(self) -> None:
        if self._notice.isHidden():
            return
        if not self._notice.underMouse():  # who is about to press it finds it where it was
            self._place_anew()
        if self._left:
            self._settle.start(self._left.pop(0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._stack.setGeometry(self.rect())
        self._place_anew()

    def _place_anew(self) -> None:
        if (layout := self._notice.layout()) is not None:
            layout.invalidate()
        self._place()

    def _place(self) -> None:
        notice = self._notice
        if self.width() <= 2 * BESIDE or notice.layout() is None:
            return
        beneath = self._pressed() if notice.isVisible() else []
        notice.setGeometry(self._best_place(beneath))
        notice.raise_()
        if not notice.isHidden():
            self._tell_covered(self.height() - notice.geometry().top() + BESIDE)
            self._give_room(notice.geometry())

    def _best_place(self, beneath: Sequence[QRect]) -> QRect:
        best, fewest = QRect(), len(beneath) + 1
        for place in self._places():
            hidden = sum(place.intersects(other) for other in beneath)
            if hidden < fewest:
                best, fewest = place, hidden
            if not hidden:
                break
        return best

    def _places(self) -> Iterator[QRect]:
        """Where it may lie, the best first: low before high, wide before narrow."""
        room = self.width() - 2 * BESIDE
        widths = list(dict.fromkeys(min(room, width) for width in (WIDEST, *NARROWER)))
        heights = [self._height_of(width) for width in widths]
        for up in range(0, max(1, int(self.height() * HIGHEST)), STEP):
            for width, height in zip(widths, heights, strict=True):
                top = max(BESIDE, self.height() - height - BESIDE - up)
                for left in ((self.width() - width) // 2, BESIDE, self.width() - width - BESIDE):
                    yield QRect(left, top, width, height)

    def _height_of(self, width: int) -> int:
        layout = self._notice.layout()
        height = layout.totalHeightForWidth(width) if layout is not None else 0
        if height <= 0:
            height = self._notice.sizeHint().height()
        return min(height, self.height() - 2 * BESIDE)

    def _give_room(self, covered: QRect | None) -> None:
        """Let what is beneath the notice be scrolled out from there. covered: None for nothing."""
        for at in range(self._stack.count()):
            page = self._stack.widget(at)
            if page is None:
                continue
            areas = (page, *page.findChildren(QAbstractScrollArea))
            for area in filter(FootRoom.is_for, areas):
                px = 0
                if covered is not None and area.isVisible():
                    seen = QRect(area.mapTo(self, QPoint(0, 0)), area.size())
                    if seen.intersects(covered):
                        px = max(0, seen.bottom() + 1 - covered.top() + BESIDE)
                if px or area.findChild(FootRoom) is not None:
                    FootRoom.of(area).set_px(px)

    def _pressed(self) -> list[QRect]:
        """Where the page has what is pressed or written into."""
        page = self._stack.currentWidget()
        if page is None:
            return []
        pressed = (widget for kind in PRESSED for widget in page.findChildren(kind))
        read = page.kept_clear if isinstance(page, KeepsClear) else ()
        shown = (
            widget
            for widget in (*pressed, *read)
            if widget.isVisible() and not isinstance(widget, QScrollBar)
        )
        found = (
            QRect(widget.mapTo(self, QPoint(0, 0)), widget.size()).intersected(self._seen(widget))
            for widget in shown
        )
        return [rect for rect in found if not rect.isEmpty()]

    def _seen(self, widget: QWidget) -> QRect:
        """What is not scrolled away of what holds a widget."""
        seen, parent = self.rect(), widget.parentWidget()
        while parent is not None and parent is not self:
            seen = seen.intersected(QRect(parent.mapTo(self, QPoint(0, 0)), parent.size()))
            parent = parent.parentWidget()
        return seen

    def _tell_covered(self, px: int) -> None:
        if px != self._covered:
            self._covered = px
            self.covered.emit(px)
