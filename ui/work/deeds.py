"""What can be done on the work page, each deed once: for buttons, menu, keys and palette."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.operations import FINISHED, Operation, OperationStatus
from ui.controls.page_deeds import PageDeeds

RETRIED = (OperationStatus.FAILED, OperationStatus.CANCELLED, OperationStatus.WAITING)


class WorkDeeds(PageDeeds):
    """The actions of the page; who owns the page connects them.

    Those of one operation are enabled for the one that is selected.
    """

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.retry = self._plain("Try again", "Try this one again now.", "R")
        self.cancel = self._plain(
            "Cancel", "Drop it; what runs is stopped at once.", "Del", "Backspace"
        )
        self.pause_before = self._plain(
            "Pause before this one", "Let the queue run up to it and stop there.", "B"
        )
        self.move_up = self._plain("Move up", "Let it go one place earlier.", "Alt+Up")
        self.move_first = self._plain("Do it next", "Put it before all that wait.", "Alt+Home")
        self.clear_chat = self._plain(
            "Clear what waits of this chat", "Take it out of the queue; you can put it back."
        )
        self.clear_all = self._plain(
            "Clear all that waits", "Take it out of the queue; you can put it back.", "Ctrl+Del"
        )
        self.put_back = self._plain("Put them back", "Put what was cleared where it was.")
        self.retry_all = self._plain("Try all again", "Try everything that failed again.")
        self.start = self._plain("Write the recaps", "Work off what was never recapped.")
        self.stop = self._plain(
            "Stop catching up after this one", "What runs is finished; the rest is offered again."
        )
        self.stop_now = self._plain(
            "Stop catching up now", "What runs is dropped; what is done stays done."
        )

        self.go_on_today = self._plain(
            "Go on today", "Let the work go on beyond the cap, until midnight."
        )
        self.show_use = self._plain(
            "Show what models were asked for", "Requests and tokens by task and day.", "U"
        )

    def _plain(self, name: str, sentence: str, *keys: str) -> QAction:
        return self._deed(name, sentence, "", *keys)

    def of_one(self) -> tuple[QAction, ...]:
        """What can be done with one operation."""
        return self.retry, self.cancel, self.pause_before, self.move_up, self.move_first

    def follow_selected(self, operation: Operation | None, first_waiting: int | None) -> None:
        """Enable what can be done with an operation. first_waiting: id of the next one."""
        status = operation.status if operation is not None else None
        waits = status in (OperationStatus.PENDING, OperationStatus.WAITING)
        is_first = operation is not None and operation.id == first_waiting
        self.retry.setEnabled(status in RETRIED)
        self.cancel.setEnabled(status is not None and status not in FINISHED)
        self.pause_before.setEnabled(waits)
        self.move_up.setEnabled(waits and not is_first)
        self.move_first.setEnabled(waits and not is_first)
        is_marked = operation is not None and operation.pauses_before
        self.pause_before.setText(
            "Do not pause before this one" if is_marked else "Pause before this one"
        )
