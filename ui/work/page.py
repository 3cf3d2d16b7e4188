"""The work page: the queue, what went wrong, and the means to stop or repeat it."""

from __future__ import annotations

import time
from collections.abc import Mapping

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.operations import FINISHED, MEMORY, RECAPS, Operation, OperationStatus
from app.core.part_health import Light
from app.core.translation import N_, number, tr, tr_in
from app.views.queued_work import OperationProgress
from ui.controls.buttons import Button, IconButton
from ui.controls.fields import Segments
from ui.controls.holding import Hold
from ui.controls.labels import ElidedLabel, body, meta
from ui.controls.prose import Prose
from ui.controls.surfaces import Line
from ui.core.chat_words import chat_words
from ui.core.session import Session
from ui.theme.fonts import SEMIBOLD, ui_font
from ui.theme.palette import T2_ROLE
from ui.work.clearing import QueueClearing
from ui.work.commands import RETRIED, WorkCommands
from ui.work.model import OperationModel, Progress, state_sentence
from ui.work.strips import CapStrip, CatchUpStrip, ClearedStrip
from ui.work.table import QueueTable
from ui.work.use_pane import UsePane
from ui.work.words import failed_words, newest_of, to_do_words

BUTTON_HEIGHT = 28
PRICES = "price_prompt_tokens"
REASON_WIDTH = 120  # px at least
EMPTY = N_(
    "Nothing is waiting. Recaps, scene breaks and memories are made here, one after the other."
)
QUEUE, USE = "queue", "use"
UNBEGUN = (OperationStatus.PENDING, OperationStatus.WAITING)


class WorkPage(QWidget):
    """The queue in its order of work, and what models were asked for.

    Signals:
        setting_wanted: name of a setting to show.
    """

    setting_wanted = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = OperationModel(self._chat_of)
        self._summary = ElidedLabel(font=ui_font(13, SEMIBOLD))
        self._writer = -1  # the operation that wrote what is shown
        self._is_at_work = False  # something runs, or will in a moment
        self._pause = Button(tr("Pause"), icon="pause")
        self._pause.clicked.connect(self._on_pause)
        self.commands = WorkCommands(self)
        self._cancel = Button(tr("Cancel"), icon="cross")
        self._cancel.follow(self.commands.cancel)
        self._retry = Button(tr("Try again"), icon="loop")
        self._retry.follow(self.commands.retry)
        self._retry_all = Button(tr("Try all again"), icon="loop")
        self._retry_all.follow(self.commands.retry_all)
        self._more = IconButton("more", tr("More actions for the queue"))
        self._more.clicked.connect(self._open_more)
        self._catching_up = CatchUpStrip(*self.commands.of_a_backlog())
        self._offered = CatchUpStrip(*self.commands.of_a_backlog())  # while another goes on
        self._put_back = ClearedStrip(self.commands.put_back)
        self._clearing = QueueClearing(session, self.commands, self._put_back)
        self._capped = CapStrip(self.commands.go_on_today)
        self.views = Segments(tr("View"), {QUEUE: tr("Queue"), USE: tr("Usage")})
        self.views.choose(QUEUE)
        self.use = UsePane(session)
        self.use.prices_wanted.connect(lambda: self.setting_wanted.emit(PRICES))
        self._reason = ElidedLabel(font=ui_font(12), tone=T2_ROLE)
        self._reason.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._reason.setMinimumWidth(REASON_WIDTH)
        self.table = QueueTable(self.model)
        self.hold = Hold(self.table)
        self._detail = body(wraps=True)
        self._detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._written_title = meta(tr("Being written"))
        self._written = Prose(tr("What the running job writes"))
        self._build()
        self._second = QTimer(self)
        self._second.setInterval(1000)
        self._second.timeout.connect(self._tick)
        self._connect_commands()
        selection = self.table.selectionModel()
        selection.selectionChanged.connect(self._on_selection)
        session.operations_changed.connect(self.show_operations)
        self.hold.ended.connect(self._on_let_go)
        session.progressed.connect(self._on_progress)
        session.catch_up_offered.connect(self._on_catch_up_changed)
        self.show_operations(session.companion.work.operations)

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 12, 16, 8)
        head.setSpacing(8)
        head.addStrut(BUTTON_HEIGHT)  # without the queue's buttons, too
        head.addWidget(self.views)
        head.addStretch(1)
        self._said = self._make_said()
        self._tools = QWidget()  # of the queue
        tools = QHBoxLayout(self._tools)
        tools.setContentsMargins(0, 0, 0, 0)
        tools.setSpacing(8)
        for button in (self._retry_all, self._retry, self._cancel, self._pause, self._more):
            tools.addWidget(button)
        head.addWidget(self._tools)
        nothing = QWidget()
        column = QVBoxLayout(nothing)
        column.addStretch(2)
        sentence = body(tr(EMPTY), wraps=False)
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
        outer.addWidget(self._said)
        outer.addWidget(Line())
        queue = QWidget()
        column = QVBoxLayout(queue)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for strip in (self._catching_up, self._offered, self._put_back):
            column.addWidget(strip)
        column.addWidget(self._stack, 1)
        self._foot_line = Line()
        column.addWidget(self._foot_line)
        column.addWidget(self._foot)
        self._panes = QStackedWidget()
        self._panes.addWidget(queue)
        self._panes.addWidget(self.use)
        outer.addWidget(self._capped)
        outer.addWidget(self._panes, 1)
        self._show_written("")

    def _make_said(self) -> QWidget:
        """What is said of the queue, always a line of its own: it moves no button, and has room."""
        said = QWidget()
        words = QHBoxLayout(said)
        words.setContentsMargins(16, 0, 16, 12)
        words.setSpacing(12)
        words.addWidget(self._summary)
        words.addWidget(self._reason, 1)
        return said

    def _connect_commands(self) -> None:
        commands = self.commands
        for action, slot in (
            (commands.retry, self.retry_selected),
            (commands.cancel, self.cancel_selected),
            (commands.pause_before, self.pause_before_selected),
            (commands.move_up, self.move_selected_up),
            (commands.move_first, self.move_selected_first),
            (commands.clear_asked, self._on_clear_asked),
            (commands.retry_all, self.retry_all),
            (commands.start, self._on_start),
            (commands.recaps, self._on_recaps),
            (commands.memory, self._on_memory),
            (commands.stop, self._on_stop),
            (commands.stop_now, self._on_stop_now),
            (commands.go_on_today, self._on_go_on_today),
            (commands.show_use, self._on_show_use),
        ):
            action.triggered.connect(slot)
        self.views.chosen.connect(self.show_view)
        self.table.menu_asked.connect(self._open_menu)

    def show_operations(self, operations: tuple[Operation, ...]) -> None:
        """Show the queue as it is now."""
        self.model.is_paused = self._session.companion.work.is_paused
        show = self.model.show_in_place if self.hold.is_on else self.model.show_operations
        show(operations)
        self._stack.setCurrentIndex(0 if operations else 1)
        open_count = self._session.companion.work.to_do
        failed = sum(operation.status is OperationStatus.FAILED for operation in operations)
        catching_up = self._session.companion.work.catching_up
        words = [to_do_words(open_count, catching_up)] if open_count else []
        if failed:
            words.append(failed_words(self._session, operations))
        is_paused = self._session.companion.work.is_paused
        if is_paused:
            words.append(tr_in("the queue", "paused"))
        self._show_reason(is_paused=is_paused)
        self._retry_all.setVisible(failed > 0)
        self._retry_all.set_text(
            tr("Try all again") if failed < 2 else tr("Try all {failed} again", failed=failed)
        )
        self._pause.set_text(tr("Go on") if is_paused else tr("Pause"))
        self._pause.set_icon("play" if is_paused else "pause")
        self._is_at_work = open_count > 0 and not is_paused
        if not any(operation.status is OperationStatus.RUNNING for operation in operations):
            self._show_written("")
        elif self._writer not in newest_of(operations):
            self._written.set_text("")  # others ended since: it is not the last any more
            self._written_title.setText(tr("Being written"))
        waiting = [op for op in operations if op.status in UNBEGUN]
        self.commands.clear_all.setEnabled(bool(waiting))
        self.commands.clear_chat.setEnabled(bool(waiting) and self._session.path is not None)
        self.commands.retry_all.setEnabled(failed > 0)
        self._show_catch_up()
        # What waits for an answer, below it, is something to do.
        waits = self.commands.start.isEnabled()
        nothing = tr("Nothing in progress") if waits else tr("Nothing to do")
        self._summary.setText(", ".join(words) or nothing)
        self._show_cap()
        self._on_selection()

    def _on_let_go(self) -> None:
        self.show_operations(self._session.companion.work.operations)

    def _chat_of(self, chat_id: int) -> str:
        chat = self._session.companion.work.chat_of(chat_id)
        return "" if chat is None else chat_words(chat)

    def show_view(self, key: str) -> None:
        """The queue, or what models were asked for."""
        self.views.choose(key)
        self._panes.setCurrentIndex(0 if key == QUEUE else 1)
        for widget in (self._tools, self._said):
            widget.setVisible(key == QUEUE)

    def _on_show_use(self) -> None:
        self.show_view(USE)

    def _show_cap(self) -> None:
        companion = self._session.companion
        self.commands.go_on_today.setEnabled(companion.use.cap.is_reached)
        self._capped.show_cap(companion.use.cap, companion.work.held_for_another_day)

    def _on_go_on_today(self) -> None:
        self._session.do(self._session.companion.use.go_on_today(), name=N_("go on today"))

    def _show_catch_up(self) -> None:
        companion, path = self._session.companion, self._session.path
        on = companion.work.catching_up
        story = None if path is None else companion.story(path)
        plan = None if path is None or story is None else companion.work.catch_up(path)
        self.commands.start.setEnabled(plan is not None)
        for part in (self.commands.recaps, self.commands.memory):
            part.setEnabled(plan is not None and plan.has_parts)
        self.commands.stop.setEnabled(bool(on) and not on[0].is_stopping)
        self.commands.stop_now.setEnabled(bool(on))
        if on:
            self._catching_up.show_progress(on[0], is_paused=companion.work.is_paused)
        elif plan is not None:
            self._catching_up.show_plan(plan)
        else:
            self._catching_up.hide()
        self._offered.setVisible(bool(on and plan))
        if on and plan is not None and story is not None:
            self._offered.show_plan(plan, chat_words(story.chat))

    def _on_catch_up_changed(self, _plan: object) -> None:
        self._show_catch_up()

    def _tick(self) -> None:
        self.model.tick()
        if self._session.companion.work.catching_up:
            self._show_catch_up()
        self._show_cap()

    def _show_reason(self, *, is_paused: bool) -> None:
        """Why the queue holds, in its own words, else what was spent today."""
        queue = self._session.companion.health.queue
        spent = self._session.companion.use.cap.spent.tokens
        is_stopped = self._session.companion.work.stopped_before is not None
        is_held = is_paused and (queue.light is Light.BAD or is_stopped)
        said = tr("{tokens} tokens today", tokens=number(spent)) if spent else ""
        self._reason.setText(queue.sentence if is_held else said)

    @property
    def command_icons(self) -> Mapping[QAction, str]:
        """The commands for the palette, each with its icon's name."""
        return self.commands.icons

    def take_focus(self) -> None:
        """Give the keyboard to the queue, or to the days."""
        if self._panes.currentIndex():
            self.use.chart.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def selected(self) -> Operation | None:
        """The operation that the row cursor is on."""
        rows = self.table.selectionModel().selectedRows()
        return self.model.operation(rows[0].row()) if rows else None

    def cancel_selected(self) -> None:
        "Drop it; if it is running, it is stopped at once."
        operation = self.selected()
        if operation is not None and operation.status not in FINISHED:
            self._session.do(self._session.companion.work.cancel(operation.id), name=N_("cancel"))

    def retry_selected(self) -> None:
        """Queue it again, or try it now."""
        operation = self.selected()
        if operation is not None and operation.status in RETRIED:
            self._session.do(self._session.companion.work.retry(operation.id), name=N_("try again"))

    def pause_before_selected(self) -> None:
        """Let the queue run up to it and stop there, or no longer."""
        operation = self.selected()
        if operation is not None:
            wanted = not operation.pauses_before
            coroutine = self._session.companion.work.pause_before(operation.id, wanted=wanted)
            self._session.do(coroutine, name=N_("pause before"))

    def move_selected_up(self) -> None:
        "Move it one place earlier."
        self._move(first=False)

    def move_selected_first(self) -> None:
        """Put it before all that wait."""
        self._move(first=True)

    def _move(self, *, first: bool) -> None:
        operation = self.selected()
        if operation is not None:
            self.hold.let_go()  # it is to be seen where it goes
            coroutine = self._session.companion.work.move_up(operation.id, first=first)
            self._session.do(coroutine, name=N_("move up"))

    def _on_clear_asked(self) -> None:
        self._clearing.clear_asked(self.selected())

    def _on_start(self) -> None:
        self._clearing.forget()
        self._session.catch_up()

    def _on_recaps(self) -> None:
        self._clearing.forget()
        self._session.catch_up(RECAPS)

    def _on_memory(self) -> None:
        self._clearing.forget()
        self._session.catch_up(MEMORY)

    def _on_stop(self) -> None:
        self._stop(at_once=False)

    def _on_stop_now(self) -> None:
        self._stop(at_once=True)

    def _stop(self, *, at_once: bool) -> None:
        companion = self._session.companion
        for progress in companion.work.catching_up[:1]:
            coroutine = companion.work.stop_catch_up(progress.chat, at_once=at_once)
            self._session.do(coroutine, name=N_("stop catching up"))

    def retry_all(self) -> None:
        """Try everything again that failed, and go on where refusals held the queue up."""
        self._session.do(self._session.companion.work.retry_all(), name=N_("try all again"))

    def _on_selection(self) -> None:
        operation = self.selected()
        asked = 0 if operation is None else self._session.companion.work.asked_with(operation)
        self.commands.follow_selected(operation, self.model.first_waiting(), asked)
        detail = ""
        if operation is not None and operation.error:
            paused = self.model.is_paused
            detail = state_sentence(operation, now=time.time(), is_paused=paused)
        elif operation is not None and operation.held:
            detail = operation.held
        self._detail.setText(detail)
        self._detail.setVisible(bool(detail))
        self._show_foot()

    def _open_menu(self, point: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self.commands.of_one())
        menu.addSeparator()
        menu.addActions(self.commands.of_many())
        # Never exec(): it would hold up every other task.
        menu.popup(point)

    def _open_more(self) -> None:
        self._open_menu(self._more.mapToGlobal(QPoint(0, self._more.height() + 4)))

    def _on_pause(self) -> None:
        companion = self._session.companion
        if companion.work.is_paused:
            companion.work.resume()
        else:
            companion.work.pause()
        self.show_operations(companion.work.operations)

    def _on_progress(self, progress: OperationProgress) -> None:
        self.model.show_progress(progress.operation, Progress(len(progress.text)))
        self._writer = progress.operation
        self._show_written(progress.text)

    def _show_written(self, text: str) -> None:
        # Its place stays from one to the next, or the rows would move under the pointer.
        is_shown = bool(text) or (self._is_at_work and not self._written.isHidden())
        if text or not is_shown:
            # Only the end is of interest, and a model may write without end.
            self._written.set_text(text[-2000:])
            bar = self._written.verticalScrollBar()
            bar.setValue(bar.maximum())
        self._written_title.setText(tr("Being written") if text else tr("What it wrote last"))
        self._written.setVisible(is_shown)
        self._written_title.setVisible(is_shown)
        self._show_foot()

    def _show_foot(self) -> None:
        is_shown = bool(self._detail.text()) or not self._written.isHidden()
        self._foot.setVisible(is_shown)
        self._foot_line.setVisible(is_shown)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.table.show_what_counts()
        self._second.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._second.stop()
