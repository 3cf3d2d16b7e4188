"""The use of models as tables: the sums by task, and those by day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QHeaderView, QSizePolicy, QTableView

from app.core.model_use import Spent
from app.core.translation import number, tr
from ui.controls.labels import plain_tip
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.work.use_words import estimate_words, price_words, sum_words

Index = QModelIndex | QPersistentModelIndex

ROW = 28
WIDTHS = (0, 72, 84, 76, 60)
PRICE = 4
PADDING = 5  # as cells have


@dataclass(frozen=True, slots=True)
class UseRow:
    """key: what the row is about. words: what it is called. price: None where there is none."""

    key: Any
    words: str
    spent: Spent
    price: float | None = None


class UseModel(QAbstractTableModel):
    """Name, requests, tokens read, tokens written, price."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self._headers = (what, tr("Requests"), tr("Read"), tr("Written"), tr("Price"))
        self._rows: tuple[UseRow, ...] = ()

    def show_rows(self, rows: tuple[UseRow, ...]) -> None:
        """Show these; where only the numbers differ, the cursor stays."""
        if [row.key for row in rows] != [row.key for row in self._rows]:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
        else:
            self._rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, PRICE))

    def row(self, number: int) -> UseRow | None:
        """A row, None for one that is not there."""
        return self._rows[number] if 0 <= number < len(self._rows) else None

    def number_of(self, key: Any) -> int:
        """Where a row stands, -1 for nowhere."""
        return next((n for n, row in enumerate(self._rows) if row.key == key), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._headers)

    def headerData(
        self, number: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headers[number]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(number)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.row(index.row())
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(row, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(index.column())
        if role == Qt.ItemDataRole.ForegroundRole:
            t = current_tokens()
            return t.t1 if index.column() == 0 else t.t2
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(" ".join(filter(None, (f"{row.words}.", estimate_words(row.spent)))))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.words}: {sum_words(row.spent, row.price)}"
        return None

    def _cell(self, row: UseRow, column: int) -> str:
        # What was counted here is only about what it was there.
        about = "~" if row.spent.estimated else ""
        spent = row.spent
        return (
            row.words,
            number(spent.requests),
            f"{about}{number(spent.prompt_tokens)}",
            f"{about}{number(spent.output_tokens)}",
            price_words(row.price),
        )[column]


def _side(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class _PlainHeader(QHeaderView):
    """Words over a hairline, in line with the cells."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.setFont(ui_font(11, MEDIUM))
        self.setFixedHeight(ROW)
        self.setHighlightSections(False)
        self.setSectionsClickable(False)
        self.viewport().setAutoFillBackground(False)

    def paintSection(self, painter: QPainter, rect: QRect, number: int) -> None:
        t = current_tokens()
        words = self.model().headerData(number, Qt.Orientation.Horizontal)
        painter.setFont(self.font())
        painter.setPen(t.t3)
        area = rect.adjusted(PADDING, 0, -PADDING, 0)
        painter.drawText(area, int(_side(number)), str(words))
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), t.line)


class UseTable(QTableView):
    """As high as its rows: the page scrolls, not the table."""

    def __init__(self, name: str, model: UseModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setFont(ui_font(12))
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        header = _PlainHeader(self)
        self.setHorizontalHeader(header)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in range(1, model.columnCount()):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            self.setColumnWidth(column, WIDTHS[column])
        model.modelReset.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        return QSize(360, ROW * (1 + self.model().rowCount()) + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, self.sizeHint().height())
