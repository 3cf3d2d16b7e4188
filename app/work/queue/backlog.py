"""What there is to do, and how that ended which was done: kept in the store, and announced."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from app.core.errors import StoreError
from app.core.operations import (
    FINISHED,
    PRIORITY_ASKED,
    Operation,
    OperationKind,
    OperationSpec,
    OperationStatus,
    Outcome,
    Work,
)
from app.core.signals import Signal
from app.llm.writers.meter import RequestUse
from app.store.operations import HISTORY_KEPT
from app.store.store import Store
from app.work.queue.absences import Absences, Asked
from app.work.queue.failures import done, dropped, having_taken, with_tokens_of
from app.work.queue.outcomes import GIVEN_UP, Outcomes
from app.work.queue.patience import Patience
from app.work.queue.useless_answers import UselessAnswers
from app.work.queue.waiting import NOBODY_PLAYS, Front, Key, Surroundings, needed_keys
from app.work.queue.waiting import surroundings as surroundings_of

log = logging.getLogger(__name__)

SHOWN_AS = {OperationStatus.FAILED: 0, OperationStatus.CANCELLED: 2}  # others between them
Renewed = Callable[[OperationSpec], Awaitable[OperationSpec]]
InFront = Callable[[], Front]


def nobody_plays() -> Front:
    return NOBODY_PLAYS


async def as_it_was(spec: OperationSpec) -> OperationSpec:
    return spec


class Backlog:
    """Operations that are not done, and the newest of those that are.

    holds: why an operation may not begin now, "" when it may. asked: who does a piece of work, ""
    where that is not known.
    renewed: work as it would be planned now, for what is done again: another model may have been
    chosen since. in_front: which chats are played now; said to have changed by `announce`.
    is_patient: somebody may take back what they did.
    open: unfinished ones by number. current: the one that is in hand. cancelled: those that may
    not begin any more though they are not kept as ended yet. wake: set at each change.

    Signals:
        changed: all operations shown (unfinished ones, then those that ended).
    """

    def __init__(
        self,
        store: Store,
        holds: Callable[[Operation], str],
        asked: Asked,
        renewed: Renewed,
        in_front: InFront = nobody_plays,
        *,
        is_patient: bool = False,
    ) -> None:
        self._store = store
        self._holds = holds
        self.absences = Absences(asked)
        self.useless = UselessAnswers()
        self.patience = Patience(is_wanted=is_patient)
        self._renewed = renewed
        self.in_front = in_front
        self.open: dict[int, Operation] = {}
        self.ended = Outcomes()
        self.cancelled: set[int] = set()
        self.current: int | None = None
        self.wake = asyncio.Event()
        self._announced: tuple[Operation, ...] | None = None  # while it is
        self.changed: Signal[tuple[Operation, ...]] = Signal("changed")

    async def load(self) -> None:
        """Take up what an earlier run left."""
        operations = self._store.operations
        await self._store.run(operations.recover)
        unfinished = await self._store.run(operations.unfinished)
        self.open = {operation.id: operation for operation in unfinished}
        self.ended.load(await self._store.run(lambda: operations.recent(HISTORY_KEPT)))
        await self._remember_ends([operation.spec for operation in unfinished])

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Unfinished operations in their order of work, then what failed, then the others that
        ended, what was cancelled last; the newest of each first.
        """
        if self._announced is not None:
            return self._announced
        around = self.surroundings()
        unfinished = sorted(self.open.values(), key=around.front.order)
        ended = sorted(self.ended.shown, key=lambda op: SHOWN_AS.get(op.status, 1))
        return (*(self._with_reason(op, around) for op in unfinished), *ended)

    def _with_reason(self, operation: Operation, around: Surroundings) -> Operation:
        held = around.held(operation) or self.why_held_back(operation)
        return operation if held == operation.held else replace(operation, held=held)

    def why_held_back(self, operation: Operation) -> str:
        """Why an operation may not begin now though nothing else keeps it, "" when it may."""
        if operation.id == self.current:
            return ""
        return (
            self._holds(operation)
            or self.absences.why(operation, self.open.keys(), now=time.time())
            or self.useless.why(operation)
        )

    def waiting(self, chat_id: int) -> tuple[Operation, ...]:
        """Operations of a chat that wait to be tried again."""
        return tuple(
            op
            for op in self.open.values()
            if op.spec.chat == chat_id and op.status is OperationStatus.WAITING
        )

    def held(self, chat_id: int) -> tuple[Operation, ...]:
        """Operations of a chat that need the result of one that failed or was cancelled."""
        around = self.surroundings()
        held = (
            replace(op, held=around.missing(op))
            for op in self.open.values()
            if op.spec.chat == chat_id and op.spec.needs
        )
        return tuple(op for op in held if op.held)

    def held_back(self, reason: str) -> tuple[Operation, ...]:
        """What may not begin now for this reason, in the order of work."""
        operations = sorted(self.open.values(), key=self.in_front().order)
        return tuple(op for op in operations if op.id != self.current and self._holds(op) == reason)

    def failed(self, chat_id: int) -> tuple[Operation, ...]:
        """Operations of a chat that failed in this run and were not done since, oldest first."""
        return self.ended.given_up(chat_id)

    def is_open(self, spec: OperationSpec) -> bool:
        """Whether this work is queued."""
        return any(operation.spec.work == spec.work for operation in self.open.values())

    def is_given_up(self, spec: OperationSpec) -> bool:
        """Whether this work failed or was cancelled in this run: only the user brings it back."""
        return self.ended.is_given_up(spec.work)

    def stood_for(self, chat_id: int) -> frozenset[str]:
        """Anchors of a chat's messages whose reading failed or was cancelled and waits for the
        user's word, or was brought back by it.
        """
        asked = (op for op in self.open.values() if op.spec.is_asked_for)
        ended = (*self.ended.failed(chat_id), *self.ended.given_up(chat_id))
        return frozenset(
            anchor
            for op in (*asked, *ended)
            if op.spec.chat == chat_id and op.spec.kind is OperationKind.MEMORY_PASS
            for anchor in op.spec.params["anchors"]
        )

    def is_ahead(self, spec: OperationSpec) -> bool:
        """Whether this work is queued, or is as soon as it is planned."""
        return self.ended.may_begin(spec) or self.is_open(spec)

    def left(self, chat_id: int) -> int:
        """How many operations of a chat are not done."""
        return sum(op.spec.chat == chat_id for op in self.open.values())

    def unbegun(self, chat_id: int) -> tuple[Operation, ...]:
        """Operations of a chat that nobody has in hand."""
        return tuple(
            op for op in self.open.values() if op.spec.chat == chat_id and op.id != self.current
        )

    def running(self, chat_id: int) -> Operation | None:
        """The operation of a chat that runs now."""
        for operation in self.open.values():
            if operation.spec.chat == chat_id and operation.status is OperationStatus.RUNNING:
                return operation
        return None

    async def add(self, specs: Sequence[OperationSpec]) -> None:
        """Queue what is not queued yet and did not fail, or was cancelled, in this run.

        What is queued already waits from now on for what the spec says.
        """
        queued = {operation.spec.work: operation for operation in self.open.values()}
        wanted = []
        for spec in specs:
            operation = queued.get(spec.work)
            if operation is not None:
                await self._wait_for(operation, spec)
            elif self.ended.may_begin(spec):
                wanted.append(spec)
        if wanted:
            await self._add(wanted)
        self.wake.set()  # what an earlier run left may be in scope only now

    async def _add(
        self,
        specs: Sequence[OperationSpec],
        taken: Mapping[Work, Operation] | None = None,
        in_place_of: Collection[int] = (),
    ) -> None:
        """taken: by work, an attempt that ended before, whose tokens count on. in_place_of: numbers
        of what they replace: no crash may come between, or nothing would be left of either.
        """
        before, store = taken or {}, self._store.operations
        await self._remember_ends(specs)

        def unit() -> tuple[Operation, ...]:
            for number in in_place_of:
                store.remove(number)
            added = store.add(specs)
            counted = tuple(with_tokens_of(op, before.get(op.spec.work)) for op in added)
            for operation in counted if before else ():
                store.update(operation)
            return counted

        added = await self._store.run(unit)
        if before:
            self.ended.take_out(in_place_of)
            self.ended.forget({*before, *(old.spec.work for old in before.values())})
        self.open.update((operation.id, operation) for operation in added)
        self.announce()

    async def _wait_for(self, operation: Operation, spec: OperationSpec) -> None:
        old = operation.spec
        is_same = (old.needs, old.after) == (spec.needs, spec.after)
        if is_same or operation.id == self.current:
            return
        await self._remember_ends([spec])
        await self._store.run(lambda: self._store.operations.set_needs(operation.id, spec))
        now = self.open.get(operation.id)
        if now is not None:
            self.open[now.id] = replace(
                now, spec=replace(now.spec, needs=spec.needs, after=spec.after)
            )
            self.announce()

    async def _remember_ends(self, specs: Sequence[OperationSpec]) -> None:
        """How that ended which these need, also in an earlier run."""
        for chat in {spec.chat for spec in specs if spec.needs}:
            keys = {key for of, key in needed_keys(specs) if of == chat}
            found = await self._store.run(partial(self._store.operations.ended, chat, keys))
            self.ended.remember({(chat, key): operation for key, operation in found.items()})

    async def let_go(self, chat_id: int, is_unwanted: Callable[[Operation], bool]) -> None:
        """Drop what waits in a chat and is wanted no more; it may be planned again at any time.

        What was never begun leaves no trace.
        """
        unwanted = [
            dropped(operation, OperationStatus.OUTDATED)
            for operation in self.open.values()
            if operation.spec.chat == chat_id
            and operation.id != self.current
            and operation.id not in self.cancelled
            and is_unwanted(operation)
        ]
        if unwanted:
            await self.drop(unwanted)

    async def drop(self, operations: Sequence[Operation]) -> None:
        """All at once take them out of what is to do, as they stand now."""
        numbers = {operation.id for operation in operations}
        self.cancelled |= numbers  # or the worker begins one meanwhile
        store = self._store.operations

        def is_traceless(operation: Operation) -> bool:
            return not operation.attempts and operation.status is OperationStatus.OUTDATED

        def unit() -> None:
            for operation in operations:
                if is_traceless(operation):
                    store.remove(operation.id)
                else:
                    store.update(operation)

        try:
            await self._store.run(unit)
        except StoreError:
            self.cancelled -= numbers
            raise
        for number in numbers:
            self.open.pop(number, None)
        needed = needed_keys(other.spec for other in self.open.values())
        for operation in operations:
            self._finish(operation, needed, is_shown=not is_traceless(operation))
        self.announce()

    async def note_beside(
        self, spec: OperationSpec, uses: Sequence[RequestUse], *, begun: float, in_vain: str = ""
    ) -> None:
        """Show among what ended a request that was asked beside the queue, and paid for. begun:
        seconds since the epoch. in_vain: as in Outcome.

        A database that cannot be written must not cost the answer.
        """
        store = self._store.operations

        def unit() -> Operation:
            (added,) = store.add([spec])
            noted = done(having_taken(added, uses), Outcome(in_vain=in_vain))
            noted = replace(noted, attempts=1, started=begun, finished=time.time())
            noted = replace(noted, backend=uses[-1].backend)
            store.update(noted)
            return noted

        try:
            noted = await self._store.run(unit)
        except StoreError as error:
            log.warning("A request is told in no row: %s", error)
            return
        self._finish(noted, ())
        self.announce()

    async def do_again(self, ended: Sequence[Operation]) -> None:
        """Queue what ended once more, in the place of how it ended.

        The user asks for it: a stand-in that was made meanwhile does not make it needless.
        """
        specs = {}
        taken: dict[Work, Operation] = {}
        for operation in sorted(ended, key=lambda operation: operation.id):
            now = await self._renewed(operation.spec)
            specs[now.work] = replace(now, priority=max(now.priority, PRIORITY_ASKED))
            taken[now.work] = operation
        works = {operation.spec.work for operation in ended}
        old = {
            operation.id
            for operation in (*ended, *self.ended.shown)
            if operation.spec.work in works and operation.status in GIVEN_UP
        }
        await self._add([*specs.values()], taken, in_place_of=old)

    def announce(self) -> None:
        """Say what there is now, and wake who works."""
        self.wake.set()
        self._announced = None
        self._announced = self.operations  # thousands in a backlog, asked for by each who listens
        try:
            self.changed.emit(self._announced)
        finally:
            self._announced = None

    async def try_now(self, numbers: Collection[int]) -> None:
        """Let what waits to be tried again begin, and say no more why it waited."""
        due = [
            replace(operation, status=OperationStatus.PENDING, not_before=0.0, error="")
            for number in numbers
            if (operation := self.open.get(number)) is not None
            and operation.status is OperationStatus.WAITING
        ]
        if not due:
            return

        def unit() -> None:
            for operation in due:
                self._store.operations.update(operation)

        await self._store.run(unit)
        self.open.update(
            (operation.id, operation) for operation in due if operation.id in self.open
        )
        self.announce()

    def surroundings(self) -> Surroundings:
        """What an operation finds around it."""
        return surroundings_of(self.open.values(), self.ended.needed, self.in_front())

    async def keep(self, operation: Operation) -> None:
        """Keep the state that an operation has come to."""
        await self._store.run(lambda: self._store.operations.update(operation))
        if operation.status in FINISHED:
            self.open.pop(operation.id, None)
            needed = needed_keys(other.spec for other in self.open.values())
            self._finish(operation, needed)
        else:
            self.open[operation.id] = operation
        self.announce()

    async def keep_for_next_run(self, operation: Operation) -> None:
        """Keep it as it stands where this run ends."""
        try:
            await self._store.run(lambda: self._store.operations.update(operation))
        except StoreError as error:
            log.warning("What operation %d took is not kept: %s", operation.id, error)

    def _finish(
        self, operation: Operation, needed: Collection[Key], *, is_shown: bool = True
    ) -> None:
        self.cancelled.discard(operation.id)
        self.ended.keep(operation, needed, is_shown=is_shown)

    async def clear(
        self, chat_id: int | None = None, is_meant: Callable[[Operation], bool] = lambda _: True
    ) -> tuple[Operation, ...]:
        """Cancel what waits, in one chat or in all; gives it, for `put_back`.

        What runs goes on. It is not planned again in this run. is_meant: which of it.
        """
        waiting = [
            operation
            for operation in sorted(self.open.values(), key=self.in_front().order)
            if chat_id in (None, operation.spec.chat)
            and operation.id != self.current
            and operation.id not in self.cancelled
            and is_meant(operation)
        ]
        cleared = [dropped(operation, OperationStatus.CANCELLED) for operation in waiting]
        if cleared:
            self.ended.give_up(cleared)
            await self.drop(cleared)
        return tuple(waiting)

    async def put_back(self, operations: Sequence[Operation]) -> None:
        """Queue again what was cleared, each in its old place."""
        self.ended.forget(operation.spec.work for operation in operations)
        queued = {operation.spec.work for operation in self.open.values()}
        back = [operation for operation in operations if operation.spec.work not in queued]
        store = self._store.operations

        def unit() -> None:
            for operation in back:
                store.update(operation)

        await self._store.run(unit)
        self.ended.take_out({operation.id for operation in back})
        self.open.update((operation.id, operation) for operation in back)
        self.announce()
