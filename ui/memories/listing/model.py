"""The rows of the table: heads of groups and memories, over data that is already arranged."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from app.core.translation import N_, number, tr
from app.memory.documents.browsing import Order, Row, sentence_of
from app.memory.lifecycle.decay import is_judged
from app.memory.standing import Ground, Standing
from ui.controls.labels import plain_tip
from ui.memories.words import (
    confidence_title,
    confidence_words,
    head_words,
    importance_words,
    percent,
    source_words,
    spoken_row,
    validity_words,
)

Index = QModelIndex | QPersistentModelIndex

ROW_ROLE = Qt.ItemDataRole.UserRole


class Column(IntEnum):
    """What stands in each column."""

    MEMORY = 0
    IMPORTANCE = 1
    CONFIDENCE = 2
    VALID = 3
    SOURCES = 4
    USED = 5


HEADERS = (
    N_("Memory"),
    N_("Importance"),
    N_("Confidence"),
    N_("Valid from, to"),
    N_("Sources"),
    N_("Used"),
)
ORDERS = {
    Column.MEMORY: Order.TEXT,
    Column.IMPORTANCE: Order.IMPORTANCE,
    Column.CONFIDENCE: Order.CONFIDENCE,
    Column.VALID: Order.STORY,
    Column.SOURCES: Order.SOURCES,
    Column.USED: Order.USED,
}
# Asked for with every cell that is painted.
HEAD_FLAGS = Qt.ItemFlag.ItemIsEnabled
CELL_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
EDITABLE_FLAGS = CELL_FLAGS | Qt.ItemFlag.ItemIsEditable
NO_GROUND = Ground(0, {}, {}, -1)


class MemoryModel(QAbstractTableModel):
    """Rows as app.memory.documents.browsing arranged them.

    Signals:
        rewritten: (memory id, text), by an edit in the row.
    """

    rewritten = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[Row, ...] = ()
        self.ground = NO_GROUND
        self.at = -1
        self.can_edit = False
        self._places: dict[str, int] = {}

    def show_rows(self, rows: Sequence[Row], ground: Ground, at: int) -> None:
        """Show other rows. at: index of the message at which they stand."""
        self.beginResetModel()
        self.rows, self.ground, self.at = tuple(rows), ground, at
        self._places = {
            row.standing.memory.id: place
            for place, row in enumerate(self.rows)
            if row.standing is not None
        }
        self.endResetModel()

    def place_of(self, memory_id: str) -> int | None:
        """Row of a memory, None when it is not shown."""
        return self._places.get(memory_id)

    def standing(self, row: int) -> Standing | None:
        """The memory of a row; None for the head of a group and outside."""
        return self.rows[row].standing if 0 <= row < len(self.rows) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(Column)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self.rows[index.row()].standing is None:
            return HEAD_FLAGS
        if self.can_edit and index.column() == Column.MEMORY:
            return EDITABLE_FLAGS
        return CELL_FLAGS

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(HEADERS[section])
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == ROW_ROLE:
            return row
        if row.standing is None:
            if role == Qt.ItemDataRole.DisplayRole and index.column() == 0:
                return head_words(row)
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return f"{head_words(row)}, {row.count}" + (
                    tr(", collapsed") if row.is_folded else ""
                )
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(row.standing, Column(index.column()))
        if role == Qt.ItemDataRole.EditRole and index.column() == Column.MEMORY:
            return row.standing.memory.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken_row(row.standing, self.ground)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._tip(row.standing, Column(index.column())))
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self.rows[index.row()] if index.isValid() else None
        if row is None or row.standing is None or role != Qt.ItemDataRole.EditRole:
            return False
        text = " ".join(str(value).split())
        if text and text != row.standing.memory.text:
            self.rewritten.emit(row.standing.memory.id, text)
        return True  # the companion says when it is so

    def _cell(self, standing: Standing, column: Column) -> str:
        memory = standing.memory
        match column:
            case Column.MEMORY:
                return sentence_of(memory)
            case Column.IMPORTANCE:
                return str(memory.importance)
            case Column.CONFIDENCE:
                return str(percent(memory)) if is_judged(memory) else ""
            case Column.VALID:
                return validity_words(standing)
            case Column.SOURCES:
                return source_words(standing, self.ground)
            case Column.USED:
                return f"{number(memory.recalls)}×" if memory.recalls else ""

    def _tip(self, standing: Standing, column: Column) -> str:
        memory = standing.memory
        match column:
            case Column.IMPORTANCE:
                said = tr("Importance {importance} of 3", importance=memory.importance)
                return f"{said}. {importance_words(memory)}"
            case Column.CONFIDENCE:
                return f"{confidence_title(memory)}. {confidence_words(memory)}"
            case Column.VALID:
                return tr("Valid {validity}.", validity=validity_words(standing))
            case Column.SOURCES:
                words = source_words(standing, self.ground, most=20)
                return tr("From {sources}.", sources=words) if memory.evidence else ""
            case Column.USED:
                return tr("How often it was part of a prompt.")
            case _:
                return sentence_of(memory)
