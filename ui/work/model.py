"""The rows of the queue: one per operation, in the order in which they are worked off."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from app.core.operations import FINISHED, Operation, OperationKind, OperationStatus
from app.core.translation import N_, number, retold, tr, trn
from app.story.recaps import BUILT_IN
from ui.controls.dates import time_words
from ui.controls.labels import plain_tip

Index = QModelIndex | QPersistentModelIndex

OPERATION_ROLE = Qt.ItemDataRole.UserRole
PROGRESS_ROLE = Qt.ItemDataRole.UserRole + 1
DETAIL_ROLE = Qt.ItemDataRole.UserRole + 2


class Column(IntEnum):
    """What stands in each column."""

    WORK = 0
    STATE = 1
    TOKENS = 2
    TIME = 3


HEADERS = (N_("Work"), N_("State"), N_("Tokens"), N_("Time"))

KIND_WORDS = {
    OperationKind.DETECT_BREAKS: N_("Looking for scene breaks"),
    OperationKind.SCENE_RECAP: N_("Scene recap"),
    OperationKind.RUNNING_RECAP: N_("Running recap"),
    OperationKind.MESSAGE_RECAP: N_("Message recap"),
    OperationKind.MEMORY_PASS: N_("Memories"),
    OperationKind.ARC_SUMMARY: N_("Summary of a plot thread"),
    OperationKind.PROFILE: N_("Profile"),
    OperationKind.CANON: N_("Canon"),
    OperationKind.CONTINUITY: N_("Check of a reply"),
    OperationKind.SUMMARY: N_("Summary"),
    OperationKind.TRIGGERS: N_("Keywords of memories"),
    OperationKind.UPKEEP: N_("What no longer holds"),
    OperationKind.AWAY: N_("Story so far"),
}
STATUS_WORDS = {
    OperationStatus.PENDING: N_("Waiting"),
    OperationStatus.RUNNING: N_("Running"),
    OperationStatus.WAITING: N_("Trying again later"),
    OperationStatus.DONE: N_("Done"),
    OperationStatus.FAILED: N_("Failed"),
    OperationStatus.CANCELLED: N_("Cancelled"),
    OperationStatus.OUTDATED: N_("No longer needed"),
}


PAUSES_HERE = N_("The queue pauses before this one")
AT_ONCE = 0.05  # seconds; less would be shown as nothing


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the running operation is: letters written so far."""

    letters: int = 0


def duration_words(seconds: float) -> str:
    """At once, 0.4 s, 40 s, 12:30 min, 1:02:03 h."""
    if 0 <= seconds < AT_ONCE:
        return tr("at once")
    if 0 <= seconds < 10:
        return tr("{seconds} s", seconds=number(seconds, 1))
    whole = max(0, int(seconds))
    if whole < 60:
        return tr("{seconds} s", seconds=number(whole))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return tr("{clock} h", clock=f"{hours}:{minutes:02}:{rest:02}")
    return tr("{clock} min", clock=f"{minutes}:{rest:02}")


def state_sentence(operation: Operation, *, now: float, is_paused: bool = False) -> str:
    """Where it stands; a failure in its own words. is_paused: nothing is begun before "Go on"."""
    if operation.status is OperationStatus.WAITING:
        seconds = operation.not_before - now
        error = retold(operation.error) if operation.error else tr("It did not work.")
        if seconds < AT_ONCE and operation.held:  # another one asks for it
            return operation.held
        if is_paused:
            return f"{error} {tr('Retries when work resumes.')}"
        if seconds < AT_ONCE:
            return f"{error} {tr('Retrying now.')}"
        return f"{error} {tr('Retrying in {duration}.', duration=duration_words(seconds))}"
    if operation.status is OperationStatus.FAILED and operation.error:
        return operation.error
    if operation.status is OperationStatus.DONE and operation.error:
        return tr("No result. {why}", why=retold(operation.error))
    if operation.status is OperationStatus.OUTDATED and operation.error:
        return retold(operation.error)
    if operation.pauses_before:
        return tr(PAUSES_HERE)
    if operation.status is OperationStatus.PENDING and operation.held:
        return operation.held
    return tr(STATUS_WORDS[operation.status])


def token_words(operation: Operation) -> str:
    """What it cost in one sentence, "" for nothing."""
    if not operation.prompt_tokens and not operation.output_tokens:
        return ""
    return tr(
        "{prompt_tokens} tokens read, {output_tokens} written.",
        prompt_tokens=number(operation.prompt_tokens),
        output_tokens=number(operation.output_tokens),
    )


def detail_words(operation: Operation, chat: str = "") -> str:
    """When it ended, who did it, and which chat it is about."""
    # What it is stands above, in its label.
    parts = []
    if operation.finished is not None:
        parts.append(time_words(operation.finished, now=time.time()))
    known = {"kept": tr("from earlier"), BUILT_IN: tr("without a model")}
    parts.append(known.get(operation.backend) or retold(operation.backend))
    if operation.attempts > 1:
        parts.append(tr("attempt {attempts}", attempts=operation.attempts))
    parts.append(chat)  # the longest, and of most rows the same: a narrow row cuts its end
    return ", ".join(filter(None, parts))


def elapsed_seconds(operation: Operation, *, now: float) -> float | None:
    """How long it has run or ran; None before it began."""
    if operation.started is None:
        return None
    end = operation.finished if operation.finished is not None else now
    if operation.status not in FINISHED and operation.status is not OperationStatus.RUNNING:
        return None
    return max(0.0, end - operation.started)  # the clock may have been set back


def _is_told_by_its_mark(operation: Operation) -> bool:
    """Whether all there is to say of its state is the check mark before it."""
    return operation.status is OperationStatus.DONE and not operation.error


class OperationModel(QAbstractTableModel):
    """Operations as the queue gives them. chat_of: what the chat with a number is called."""

    def __init__(self, chat_of: Callable[[int], str] = lambda _: "") -> None:
        super().__init__()
        self._chat_of = chat_of
        self._rows: list[Operation] = []
        self._progress = Progress()
        self._running: tuple[int, int] | None = None  # operation and attempt that it is of
        self.is_paused = False  # the queue, so that nothing of it is begun

    def show_operations(self, operations: tuple[Operation, ...]) -> None:
        """Replace what is shown, with exact signals so that the selection stays."""
        for row in range(len(self._rows) - 1, -1, -1):
            if all(operation.id != self._rows[row].id for operation in operations):
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._rows[row]
                self.endRemoveRows()
        runs = (op for op in operations if op.status is OperationStatus.RUNNING)
        running = next(((op.id, op.attempts) for op in runs), None)
        if running != self._running:
            self._running, self._progress = running, Progress()
        for row, operation in enumerate(operations):
            self._put(row, operation)

    def show_in_place(self, operations: tuple[Operation, ...]) -> None:
        """Say how those that are shown stand by now, each in its row; new ones wait below.

        What ended and is kept no longer stays; what was taken out of the queue goes.
        """
        by_id = {operation.id: operation for operation in operations}
        shown = [op for op in self._rows if op.id in by_id or op.status in FINISHED]
        known = {operation.id for operation in shown}
        new = (operation for operation in operations if operation.id not in known)
        self.show_operations((*(by_id.get(op.id, op) for op in shown), *new))

    def _put(self, row: int, operation: Operation) -> None:
        old = next((r for r in range(row, len(self._rows)) if self._rows[r].id == operation.id), -1)
        if old < 0:
            self.beginInsertRows(QModelIndex(), row, row)
            self._rows.insert(row, operation)
            self.endInsertRows()
            return
        if old != row:
            self.beginMoveRows(QModelIndex(), old, old, QModelIndex(), row)
            self._rows.insert(row, self._rows.pop(old))
            self.endMoveRows()
        if self._rows[row] != operation:
            self._rows[row] = operation
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(Column) - 1))

    def show_progress(self, operation_id: int, progress: Progress) -> None:
        """Show how far the running one is."""
        self._progress = progress
        self._touch(operation_id)

    def tick(self) -> None:
        """A second has gone: times that run are drawn anew."""
        for operation in self._rows:
            if operation.status in (OperationStatus.RUNNING, OperationStatus.WAITING):
                self._touch(operation.id)

    def _touch(self, operation_id: int) -> None:
        for row, operation in enumerate(self._rows):
            if operation.id == operation_id:
                self.dataChanged.emit(self.index(row, 0), self.index(row, len(Column) - 1))

    def operation(self, row: int) -> Operation | None:
        """The operation of a row, None for a row that is not there."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def first_waiting(self) -> int | None:
        """Id of the operation that is next, None when none waits."""
        for operation in self._rows:
            if operation.status in (OperationStatus.PENDING, OperationStatus.WAITING):
                return operation.id
        return None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(HEADERS[section])
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        operation = self._rows[index.row()]
        if role == OPERATION_ROLE:
            return operation
        if role == PROGRESS_ROLE:
            return self._progress
        if role == DETAIL_ROLE:
            return detail_words(operation, self._chat_of(operation.spec.chat))
        if role == Qt.ItemDataRole.DisplayRole:
            is_told = index.column() == Column.STATE and _is_told_by_its_mark(operation)
            return "" if is_told else self._cell(operation, Column(index.column()))
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == Column.STATE:
            return plain_tip(state_sentence(operation, now=time.time(), is_paused=self.is_paused))
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == Column.TOKENS:
            return token_words(operation)
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == Column.WORK:
            detail = detail_words(operation, self._chat_of(operation.spec.chat))
            state = self._cell(operation, Column.STATE) if _is_told_by_its_mark(operation) else ""
            return plain_tip(", ".join(filter(None, (state, detail))))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            cells = (self._cell(operation, column) for column in Column)
            return ", ".join(filter(None, (*cells, self._chat_of(operation.spec.chat))))
        return None

    def _cell(self, operation: Operation, column: Column) -> str:
        now = time.time()
        match column:
            case Column.WORK:
                return retold(operation.spec.label) or tr(KIND_WORDS[operation.spec.kind])
            case Column.STATE:
                is_running = operation.status is OperationStatus.RUNNING
                if is_running and self._progress.letters:
                    return tr(
                        "Running, {letters} characters so far",
                        letters=number(self._progress.letters),
                    )
                return state_sentence(operation, now=now, is_paused=self.is_paused)
            case Column.TOKENS:
                total = operation.prompt_tokens + operation.output_tokens
                return trn("{n} token", "{n} tokens", total) if total else ""
            case Column.TIME:
                seconds = elapsed_seconds(operation, now=now)
                return "" if seconds is None else duration_words(seconds)
