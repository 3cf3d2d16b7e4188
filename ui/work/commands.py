"""What can be done on the work page, each command once: for buttons, menu, keys and palette."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.core.operations import FINISHED, Operation, OperationStatus
from app.core.translation import number, tr
from ui.controls.page_commands import PageCommands

RETRIED = (OperationStatus.FAILED, OperationStatus.CANCELLED, OperationStatus.WAITING)


class WorkCommands(PageCommands):
    """The actions of the page; who owns the page connects them.

    Those of one operation are enabled for the one that is selected.
    """

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.retry = self._plain(tr("Try again"), tr("Try this one again now."), "R")
        self.cancel = self._plain(
            tr("Cancel"),
            tr("Drop it. If it is running, it is stopped immediately."),
            "Del",
            "Backspace",
        )
        self.pause_before = self._plain(
            tr("Pause before this one"), tr("Run the queue up to this one, then pause."), "B"
        )
        self.move_up = self._plain(tr("Move up"), tr("Move it one place earlier."), "Alt+Up")
        self.move_first = self._plain(
            tr("Do it next"), tr("Put it at the front of the queue."), "Alt+Home"
        )
        self.clear_asked = self._plain(
            tr("Drop everything requested with it"),
            tr("Take it out of the queue; you can put it back."),
        )
        self.clear_chat = self._plain(
            tr("Clear what waits of this chat"),
            tr("Take it out of the queue; you can put it back."),
        )
        self.clear_all = self._plain(
            tr("Clear all that waits"),
            tr("Take it out of the queue; you can put it back."),
            "Ctrl+Del",
        )
        self.put_back = self._plain(tr("Put them back"), tr("Put everything back where it was."))
        self.retry_all = self._plain(tr("Try all again"), tr("Try everything that failed again."))
        self.start = self._plain(
            tr("Catch up"), tr("Write missing recaps, and read messages not read yet.")
        )
        self.recaps = self._plain(tr("Only the recaps"), tr("Reading for memory waits."))
        self.memory = self._plain(tr("Only memory"), tr("The recaps wait."))
        self.stop = self._plain(
            tr("Stop catching up after this job"),
            tr("What is running is finished; the rest is offered again later."),
        )
        self.stop_now = self._plain(
            tr("Stop catching up now"), tr("What is running is dropped; finished work stays.")
        )

        self.go_on_today = self._plain(
            tr("Go on today"), tr("Keep working beyond the limit until midnight.")
        )
        self.show_use = self._plain(
            tr("Show model usage"), tr("Requests and tokens by task and day."), "U"
        )
        self._act_on_chosen(*self.of_one())

    def _plain(self, name: str, sentence: str, *keys: str) -> QAction:
        return self._command(name, sentence, "pulse", *keys)

    def of_one(self) -> tuple[QAction, ...]:
        """What can be done with one operation."""
        return self.retry, self.cancel, self.pause_before, self.move_up, self.move_first

    def of_a_backlog(self) -> tuple[QAction, QAction, QAction, QAction, QAction]:
        """What begins a backlog or a part of it, and what stops it."""
        return self.start, self.recaps, self.memory, self.stop, self.stop_now

    def of_many(self) -> tuple[QAction, ...]:
        """What takes several operations out of the queue."""
        return self.clear_asked, self.clear_chat, self.clear_all

    def follow_selected(
        self, operation: Operation | None, first_waiting: int | None, asked: int
    ) -> None:
        """Enable what can be done with an operation. first_waiting: id of the next one. asked: how
        many wait that one command asked for, it among them.
        """
        status = operation.status if operation is not None else None
        waits = status in (OperationStatus.PENDING, OperationStatus.WAITING)
        is_first = operation is not None and operation.id == first_waiting
        self.retry.setEnabled(status in RETRIED)
        self.cancel.setEnabled(status is not None and status not in FINISHED)
        self.pause_before.setEnabled(waits)
        self.move_up.setEnabled(waits and not is_first)
        self.move_first.setEnabled(waits and not is_first)
        self.clear_asked.setEnabled(asked > 1)
        self.clear_asked.setText(
            tr("Drop all {n} that were requested together", n=number(asked))
            if asked > 1
            else tr("Drop everything requested with it")
        )
        is_marked = operation is not None and operation.pauses_before
        self.pause_before.setText(
            tr("Do not pause before this one") if is_marked else tr("Pause before this one")
        )
