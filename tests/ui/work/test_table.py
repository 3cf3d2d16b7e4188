"""The queue's list stays where the user put it, and opens at what runs or failed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QApplication

from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus
from ui.work.model import OperationModel
from ui.work.table import QueueTable

DONE, FAILED = OperationStatus.DONE, OperationStatus.FAILED


def operation(number: int, status: OperationStatus = OperationStatus.PENDING) -> Operation:
    spec = OperationSpec(
        OperationKind.SCENE_RECAP, 1, f"key {number}", "anchor", f"Recap of scene {number}"
    )
    return Operation(number, spec, status)


@pytest.fixture
def table(qapp: QApplication) -> QueueTable:
    made = QueueTable(OperationModel())
    made.resize(900, 400)
    made.show()
    return made


def worked_off(table: QueueTable, ended: int, shown: int = 20) -> None:
    """Work goes on: `ended` pieces are done, the newest `shown` of them stay in the list."""
    model = table.model()
    assert isinstance(model, OperationModel)
    done = [operation(number, DONE) for number in range(ended, max(0, ended - shown), -1)]
    running = operation(ended + 1, OperationStatus.RUNNING)
    model.show_operations((running, operation(ended + 2), *done))


def test_a_list_that_is_scrolled_stays_while_work_ends(table: QueueTable) -> None:
    """Each oldest row that went took the list to its end, and chose the row there."""
    worked_off(table, 20)
    first = table.model().index(0, 0)  # the keyboard's row, as focus sets it
    table.selectionModel().setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
    for ended in range(21, 50):
        worked_off(table, ended)
    assert table.verticalScrollBar().value() == 0
    assert not table.selectionModel().hasSelection()


def test_a_chosen_row_that_goes_leaves_no_other_chosen(table: QueueTable) -> None:
    worked_off(table, 20)
    table.select_row(table.model().rowCount() - 1)
    bar = table.verticalScrollBar()
    bar.setValue(100)
    worked_off(table, 21)
    assert bar.value() == 100
    assert not table.selectionModel().hasSelection()


def test_it_opens_at_what_failed_unless_a_row_is_chosen(table: QueueTable) -> None:
    model = table.model()
    assert isinstance(model, OperationModel)
    many = [operation(number) for number in range(30)]
    model.show_operations((*many, operation(30, FAILED), *(operation(31 + n) for n in range(9))))
    table.show_what_counts()
    failed = table.visualRect(model.index(30, 0))
    assert table.viewport().rect().contains(failed)
    model.show_operations((replace(many[0], status=OperationStatus.RUNNING), *many[1:]))
    table.show_what_counts()
    assert table.verticalScrollBar().value() == 0
    table.select_row(29)
    at = table.verticalScrollBar().value()
    table.show_what_counts()
    assert at == table.verticalScrollBar().value() > 0
