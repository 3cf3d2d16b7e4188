"""Says when work waits for another day, and asks before what was wanted by hand goes on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.core.model_use import DayCap
from app.core.operations import Operation
from app.core.translation import N_, retold, tr, trn
from ui.core.session import Session
from ui.shell.notice import Notice

CAP, ASKED = "cap", "asked beyond the cap"
SECONDS = 60.0


class CapNotice(QObject):
    """One notice a day, over all starts, for the work that waits by itself; one for each wish of
    the user's.

    is_on_work: whether the page is shown that says the former itself. told: the last day on which
    it was said, as ISO 8601, "" for none.
    """

    def __init__(
        self, session: Session, notice: Notice, is_on_work: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._is_on_work = is_on_work
        self.told = ""
        self._is_standing = False
        self._asked: Operation | None = None
        self._declined: set[int] = set()
        notice.acted.connect(self._on_acted)
        notice.closed.connect(self._on_closed)
        session.operations_changed.connect(self.look)

    def look(self, _operations: object = None) -> None:
        """Say what there is to say now."""
        companion = self._session.companion
        cap, held = companion.use.cap, companion.work.held_back
        wished = [op for op in held if op.spec.is_asked_for and op.id not in self._declined]
        self._asked = wished[0] if wished else None
        if self._asked is not None:
            question = tr(
                "Today's limit is reached, so “{label}”, which you asked for, waits until "
                "midnight.",
                label=retold(self._asked.spec.label),
            )
            self._notice.offer(ASKED, question, way_on=tr("Do it anyway"))
        else:
            self._notice.withdraw(ASKED)
        # One question at a time: the newer would cover the other.
        if not held or self._asked is not None or self._is_on_work():
            self._notice.withdraw(CAP)
            self._is_standing = False
        else:
            self._tell(cap, companion.work.held_for_another_day)
        if held and self._is_on_work():
            self.told = companion.use.today.isoformat()  # the page says it

    def _tell(self, cap: DayCap, held: int) -> None:
        waits = trn("{n} job waits.", "{n} jobs wait.", held)
        sentence, today = f"{cap.sentence} {waits}", self._session.companion.use.today.isoformat()
        if self._is_standing:
            self._notice.amend(CAP, sentence)
        elif self.told != today:
            self.told, self._is_standing = today, True
            self._notice.offer(CAP, sentence, way_on=tr("Go on today"), seconds=SECONDS)

    def _on_acted(self, key: str) -> None:
        use = self._session.companion.use
        if key == CAP:
            self._session.do(use.go_on_today(), name=N_("go on today"))
        elif key == ASKED and self._asked is not None:
            use.let_pass(self._asked.id)

    def _on_closed(self, key: str) -> None:
        if key == CAP:
            self._is_standing = False
        elif key == ASKED and self._asked is not None:
            self._declined.add(self._asked.id)
            self.look()
