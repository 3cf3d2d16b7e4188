"""The queue's rows say what the queue says, with signals that a view can trust."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus
from ui.controls.labels import plain_tip
from ui.work.delegate import ICONS
from ui.work.model import (
    STATUS_WORDS,
    Column,
    OperationModel,
    Progress,
    duration_words,
    elapsed_seconds,
    state_sentence,
)


def operation(number: int, status: OperationStatus = OperationStatus.PENDING) -> Operation:
    spec = OperationSpec(
        OperationKind.SCENE_RECAP, 1, f"key {number}", "anchor", f"Recap of scene {number}"
    )
    return Operation(number, spec, status)


@pytest.fixture
def model(qapp: QApplication) -> OperationModel:
    made = OperationModel()
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal, made)
    return made


def labels(model: OperationModel) -> list[str]:
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def test_rows_follow_the_queue_through_every_change(model: OperationModel) -> None:
    one, two, three = operation(1), operation(2), operation(3)
    model.show_operations((one, two))
    model.show_operations((three, two, one))
    assert labels(model) == ["Recap of scene 3", "Recap of scene 2", "Recap of scene 1"]
    model.show_operations((two,))
    assert labels(model) == ["Recap of scene 2"]
    model.show_operations(())
    assert model.rowCount() == 0


def test_a_failure_is_told_in_its_own_words(model: OperationModel) -> None:
    failed = replace(operation(1, OperationStatus.FAILED), error="The model answered nothing.")
    model.show_operations((failed,))
    assert model.index(0, Column.STATE).data() == "The model answered nothing."
    spoken = model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "The model answered nothing." in spoken


def test_a_waiting_operation_says_when_it_is_tried_again() -> None:
    waiting = replace(
        operation(1, OperationStatus.WAITING), error="Nobody answers.", not_before=130.0
    )
    assert state_sentence(waiting, now=100.0) == "Nobody answers. Retrying in 30 s."


def test_what_runs_shows_how_much_is_written(model: OperationModel) -> None:
    model.show_operations((operation(7, OperationStatus.RUNNING),))
    model.show_progress(7, Progress(letters=1200))
    assert model.index(0, Column.STATE).data() == "Running, 1,200 characters so far"


def test_letters_of_another_attempt_are_not_those_of_this_one(model: OperationModel) -> None:
    """14 letters stood at an attempt for which the server had sent nothing."""
    running = operation(7, OperationStatus.RUNNING)
    model.show_operations((running,))
    model.show_progress(7, Progress(letters=14))
    model.show_operations((replace(running, attempts=2),))
    assert "letters" not in model.index(0, Column.STATE).data()


def test_time_runs_only_while_it_runs() -> None:
    started = replace(operation(1, OperationStatus.RUNNING), started=10.0)
    assert elapsed_seconds(started, now=25.0) == 15.0
    done = replace(started, status=OperationStatus.DONE, finished=14.0)
    assert elapsed_seconds(done, now=25.0) == 4.0
    assert elapsed_seconds(operation(2), now=25.0) is None


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.42, "0.4 s"), (59, "59 s"), (750, "12:30 min"), (3723, "1:02:03 h")]
)
def test_durations_are_short(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


def test_every_state_has_an_icon_and_a_word() -> None:
    assert set(ICONS) == set(OperationStatus)
    assert set(STATUS_WORDS) == set(OperationStatus)


def test_rows_that_are_held_say_what_is_new_and_stay_where_they_are(model: OperationModel) -> None:
    """The row under the pointer moved away with each piece of work that ended."""
    one, two, three = operation(1), operation(2), operation(3)
    model.show_operations((one, two, three))
    done = replace(one, status=OperationStatus.DONE)
    model.show_in_place((replace(two, status=OperationStatus.RUNNING), operation(4), done))
    assert labels(model) == ["Recap of scene 1", "Recap of scene 2", "Recap of scene 4"]
    state = model.index(0, Column.STATE)
    assert state.data() == ""  # the mark says it
    assert state.data(Qt.ItemDataRole.ToolTipRole) == plain_tip("Done")
    assert "Done" in model.index(0, Column.WORK).data(Qt.ItemDataRole.ToolTipRole)
    assert "Done" in state.data(Qt.ItemDataRole.AccessibleTextRole).split(", ")
    assert model.index(1, Column.STATE).data() == "Running"
    model.show_in_place((two, operation(4)))
    assert labels(model)[0] == "Recap of scene 1"
