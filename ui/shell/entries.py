"""Rows of an icon, words and a detail at the right, as sheets over the page list them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

Index = QModelIndex | QPersistentModelIndex

ROW_HEIGHT = 32
BESIDE_ROWS = 4  # px at the right, for the scroll bar
ENTRY_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: what it is, and what happens when it is chosen.

    value: whatever the row stands for. is_faded: shown as what does not count now.
    """

    text: str
    detail: str
    icon: str
    action: QAction | None = None
    anchor: str = ""
    value: object = None
    is_faded: bool = False


class EntryModel(QAbstractListModel):
    """The rows; `ENTRY_ROLE` gives an Entry."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[Entry, ...] = ()

    def show_entries(self, entries: tuple[Entry, ...]) -> None:
        """Show these and no others."""
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{entry.text}, {entry.detail}" if entry.detail else entry.text
        return entry if role == ENTRY_ROLE else None


def entry_list(model: EntryModel, name: str) -> QListView:
    """A frameless list of entries; `name` is for screen readers."""
    shown = QListView()
    shown.setModel(model)
    shown.setItemDelegate(EntryDelegate(shown))
    shown.setFrameShape(QFrame.Shape.NoFrame)
    shown.setAccessibleName(name)
    shown.setMouseTracking(True)
    shown.setUniformItemSizes(True)
    shown.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    shown.viewport().setAutoFillBackground(False)
    return shown


def above_rows(widget: QWidget) -> QHBoxLayout:
    """A widget as wide as the rows beneath it, which leave room for their scroll bar."""
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, BESIDE_ROWS, 0)
    row.addWidget(widget)
    return row


def painted_ground(painter: QPainter, option: QStyleOptionViewItem) -> QRectF:
    """Paint what is behind a row, chosen or under the mouse; gives the row's area."""
    t, area = current_tokens(), QRectF(option.rect).adjusted(0, 1, -BESIDE_ROWS, -1)
    if option.state & QStyle.StateFlag.State_Selected:
        rounded(painter, area, 7, t.accent_soft)
    elif option.state & QStyle.StateFlag.State_MouseOver:
        rounded(painter, area, 7, t.hover)
    return area


def step_in(shown: QListView, key: int) -> None:
    """Put the cursor of a list one row on for the down key, one back for any other; it stays at
    the ends.
    """
    row = shown.currentIndex().row() + (1 if key == Qt.Key.Key_Down else -1)
    if 0 <= row < shown.model().rowCount():
        shown.setCurrentIndex(shown.model().index(row, 0))


class EntryDelegate(QStyledItemDelegate):
    """Paints an Entry on one line."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = current_tokens()
        entry: Entry = index.data(ENTRY_ROLE)
        painter.save()
        area = painted_ground(painter, option)
        if entry.icon:
            ratio = painter.device().devicePixelRatioF()
            icon = icon_pixmap(entry.icon, t.t2, 14, ratio)
            painter.drawPixmap(int(area.x()) + 10, int(area.center().y()) - 7, icon)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(ui_font(11, MEDIUM))
        painter.setPen(t.t3)
        room = painter.fontMetrics().horizontalAdvance(entry.detail) + 12
        words = area.adjusted(34, 0, -12, 0)
        painter.drawText(words, middle | Qt.AlignmentFlag.AlignRight, entry.detail)
        painter.setFont(ui_font(12.5))
        painter.setPen(t.t3 if entry.is_faded else t.t1)
        text = painter.fontMetrics().elidedText(
            entry.text, Qt.TextElideMode.ElideRight, int(words.width() - room)
        )
        painter.drawText(words, middle | Qt.AlignmentFlag.AlignLeft, text)
        painter.restore()
