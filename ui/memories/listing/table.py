"""The table of memories: rows of two heights, groups that fold, columns that sort."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QItemSelectionModel, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from app.core.translation import tr
from app.memory.lifecycle.decay import is_judged
from ui.controls.page_commands import is_letter_of_page
from ui.memories.listing.delegate import INDENT, MEMORY_HEIGHT, NARROW_HEIGHT, MemoryDelegate
from ui.memories.listing.model import Column, MemoryModel
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap

WIDTHS = {
    Column.IMPORTANCE: 76,
    Column.CONFIDENCE: 76,
    Column.VALID: 100,
    Column.SOURCES: 106,
    Column.USED: 62,
}
HEADER_HEIGHT = 32
# Giving a row its own height costs 60 µs; beyond these all but the heads are equally high.
MOST_NARROW = 1_500
NARROW_TABLE, WIDE_TABLE = 720, 840  # px; below, what is said elsewhere too gives way


class MemoryTable(QTableView):
    """Signals:
    fold_asked: name of the group to put away or take out.
    sort_asked: Column.
    menu_asked: where, in global px.
    chosen_changed: other rows are chosen.
    edit_ended: the words of a row are no longer being changed.
    jump_asked: row whose first source is to be shown.
    """

    fold_asked = Signal(str)
    sort_asked = Signal(int)
    menu_asked = Signal(QPoint)
    chosen_changed = Signal()
    jump_asked = Signal(int)
    edit_ended = Signal()

    def __init__(self, model: MemoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.memories = model
        self._narrow: tuple[int, ...] = ()
        self._is_any_judged = True
        self._delegate = MemoryDelegate(self, model)
        self.head = Header(self, left=INDENT, numbers=(Column.USED,))
        self.setHorizontalHeader(self.head)
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(tr("Memories"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.DoubleClicked
        )
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setWordWrap(False)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(True)  # opaque: scrolling paints only what is new
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(NARROW_HEIGHT)
        rows.setDefaultSectionSize(MEMORY_HEIGHT)
        self.head.setSectionResizeMode(Column.MEMORY, QHeaderView.ResizeMode.Stretch)
        for column, width in WIDTHS.items():
            self.head.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            self.setColumnWidth(column, width)
        self.head.sectionClicked.connect(self.sort_asked)
        self.selectionModel().selectionChanged.connect(self._on_selection)
        self._delegate.closeEditor.connect(self._on_editor_closed)
        model.modelReset.connect(self._fit_rows)

    def _fit_rows(self) -> None:
        rows = self.memories.rows
        self._is_any_judged = any(row.standing and is_judged(row.standing.memory) for row in rows)
        self._fit_columns()
        self.clearSpans()
        for place in self._narrow:
            if place < len(rows):  # a header keeps what it was told, also over a reset
                self.setRowHeight(place, MEMORY_HEIGHT)
        heads = [place for place, row in enumerate(rows) if row.standing is None]
        for place in heads:
            self.setSpan(place, 0, 1, len(Column))
        under = [place for place, row in enumerate(rows) if row.is_under]
        self._narrow = (*heads, *(under if len(under) <= MOST_NARROW else ()))
        for place in self._narrow:
            self.setRowHeight(place, NARROW_HEIGHT)

    @property
    def is_editing(self) -> bool:
        """Whether a row's words are being changed in their place."""
        return self.state() is self.State.EditingState

    # What is chosen

    @property
    def chosen_rows(self) -> tuple[int, ...]:
        """Rows of the memories that are chosen, from the top."""
        return tuple(sorted(index.row() for index in self.selectionModel().selectedRows()))

    def choose(self, memory_ids: tuple[str, ...], *, scrolls: bool = True) -> None:
        """Choose these memories, as far as they are shown; the first gets the cursor."""
        places = [p for p in map(self.memories.place_of, memory_ids) if p is not None]
        selection = self.selectionModel()
        if not places:
            selection.clearSelection()
            return
        mode = QItemSelectionModel.SelectionFlag
        first = self.memories.index(places[0], 0)
        selection.setCurrentIndex(first, mode.ClearAndSelect | mode.Rows)
        for place in places[1:]:
            selection.select(self.memories.index(place, 0), mode.Select | mode.Rows)
        if scrolls:
            self.scrollTo(first)

    def choose_near(self, place: int, *, chooses: bool = True) -> None:
        """What was chosen is gone: go to what stands in its row now, else to the first.

        chooses: else the keyboard goes on from there, and nothing is chosen.
        """
        rows = self.memories.rows
        near = (*rows[max(0, place) :], *rows)
        found = next((row.standing for row in near if row.standing is not None), None)
        if found is None:
            return
        self.choose((found.memory.id,), scrolls=False)
        if not chooses:
            self.selectionModel().clearSelection()

    def _on_editor_closed(self, _editor: object, _hint: object = None) -> None:
        QTimer.singleShot(0, self.edit_ended.emit)  # the view itself closes it after this

    def _on_selection(self) -> None:
        self.chosen_changed.emit()

    # Events

    def keyboardSearch(self, search: str) -> None:
        if not is_letter_of_page(self, search):
            super().keyboardSearch(search)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._delegate.by_key = True
        row = self.currentIndex().row()
        key = event.key()
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if 0 <= row < len(self.memories.rows) and not self.is_editing:
            shown = self.memories.rows[row]
            folds = (*keys, Qt.Key.Key_Left, Qt.Key.Key_Right)
            if shown.standing is None and key in folds:
                opens = key == Qt.Key.Key_Right
                if key in keys or opens is shown.is_folded:
                    self.fold_asked.emit(shown.group)
                return
            if shown.standing is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.jump_asked.emit(row)
                return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._delegate.by_key = False
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.button() == Qt.MouseButton.LeftButton:
            row = self.memories.rows[index.row()]
            if row.standing is None:
                self.fold_asked.emit(row.group)
                return
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        is_link = index.column() == Column.SOURCES and event.button() == Qt.MouseButton.LeftButton
        if is_link and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.jump_asked.emit(index.row())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        standing = self.memories.standing(index.row()) if index.isValid() else None
        is_link = index.column() == Column.SOURCES and standing is not None
        has_source = is_link and standing is not None and bool(standing.memory.evidence)
        hand = Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(hand if has_source else Qt.CursorShape.ArrowCursor)

    def focusInEvent(self, event: QFocusEvent) -> None:
        tabs = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._delegate.by_key = event.reason() in tabs
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            at = self.visualRect(self.currentIndex()).bottomLeft() + QPoint(INDENT, 0)
        else:
            at = event.pos()
        self.menu_asked.emit(self.viewport().mapToGlobal(at))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """What is said elsewhere too, or of nothing here, leaves its room to the words."""
        has_confidence = self.width() >= NARROW_TABLE and self._is_any_judged
        self.setColumnHidden(Column.CONFIDENCE, not has_confidence)
        self.setColumnHidden(Column.USED, self.width() < WIDE_TABLE)


class Header(QHeaderView):
    """Names of columns; the one that sorts has an arrow.

    left: px before the first name. numbers: columns that are flush right.
    """

    def __init__(self, parent: QWidget, *, left: int, numbers: Collection[int]) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._left, self._numbers = left, frozenset(numbers)
        self.sorted_by: int | None = None
        self.is_descending = False
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setFixedHeight(HEADER_HEIGHT)
        self.setAccessibleName(tr("Columns"))
        self.setMouseTracking(True)

    def show_order(self, column: int | None, *, is_descending: bool) -> None:
        """Mark the column that sorts; None for none."""
        self.sorted_by, self.is_descending = column, is_descending
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), HEADER_HEIGHT)

    def width_of(self, number: int) -> int:
        """Px that a column needs for its name."""
        words = str(self.model().headerData(number, Qt.Orientation.Horizontal))
        beside = 20 if number in self._numbers else 8
        return QFontMetrics(ui_font(12, SEMIBOLD)).horizontalAdvance(words) + beside

    def paintSection(self, painter: QPainter, rect: QRect, number: int) -> None:
        t = current_tokens()
        painter.save()
        painter.fillRect(rect, t.stage)
        painter.fillRect(QRect(rect.x(), rect.bottom(), rect.width(), 1), t.line)
        is_on = number == self.sorted_by
        painter.setFont(ui_font(12, SEMIBOLD if is_on else MEDIUM))
        painter.setPen(t.t1 if is_on else t.t2)
        area = rect.adjusted(self._left if number == 0 else 4, 0, -4, 0)
        side = Qt.AlignmentFlag.AlignLeft
        if number in self._numbers:
            area, side = rect.adjusted(0, 0, -16, 0), Qt.AlignmentFlag.AlignRight
        words = str(self.model().headerData(number, Qt.Orientation.Horizontal))
        painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter, words)
        if is_on:
            width = painter.fontMetrics().horizontalAdvance(words)
            name = "chevron-down" if self.is_descending else "chevron-up"
            icon = icon_pixmap(name, t.t2, 12, painter.device().devicePixelRatioF())
            x = area.left() + width + 3
            if side == Qt.AlignmentFlag.AlignRight:
                x = area.right() - width - 14
            painter.drawPixmap(x, rect.center().y() - 5, icon)
        painter.restore()
