"""A moment to take a change back in, before a model is asked for what comes of it."""

from __future__ import annotations

import time
from collections.abc import Iterable

from app.core.operations import Operation
from app.core.translation import N_, tr

# Who has clicked beside what they meant sees it and presses undo within so long.
PATIENCE_SECONDS = 4.0
BEGINS_SOON = N_("Begins in a few seconds, unless you undo.")


class Patience:
    """Holds what was not asked for by itself in chats that were just changed by hand.

    is_wanted: there is somebody who may take it back.
    """

    def __init__(self, *, is_wanted: bool) -> None:
        self._is_wanted = is_wanted
        self._until: dict[int, float] = {}  # by chat, on the clock that nobody sets

    def begin(self, chat_id: int) -> None:
        """The user has just changed this chat."""
        if self._is_wanted:
            self._until[chat_id] = time.monotonic() + PATIENCE_SECONDS

    def why(self, operation: Operation) -> str:
        """Why an operation does not begin yet, "" when it may."""
        return tr(BEGINS_SOON) if self._holds(operation) else ""

    def left(self, operations: Iterable[Operation]) -> float | None:
        """Seconds until the first of those begins that are held, None where none is."""
        held = [self._until[op.spec.chat] for op in operations if self._holds(op)]
        return max(0.0, min(held) - time.monotonic()) if held else None

    def _holds(self, operation: Operation) -> bool:
        until = self._until.get(operation.spec.chat, 0.0)
        return until > time.monotonic() and not operation.spec.is_asked_for
