"""Copies of a chat as a table: when, how many messages, how large."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import IntEnum

from PySide6.QtCore import (
    QAbstractTableModel,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from app.core.translation import N_, number, tr
from app.views.chat_copies import ChatCopy
from ui.controls.dates import moment_words

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Column(IntEnum):
    """What stands in a row."""

    WHEN = 0
    MESSAGES = 1
    SIZE = 2


HEADERS = {Column.WHEN: N_("Kept"), Column.MESSAGES: N_("Messages"), Column.SIZE: N_("On disk")}


def copy_words(copy: ChatCopy) -> str:
    """When a copy was made; what else it is, where it is none of a whole chat."""
    if copy.is_rest:
        return tr("Messages of older copies that are nowhere else")
    return moment_words(datetime.fromtimestamp(copy.moment, tz=UTC).astimezone())


class CopiesModel(QAbstractTableModel):
    """Newest first."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._copies: tuple[ChatCopy, ...] = ()

    def show(self, copies: tuple[ChatCopy, ...]) -> None:
        """Show these."""
        self.beginResetModel()
        self._copies = copies
        self.endResetModel()

    def copy_at(self, index: AnyIndex) -> ChatCopy | None:
        """The copy of a row, None beyond them."""
        return self._copies[index.row()] if index.isValid() else None

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._copies)

    def columnCount(self, parent: AnyIndex = _ROOT) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        if orientation is Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(HEADERS[Column(section)])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section != Column.WHEN else _LEFT
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() != Column.WHEN else None
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        copy = self._copies[index.row()]
        match Column(index.column()):
            case Column.WHEN:
                return copy_words(copy)
            case Column.MESSAGES:
                return number(copy.messages)
            case Column.SIZE:
                return QLocale().formattedDataSize(
                    copy.bytes, 1, QLocale.DataSizeFormat.DataSizeTraditionalFormat
                )
