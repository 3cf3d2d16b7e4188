"""Which operation is next, what another waits for, and how the user moves one. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.core.operations import (
    PRIORITY_ASKED,
    Operation,
    OperationKind,
    OperationSpec,
    OperationStatus,
)
from app.core.translation import N_, retold, tr
from app.llm.backends.retries import LONGEST_ASKED_SECONDS

HOW_IT_ENDED = {
    OperationStatus.FAILED: N_("Needs “{label}”, which failed."),
    OperationStatus.CANCELLED: N_("Needs “{label}”, which was cancelled."),
}

Key = tuple[int, str]  # chat, key

# By so much a chat that is played goes before all that others want, and by so much its backlog,
# which goes before what nobody asked for: who asks for one text does not wait for hundreds.
LEAD, BACKLOG_LEAD = 1_000, PRIORITY_ASKED // 2


@dataclass(frozen=True, slots=True)
class Front:
    """The chats that are played now, by number; caught_up: those whose backlog is worked off."""

    chats: frozenset[int] = frozenset()
    caught_up: frozenset[int] = frozenset()

    def order(self, operation: Operation) -> tuple[bool, int, float, int]:
        """What is sorted by: what runs, then rank, then place."""
        is_running = operation.status is OperationStatus.RUNNING
        return not is_running, -self.rank(operation), operation.place, operation.id

    def rank(self, operation: Operation) -> int:
        """What goes first: the greater. What the user put before a played chat stays there."""
        own = operation.rank
        return own if own >= LEAD else own + self._lead(operation.spec)

    def rank_kept(self, operation: Operation, rank: int) -> int:
        """The rank to keep of an operation that is to have this one now."""
        own = rank - self._lead(operation.spec)
        return own if own < LEAD else rank

    def _lead(self, spec: OperationSpec) -> int:
        if spec.chat not in self.chats:
            return 0
        is_backlog = spec.chat in self.caught_up and not spec.is_asked_for
        return BACKLOG_LEAD if is_backlog else LEAD


NOBODY_PLAYS = Front()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What else there is: unfinished operations by key, and how the last of a key ended. readings:
    unfinished ones for memory, by chat.
    """

    unfinished: Mapping[Key, Operation]
    ended: Mapping[Key, Operation]
    readings: Mapping[int, Sequence[Operation]]
    front: Front = NOBODY_PLAYS

    def held(self, operation: Operation) -> str:
        """Why an operation cannot begin yet, "" when it can.

        What nobody has queued holds nothing up (spec/auto-recap.md §7), nor does what was found
        to be no longer needed: who needs it finds out what there is.
        """
        other = self._awaited(operation)
        if other is not None:
            return tr("Waits for “{label}”.", label=retold(other.spec.label))
        return self.missing(operation)

    def first_of(self, operation: Operation) -> Operation:
        """The one that it waits for at last, itself where it waits for none."""
        seen = {operation.id}
        while (other := self._awaited(operation)) is not None and other.id not in seen:
            seen.add(other.id)
            operation = other
        return operation

    def _awaited(self, operation: Operation) -> Operation | None:
        """The unfinished one that has to end before this one begins, None where none has to."""
        chat, own = operation.spec.chat, operation.spec.key
        for key in (*operation.spec.needs, *operation.spec.after):
            other = self.unfinished.get((chat, key))
            if other is not None and key != own:
                return other
        return self._earlier_reading(operation)

    def _earlier_reading(self, operation: Operation) -> Operation | None:
        """The reading for memory of earlier messages of the chat that goes before this one: each is
        told what holds before it, also where the earlier one waits to be tried again. What the user
        puts before a backlog does not wait for that.
        """
        first = _first_read(operation)
        if first is None or operation.status is OperationStatus.RUNNING:
            return None
        earlier = (
            other
            for other in self.readings.get(operation.spec.chat, ())
            if self.front.rank(other) >= self.front.rank(operation)
            and (place := _first_read(other)) is not None
            and place < first
        )
        return min(earlier, key=self.front.order, default=None)

    def missing(self, operation: Operation) -> str:
        """Which result it needs that is not to be had, "" for none."""
        chat, own = operation.spec.chat, operation.spec.key
        for key in operation.spec.needs:
            last = self.ended.get((chat, key))
            if (chat, key) in self.unfinished or key == own or last is None:
                continue
            if last.status in HOW_IT_ENDED:
                return tr(HOW_IT_ENDED[last.status], label=retold(last.spec.label))
        return ""


def surroundings(
    unfinished: Iterable[Operation],
    ended: Mapping[Key, Operation],
    front: Front = NOBODY_PLAYS,
) -> Surroundings:
    """Of these operations; of several with one key, the one that comes last."""
    by_key: dict[Key, Operation] = {}
    readings: dict[int, list[Operation]] = {}
    for operation in unfinished:
        if operation.spec.kind is OperationKind.MEMORY_PASS:
            readings.setdefault(operation.spec.chat, []).append(operation)
        key = (operation.spec.chat, operation.spec.key)
        last = by_key.get(key)
        if last is None or front.order(last) < front.order(operation):
            by_key[key] = operation
    return Surroundings(by_key, ended, readings, front)


def next_operation(
    unfinished: Collection[Operation], around: Surroundings, *, now: float
) -> Operation | None:
    """The one to begin now (seconds since the epoch), None when all have to wait."""
    ready = [
        operation
        for operation in unfinished
        if operation.status is OperationStatus.PENDING
        or (operation.status is OperationStatus.WAITING and is_due(operation, now))
    ]
    # Looked at in order, so that what others wait for is asked for few of them.
    for operation in sorted(ready, key=around.front.order):
        if not around.held(operation):
            return operation
    return None


def is_free(operation: Operation) -> bool:
    """Whether it begins in a moment: nothing keeps it, and nothing went wrong with it."""
    is_new = operation.status is OperationStatus.PENDING and not operation.error
    return is_new and not operation.held


def is_due(operation: Operation, now: float) -> bool:
    """Whether a retry has waited long enough; none waits for a time that a clock set back left."""
    return not now < operation.not_before <= now + LONGEST_ASKED_SECONDS


def moved_up(
    operation_id: int, unfinished: Sequence[Operation], front: Front = NOBODY_PLAYS
) -> Operation | None:
    """The operation one place further up among those that wait, None when it is there already."""
    waiting = sorted((op for op in unfinished if _waits(op)), key=front.order)
    at = next((i for i, op in enumerate(waiting) if op.id == operation_id), 0)
    if at == 0:
        return None
    own, above = waiting[at], waiting[at - 1]
    rank = front.rank(above)
    further = [op.place for op in waiting[: at - 1] if front.rank(op) == rank]
    place = (further[-1] + above.place) / 2 if further else above.place - 1
    return replace(own, moved_rank=front.rank_kept(own, rank), moved_place=place)


def moved_first(
    operation_id: int, unfinished: Sequence[Operation], front: Front = NOBODY_PLAYS
) -> Operation | None:
    """The operation before all that wait, None when it is there already."""
    waiting = sorted((op for op in unfinished if _waits(op)), key=front.order)
    own = next((op for op in waiting if op.id == operation_id), None)
    if own is None or own is waiting[0]:
        return None
    rank = front.rank_kept(own, front.rank(waiting[0]))
    return replace(own, moved_rank=rank, moved_place=waiting[0].place - 1)


def needed_keys(specs: Iterable[OperationSpec]) -> set[Key]:
    """Keys of what these cannot do without."""
    return {(spec.chat, key) for spec in specs for key in spec.needs}


def _first_read(operation: Operation) -> int | None:
    """Index of the first message that is read for memory; None for other work."""
    first = operation.spec.params.get("first")
    is_reading = operation.spec.kind is OperationKind.MEMORY_PASS
    return first if is_reading and isinstance(first, int) else None


def _waits(operation: Operation) -> bool:
    return operation.status in (OperationStatus.PENDING, OperationStatus.WAITING)
