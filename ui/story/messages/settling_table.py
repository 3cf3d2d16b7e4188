"""A table whose rows get their real height when they come near the viewport."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QTableView, QWidget

from ui.story.messages.geometry import Column, column_in
from ui.story.messages.message_delegate import MessageDelegate
from ui.story.messages.message_model import MessageModel
from ui.story.messages.rows import RowKind
from ui.theme.source import ThemeSource

AnyIndex = QModelIndex | QPersistentModelIndex

# Real heights for 100,000 rows would block for 4 s, laying out their texts for 25 s more.
ESTIMATED_HEIGHT = 170
WHEEL_STEP = 24
READING_LINE = 24  # px from the top: a row that only ends there is not being read
MOST_ROUNDS = 4  # of settling, when the end of the story pulls rows into view


@dataclass(frozen=True, slots=True)
class Spot:
    """A row and where its top lies in the viewport, in px: what is held still."""

    row: int
    y: int


@dataclass(frozen=True, slots=True)
class VisibleRange:
    """Messages in the viewport, both ends included. read: the one among them that is read, -1 for
    the first.
    """

    first: int
    last: int
    read: int = -1

    @property
    def place(self) -> int:
        """The message whose scene one is in."""
        return self.first if self.read < 0 else self.read


class SettlingTable(QTableView):
    """Scrolls a MessageModel by pixels and holds still what is read while heights settle.

    Signals:
        visible_changed: VisibleRange, after scrolling, resizing or another story.
    """

    visible_changed = Signal(object)

    def __init__(
        self, model: MessageModel, theme: ThemeSource, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._rows = model
        self._delegate = MessageDelegate(model, theme, self)
        self._is_settling = False
        self._foot = 0  # px at the foot that something else lies over
        self._owes_end = False  # who reads at the end is to see all of it once the pointer is gone
        self._visible = VisibleRange(0, -1)
        self._reads_current = True  # until one goes to another place
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self._dress()

    def _dress(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        # The current row is enough; a selection would be painted by the style, over the gutter.
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setWordWrap(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setStretchLastSection(True)
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(1)
        rows.setDefaultSectionSize(ESTIMATED_HEIGHT)
        rows.setSectionResizeMode(rows.ResizeMode.Interactive)

    @property
    def column(self) -> Column:
        """Where the column lies in the viewport."""
        return column_in(self.viewport().width())

    @property
    def visible(self) -> VisibleRange:
        """Messages in the viewport; last is -1 when there is none."""
        return self._visible

    # Heights: estimated everywhere, real near the viewport

    def settle(self, held: Spot | None = None) -> None:
        """Give the rows in view their real heights, holding one row where it is.

        Rows above it that turn out higher or lower move the scroll bar, not the text.
        """
        if self._is_settling or not self._rows.rowCount():
            self._tell_visible()
            return
        self._is_settling = True
        try:
            spot = held or self._reference()
            for _ in range(MOST_ROUNDS):
                if spot is None:
                    break
                is_changed = self._fit_around(spot)
                wanted = self.verticalHeader().sectionPosition(spot.row) - spot.y
                if is_changed:
                    self.updateGeometries()
                bar = self.verticalScrollBar()
                bar.setValue(wanted)
                if bar.value() == wanted:
                    break
                spot = self._reference()  # an end of the story was reached: rows moved after all
        finally:
            self._is_settling = False
        self._tell_visible()

    def _reference(self) -> Spot | None:
        """The row to hold: the first in view whose height is real, else the first."""
        row = self.rowAt(0)
        if row < 0:
            return None
        column, header = self.column, self.verticalHeader()
        bottom = self.viewport().height()
        candidate = row
        while candidate < self._rows.rowCount():
            y = self.rowViewportPosition(candidate)
            if y >= bottom:
                break
            if header.sectionSize(candidate) == self._known_height(candidate, column):
                return Spot(candidate, y)
            candidate += 1
        return Spot(row, self.rowViewportPosition(row))

    def _known_height(self, row: int, column: Column) -> int | None:
        shown = self._rows.message_row(row)
        if shown is None:
            return self._delegate.row_height(row, column)
        if self._delegate.texts.known_height(shown.message, column.text_width) is None:
            return None
        return self._delegate.row_height(row, column)

    def _fit_around(self, spot: Spot) -> bool:
        """Resize the rows that will be in view when `spot` is where it says."""
        column, bottom = self.column, self.viewport().height()
        header, delegate = self.verticalHeader(), self._delegate
        is_changed = False
        # The header tells the view of each resize, which plans a layout each time: once is enough.
        header.blockSignals(True)
        try:
            y, row = spot.y, spot.row
            while row < self._rows.rowCount() and y < bottom:
                height = delegate.row_height(row, column)
                if header.sectionSize(row) != height:
                    header.resizeSection(row, height)
                    is_changed = True
                y, row = y + height, row + 1
            y, row = spot.y, spot.row - 1
            while row >= 0 and y > 0:
                height = delegate.row_height(row, column)
                if header.sectionSize(row) != height:
                    header.resizeSection(row, height)
                    is_changed = True
                y, row = y - height, row - 1
        finally:
            header.blockSignals(False)
        if is_changed:
            self.viewport().update()
        return is_changed

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self.settle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        spot, is_at_end = self._reference(), self.is_at_end()
        # Not while Qt measures: it would take the heights of before for the end of the scroll bar.
        self._is_settling = True
        try:
            super().resizeEvent(event)
        finally:
            self._is_settling = False
        if is_at_end:  # as on a real screen, where a page gets its size after it was filled
            self.scroll_to_end()
        else:
            self.settle(spot)

    def updateGeometries(self) -> None:
        super().updateGeometries()
        bar = self.verticalScrollBar()
        bar.setSingleStep(WHEEL_STEP)
        if self._foot:
            beyond = self.verticalHeader().length() - self.viewport().height() + self._foot
            bar.setMaximum(max(bar.maximum(), beyond))

    def set_foot(self, px: int) -> None:
        """So much of the foot is covered: the end can be scrolled above it, and who reads at the
        end goes on to see all of it. Nothing moves under the pointer.
        """
        if px == self._foot:
            return
        owes, self._foot = px > self._foot and self.is_at_end(), px
        self.updateGeometries()
        if owes and self.underMouse():
            self._owes_end = True
        elif owes:
            self.scroll_to_end()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if self._owes_end and self.is_at_end():
            self.scroll_to_end()
        self._owes_end = False

    def _tell_visible(self) -> None:
        visible = self._visible_now()
        if visible != self._visible:
            self._visible = visible
            self.visible_changed.emit(visible)

    def _visible_now(self) -> VisibleRange:
        """Messages in view. Folded scenes at the top count only where nothing else is in view."""
        first_row, last_row = self.rowAt(READING_LINE), self.rowAt(self.viewport().height() - 1)
        if first_row < 0:
            first_row = self.rowAt(0)
        if first_row < 0:
            return VisibleRange(0, -1)
        last_row = last_row if last_row >= 0 else self._rows.rowCount() - 1
        row = first_row
        while row < last_row and self._rows.place(row).kind is RowKind.FOLDED:
            row += 1
        if self._rows.place(row).kind is RowKind.FOLDED:
            row = first_row
        end = self._rows.place(last_row)
        is_whole = end.kind is RowKind.FOLDED
        last = self._rows.layout.scenes[end.scene].last if is_whole else end.message
        return VisibleRange(
            self._rows.place(row).message, last, self._read_now(row, last_row, last)
        )

    def _read_now(self, first_row: int, last_row: int, last: int) -> int:
        """The message that is read, where that is not the first in view: the current one, or at the
        end of the chat the last, which can be scrolled no higher.
        """
        current = self.currentIndex().row()
        if self._reads_current and first_row <= current <= last_row:
            return self._rows.place(current).message
        bar = self.verticalScrollBar()
        return last if 0 < bar.maximum() <= bar.value() else -1

    # Going places

    def jump_to(self, message: int, *, selects: bool = False) -> None:
        """Put a message, or the folded scene that holds it, at the top of the viewport."""
        if 0 <= message < len(self._rows.story.messages):
            self._jump(self._rows.layout.row_of_message(message), selects)

    def jump_to_scene(self, scene: int, *, selects: bool = False) -> None:
        """Put a scene's divider at the top. scene: index, counted from 0."""
        if 0 <= scene < len(self._rows.layout.scenes):
            self._jump(self._rows.layout.row_of_scene(scene), selects)

    def _jump(self, row: int, selects: bool) -> None:
        self._reads_current = selects
        self.jump_to_row(row)
        if selects:
            self.select_row(row)

    def select_row(self, row: int) -> None:
        """Make a row current."""
        keep = self.selectionModel().SelectionFlag.NoUpdate
        self.selectionModel().setCurrentIndex(self._rows.index(row, 0), keep)

    def jump_to_row(self, row: int) -> None:
        """Put a row at the top of the viewport, or as near as the story's end allows."""
        self.settle(Spot(row, 0))

    def scroll_to_end(self) -> None:
        """Show the end of the story, its last row at the foot of the viewport."""
        row = self._rows.rowCount() - 1
        if row < 0:
            self._tell_visible()
            return
        height = self._delegate.row_height(row, self.column)
        self.settle(Spot(row, self.viewport().height() - self._foot - height))

    def is_at_end(self) -> bool:
        """Whether the last px of the story is in view."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - self._foot

    def scrollTo(
        self,
        index: AnyIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Bring a row into view; one higher than the viewport is shown from its top."""
        if not index.isValid() or self._is_settling:
            return
        row, bottom = index.row(), self.viewport().height()
        height = self._delegate.row_height(row, self.column)
        y = self.rowViewportPosition(row)
        if y < 0 or height > bottom:
            if y >= 0 or y + height <= 0 or height <= bottom:
                self.settle(Spot(row, 0))
        elif y + height > bottom:
            self.settle(Spot(row, bottom - height))

    def row_rect(self, row: int) -> QRect:
        """A row's area in the viewport."""
        return self.visualRect(self._rows.index(row, 0))
