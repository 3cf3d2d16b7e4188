"""Says when work waits for another day, and asks before what was wanted by hand goes on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from PySide6.QtCore import QObject

from app.core.operations import Operation
from app.core.translation import N_, retold, tr, trn
from app.work.planning.staleness import is_asked_for
from ui.core.session import Session
from ui.shell.notice import Notice

CAP, ASKED = "cap", "asked beyond the cap"


class CapNotice(QObject):
    """One notice a day for the work that waits by itself; one for each wish of the user's.

    is_on_work: whether the page is shown that says the former itself.
    """

    def __init__(
        self, session: Session, notice: Notice, is_on_work: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._is_on_work = is_on_work
        self._declined_on: date | None = None
        self._asked: Operation | None = None
        self._declined: set[int] = set()
        notice.acted.connect(self._on_acted)
        notice.closed.connect(self._on_closed)
        session.operations_changed.connect(self.look)

    def look(self, _operations: object = None) -> None:
        """Say what there is to say now."""
        companion = self._session.companion
        cap, held = companion.use.cap, companion.work.held_back
        wished = [op for op in held if is_asked_for(op.spec) and op.id not in self._declined]
        self._asked = wished[0] if wished else None
        if self._asked is not None:
            question = tr(
                "The cap of this day is reached, so “{label}”, which you asked for, waits until "
                "midnight.",
                label=retold(self._asked.spec.label),
            )
            self._notice.offer(ASKED, question, way_on=tr("Do it anyway"))
        else:
            self._notice.withdraw(ASKED)
        # One question at a time: the newer would cover the other.
        is_said = self._is_on_work() or self._declined_on == companion.use.today
        if held and self._asked is None and not is_said:
            waits = trn("{n} operation waits.", "{n} operations wait.", len(held))
            self._notice.offer(CAP, f"{cap.sentence} {waits}", way_on=tr("Go on today"))
        else:
            self._notice.withdraw(CAP)

    def _on_acted(self, key: str) -> None:
        use = self._session.companion.use
        if key == CAP:
            self._session.do(use.go_on_today(), name=N_("go on today"))
        elif key == ASKED and self._asked is not None:
            use.let_pass(self._asked.id)

    def _on_closed(self, key: str) -> None:
        if key == CAP:
            self._declined_on = self._session.companion.use.today
        elif key == ASKED and self._asked is not None:
            self._declined.add(self._asked.id)
            self.look()
