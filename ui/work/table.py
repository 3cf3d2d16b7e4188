"""The table of the queue: one row for each operation, a menu on each."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, Signal
from PySide6.QtGui import QContextMenuEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QTableView

from app.core.operations import OperationStatus
from app.core.translation import tr
from ui.work.delegate import ROW_HEIGHT, OperationDelegate
from ui.work.model import OPERATION_ROLE, Column, OperationModel

Index = QModelIndex | QPersistentModelIndex

WIDTHS = {Column.TOKENS: 116, Column.TIME: 84}
WORK_SHARE = 0.46  # of the width
BEST_WORK = 520  # px; a wider one keeps from the state what it needs
ROOMY = 720  # px; what a narrower table hides stands in the tips


class QueueTable(QTableView):
    """Operations in the order of their work.

    Signals:
        menu_asked: where a menu is wanted, in the screen's pixels.
    """

    menu_asked = Signal(QPoint)

    def __init__(self, model: OperationModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setItemDelegate(OperationDelegate(self))
        self.setAccessibleName(tr("Queue"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.viewport().setAutoFillBackground(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        header = self.horizontalHeader()
        header.hide()
        # What became of a work says more than what it was.
        header.setSectionResizeMode(Column.WORK, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(Column.STATE, QHeaderView.ResizeMode.Stretch)
        for column, width in WIDTHS.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            self.setColumnWidth(column, width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        width = self.viewport().width()
        self.setColumnWidth(Column.WORK, int(min(BEST_WORK, WORK_SHARE * width)))
        self.setColumnHidden(Column.TOKENS, width < ROOMY)
        super().resizeEvent(event)

    def rowsAboutToBeRemoved(self, parent: Index, start: int, end: int) -> None:
        # Qt would select the row before it and scroll there: with each piece of work that ends,
        # the oldest row goes, and the list would snap to its end.
        if start <= self.currentIndex().row() <= end:
            self.selectionModel().clear()
        super().rowsAboutToBeRemoved(parent, start, end)

    def show_what_counts(self) -> None:
        """Scroll to what runs, else to what failed, else to the first; a chosen row stays."""
        selection = self.selectionModel()
        if selection.hasSelection():
            return
        selection.clear()  # the keyboard's row went down the list with its work
        self.executeDelayedItemsLayout()
        rows = [self.model().index(row, 0) for row in range(self.model().rowCount())]
        for status in (OperationStatus.RUNNING, OperationStatus.FAILED):
            for index in rows:
                if index.data(OPERATION_ROLE).status is status:
                    self.scrollTo(index)
                    return
        self.scrollToTop()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            at = self.visualRect(self.currentIndex()).bottomLeft() + QPoint(44, 0)
        else:
            at = event.pos()
        index = self.indexAt(event.pos())
        if event.reason() != QContextMenuEvent.Reason.Keyboard and index.isValid():
            self.select_row(index.row())
        self.menu_asked.emit(self.viewport().mapToGlobal(at))

    def select_row(self, row: int) -> None:
        """Put the cursor on a row."""
        self.selectionModel().setCurrentIndex(
            self.model().index(row, 0),
            QItemSelectionModel.SelectionFlag.ClearAndSelect
            | QItemSelectionModel.SelectionFlag.Rows,
        )
