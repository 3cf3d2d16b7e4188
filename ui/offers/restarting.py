"""Starts the program again when what a model is asked for now is done: that is paid for."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.core.operations import OperationStatus
from app.core.translation import N_, retold, tr
from ui.core.session import Session
from ui.shell.notice import Notice

RESTART = "restart"
WAITS = N_(
    "Tavernkeep restarts as soon as this is finished, so that its answer is not paid for twice: "
    "{label}."
)


class PatientRestart(QObject):
    """Nothing new is begun meanwhile; who closes the notice stays, and work goes on.

    go: ends the program, to be started again.
    """

    def __init__(self, session: Session, notice: Notice, go: Callable[[], None]) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._go = go
        self._is_waiting = self._was_paused = False
        session.operations_changed.connect(self._look)
        notice.acted.connect(self._on_acted)
        notice.closed.connect(self._on_closed)

    def begin(self) -> None:
        """As soon as may be."""
        work = self._session.companion.work
        if not self._is_waiting and self._label():
            self._is_waiting, self._was_paused = True, work.is_paused
            work.pause()
        self._look()
        if not self._is_waiting:
            self._go()

    def _label(self) -> str:
        """What runs, "" for nothing."""
        every = self._session.companion.work.operations
        running = (op for op in every if op.status is OperationStatus.RUNNING)
        return next((retold(op.spec.label) for op in running), "")

    def _look(self, _operations: object = None) -> None:
        if not self._is_waiting:
            return
        if label := self._label():
            self._notice.offer(RESTART, tr(WAITS, label=label), way_on=tr("Restart now"))
        else:
            self._end()
            self._go()

    def _on_acted(self, key: str) -> None:
        if key == RESTART:
            self._end()
            self._go()

    def _on_closed(self, key: str) -> None:
        if key == RESTART:
            self._end()
            if not self._was_paused:
                self._session.companion.work.resume()

    def _end(self) -> None:
        self._is_waiting = False
        self._notice.withdraw(RESTART)
