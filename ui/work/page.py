"""The work page: the queue, what went wrong, and the means to stop or repeat it."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.health import Light
from app.operations import FINISHED, Operation, OperationStatus
from ui.controls.buttons import Button
from ui.controls.labels import Label, body, meta
from ui.controls.prose import Prose
from ui.controls.surfaces import Line
from ui.session import Session
from ui.theme.fonts import SEMIBOLD, ui_font
from ui.theme.palette import T2_ROLE
from ui.work.delegate import ROW_HEIGHT, OperationDelegate
from ui.work.model import Column, OperationModel, Progress, state_sentence

EMPTY = "Nothing waits. Recaps and scene breaks are made here, one after the other."
WIDTHS = {Column.TOKENS: 116, Column.TIME: 84}


class WorkPage(QWidget):
    """Delete cancels the selected operation, R tries it again."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = OperationModel()
        self._summary = Label(font=ui_font(13, SEMIBOLD))
        self._pause = Button("Pause", icon="pause")
        self._pause.clicked.connect(self._on_pause)
        self._cancel = Button("Cancel", icon="cross", hint="Del")
        self._cancel.clicked.connect(self.cancel_selected)
        self._retry = Button("Try again", icon="loop", hint="R")
        self._retry.clicked.connect(self.retry_selected)
        self._retry_all = Button("Try all again", icon="loop")
        self._retry_all.clicked.connect(self.retry_all)
        self._reason = Label(font=ui_font(12), tone=T2_ROLE, wraps=True)
        self.table = _Table(self)
        self._detail = body(wraps=True)
        self._detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._written_title = meta("What it writes")
        self._written = Prose("What the running operation writes")
        self._build()
        self._second = QTimer(self)
        self._second.setInterval(1000)
        self._second.timeout.connect(self.model.tick)
        selection = self.table.selectionModel()
        selection.selectionChanged.connect(self._on_selection)
        session.operations_changed.connect(self.show_operations)
        session.progressed.connect(self._on_progress)
        self.show_operations(session.companion.operations)

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 12, 16, 12)
        head.setSpacing(8)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._summary)
        words.addWidget(self._reason)
        head.addLayout(words, 1)
        for button in (self._retry_all, self._retry, self._cancel, self._pause):
            head.addWidget(button)
        nothing = QWidget()
        column = QVBoxLayout(nothing)
        column.addStretch(2)
        sentence = body(EMPTY, wraps=False)
        sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(sentence)
        column.addStretch(3)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(nothing)
        self._foot = QWidget()
        foot = QVBoxLayout(self._foot)
        foot.setContentsMargins(16, 12, 16, 12)
        foot.setSpacing(6)
        foot.addWidget(self._detail)
        foot.addWidget(self._written_title)
        foot.addWidget(self._written)
        self._written.setFixedHeight(96)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(head)
        outer.addWidget(Line())
        outer.addWidget(self._stack, 1)
        self._foot_line = Line()
        outer.addWidget(self._foot_line)
        outer.addWidget(self._foot)
        self._show_written("")

    def show_operations(self, operations: tuple[Operation, ...]) -> None:
        """Show the queue as it is now."""
        self.model.show_operations(operations)
        self._stack.setCurrentIndex(0 if operations else 1)
        open_count = sum(operation.status not in FINISHED for operation in operations)
        failed = sum(operation.status is OperationStatus.FAILED for operation in operations)
        words = f"{open_count} to do" if open_count else "Nothing to do"
        if failed:
            words += f", {failed} failed"
        is_paused = self._session.companion.is_paused
        self._summary.setText(words + (", paused" if is_paused else ""))
        self._show_reason(operations, is_paused=is_paused)
        self._retry_all.setVisible(failed > 0)
        self._retry_all.set_text("Try all again" if failed < 2 else f"Try all {failed} again")
        self._pause.set_text("Go on" if is_paused else "Pause")
        self._pause.set_icon("play" if is_paused else "pause")
        if not any(operation.status is OperationStatus.RUNNING for operation in operations):
            self._show_written("")
        self._on_selection()

    def _show_reason(self, operations: tuple[Operation, ...], *, is_paused: bool) -> None:
        """Why the queue holds, in its own words, else what it cost lately."""
        queue = self._session.companion.health.queue
        spent = sum(operation.prompt_tokens + operation.output_tokens for operation in operations)
        is_held = is_paused and queue.light is Light.BAD
        said = queue.sentence if is_held else f"{spent:,} tokens lately" if spent else ""
        self._reason.setText(said)
        self._reason.setVisible(bool(said))

    def take_focus(self) -> None:
        """Give the keyboard to the queue."""
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def selected(self) -> Operation | None:
        """The operation that the row cursor is on."""
        rows = self.table.selectionModel().selectedRows()
        return self.model.operation(rows[0].row()) if rows else None

    def cancel_selected(self) -> None:
        """Drop it; what runs is stopped at once."""
        operation = self.selected()
        if operation is not None and operation.status not in FINISHED:
            self._session.do(self._session.companion.cancel(operation.id), name="cancel")

    def retry_selected(self) -> None:
        """Queue it again, or try it now."""
        operation = self.selected()
        if operation is not None and self._may_retry(operation):
            self._session.do(self._session.companion.retry(operation.id), name="try again")

    def retry_all(self) -> None:
        """Try everything again that failed, and go on where refusals held the queue up."""
        self._session.do(self._session.companion.retry_all(), name="try all again")

    @staticmethod
    def _may_retry(operation: Operation) -> bool:
        return operation.status in (
            OperationStatus.FAILED,
            OperationStatus.CANCELLED,
            OperationStatus.WAITING,
        )

    def _on_selection(self) -> None:
        operation = self.selected()
        self._cancel.setEnabled(operation is not None and operation.status not in FINISHED)
        self._retry.setEnabled(operation is not None and self._may_retry(operation))
        detail = ""
        if operation is not None and operation.error:
            detail = state_sentence(operation, now=operation.not_before)
        self._detail.setText(detail)
        self._detail.setVisible(bool(detail))
        self._show_foot()

    def _on_pause(self) -> None:
        companion = self._session.companion
        if companion.is_paused:
            companion.resume()
        else:
            companion.pause()
        self.show_operations(companion.operations)

    def _on_progress(self, progress: object) -> None:
        text = str(getattr(progress, "text", ""))
        operation_id = int(getattr(progress, "operation", 0))
        self.model.show_progress(operation_id, Progress(len(text)))
        self._show_written(text)

    def _show_written(self, text: str) -> None:
        # Only the end is of interest, and a model may write without end.
        self._written.set_text(text[-2000:])
        bar = self._written.verticalScrollBar()
        bar.setValue(bar.maximum())
        self._written.setVisible(bool(text))
        self._written_title.setVisible(bool(text))
        self._show_foot()

    def _show_foot(self) -> None:
        is_shown = bool(self._detail.text() or self._written.toPlainText())
        self._foot.setVisible(is_shown)
        self._foot_line.setVisible(is_shown)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._second.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._second.stop()


class _Table(QTableView):
    def __init__(self, page: WorkPage) -> None:
        super().__init__()
        self._page = page
        self.setModel(page.model)
        self.setItemDelegate(OperationDelegate(self))
        self.setAccessibleName("Queue")
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
        for column in (Column.WORK, Column.STATE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        for column, width in WIDTHS.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            self.setColumnWidth(column, width)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace:
                self._page.cancel_selected()
            case Qt.Key.Key_R:
                self._page.retry_selected()
            case _:
                super().keyPressEvent(event)

    def select_row(self, row: int) -> None:
        """Put the cursor on a row."""
        self.selectionModel().setCurrentIndex(
            self.model().index(row, 0),
            QItemSelectionModel.SelectionFlag.ClearAndSelect
            | QItemSelectionModel.SelectionFlag.Rows,
        )
