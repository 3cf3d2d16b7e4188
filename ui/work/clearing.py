"""What the user takes out of the queue on the work page, and the way back."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject

from app.core.operations import Operation
from app.core.translation import N_
from app.views.queued_work import Cleared
from ui.core.session import Session
from ui.work.commands import WorkCommands
from ui.work.strips import ClearedStrip
from ui.work.words import cleared_sentence

NOTHING = Cleared(())
CLEARING = N_("clearing the queue")


class QueueClearing(QObject):
    """Takes work out of the queue, says so in `strip`, and puts it back at the user's word."""

    def __init__(self, session: Session, commands: WorkCommands, strip: ClearedStrip) -> None:
        super().__init__(strip)
        self._session = session
        self._commands = commands
        self._strip = strip
        self._cleared = NOTHING
        commands.clear_chat.triggered.connect(self._on_clear_chat)
        commands.clear_all.triggered.connect(self._on_clear_all)
        commands.put_back.triggered.connect(self._on_put_back)
        strip.closed.connect(self.forget)
        self.forget()

    def clear_asked(self, operation: Operation | None) -> None:
        """Take what was asked for with an operation, and it too, out of the queue."""
        if operation is not None:
            self._begin(self._session.companion.work.clear_asked_with(operation))

    def forget(self) -> None:
        """What was cleared is planned again with the rest, or nobody wants it back."""
        self._say(NOTHING)

    def _on_clear_chat(self) -> None:
        if (path := self._session.path) is not None:
            self._begin(self._session.companion.work.clear_waiting(path))

    def _on_clear_all(self) -> None:
        self._begin(self._session.companion.work.clear_waiting())

    def _begin(self, clearing: Coroutine[Any, Any, Cleared]) -> None:
        self._session.do(self._clear(clearing), name=CLEARING)

    async def _clear(self, clearing: Coroutine[Any, Any, Cleared]) -> None:
        cleared = await clearing
        if cleared.operations:
            self._say(cleared)

    def _on_put_back(self) -> None:
        cleared = self._cleared
        self.forget()
        self._session.do(self._session.companion.work.put_back(cleared), name=N_("putting back"))

    def _say(self, cleared: Cleared) -> None:
        self._cleared = cleared
        has_any = bool(cleared.operations)
        self._commands.put_back.setEnabled(has_any)
        self._strip.say(cleared_sentence(cleared) if has_any else "")
