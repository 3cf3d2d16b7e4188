"""Message recaps that the user has asked for and that still wait: undo takes that back, too."""

from __future__ import annotations

from collections.abc import Collection

from app.core.operations import Operation, OperationKind, OperationSpec
from app.core.translation import N_, tr
from app.work.queue.operation_queue import OperationQueue

NEW_RECAPS = N_("new message recaps")


def asked_at(spec: OperationSpec) -> float:
    """When the command was given that it is a part of (seconds since the epoch), 0.0 for none."""
    again = str(spec.params.get("again", ""))
    is_of_one = spec.kind is OperationKind.MESSAGE_RECAP and spec.is_asked_for
    return int(again) / 1e9 if is_of_one and again.isdecimal() else 0.0


class AskedRecaps:
    """Those of a queue."""

    def __init__(self, queue: OperationQueue) -> None:
        self._queue = queue

    def newest(self, chat_id: int) -> float:
        """When the newest command was given of which something is not done yet; 0.0 for none."""
        waiting = (op for op in self._queue.open.values() if op.spec.chat == chat_id)
        return max((asked_at(operation.spec) for operation in waiting), default=0.0)

    def be_patient(self, chat_id: int) -> None:
        """The user changes something that they may take back at once; see Patience."""
        self._queue.patience.begin(chat_id)

    async def take_out(self, chat_id: int, moments: Collection[float]) -> None:
        """What these commands asked for is done no more; what runs of it is stopped."""
        if not any(moments):
            return
        wanted = frozenset(moments) - {0.0}

        def is_theirs(spec: OperationSpec) -> bool:
            return asked_at(spec) in wanted

        def is_waiting(operation: Operation) -> bool:
            return is_theirs(operation.spec)

        self._queue.outdate_running(
            chat_id, is_theirs, tr("You took back the command that asked for it.")
        )
        await self._queue.let_go(chat_id, is_waiting)
