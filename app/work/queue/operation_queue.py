"""The persisted operation queue: one operation at a time, resumable, cancellable at once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from functools import partial

from app.core.errors import BackendAway, BackendRefused, PromptTooLong, StoreError, TavernkeepError
from app.core.operations import FINISHED, Operation, OperationSpec, OperationStatus, Outcome
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import N_, tr
from app.llm.writers.meter import RequestUse, noting
from app.store.store import Store
from app.work.planning.planner import PRIORITY_ASKED
from app.work.queue.failures import begun, done, ended_with, having_taken
from app.work.queue.outcomes import GIVEN_UP, SHOWN, EndedOperations
from app.work.queue.waiting import (
    Key,
    Surroundings,
    moved_first,
    moved_up,
    needed_keys,
    next_operation,
    order,
    surroundings,
)

log = logging.getLogger(__name__)

# So many requests in a row refused for good (wrong key, unknown model): the next would be too.
REFUSALS_IN_A_ROW = 2
LOOK_SECONDS = 30.0
CHANGED = N_("The messages that it was made from changed; it is planned again.")

Perform = Callable[[Operation], Awaitable[Outcome]]
After = Callable[[Operation], Awaitable[None]]


class OperationQueue:
    """Runs operations by priority, then age; a failing or waiting one blocks none that do not
    need its result.

    perform: does one operation; raises BackendError or another TavernkeepError when it cannot.
    after: awaited when an operation has ended, however, and before the next begins.
    in_scope: says which operations are ours to do; others wait for another run.
    holds: why an operation may not begin now, "" when it may; asked again when the queue is told
    to `look`, and from time to time.

    What failed in an earlier run is tried again when it is planned again; what failed in this
    one only when the user says so.

    Signals:
        changed: all operations shown (unfinished ones, then the newest finished).
    """

    def __init__(
        self,
        store: Store,
        perform: Perform,
        after: After,
        tasks: TaskSupervisor,
        *,
        in_scope: Callable[[OperationSpec], bool] = lambda spec: True,
        holds: Callable[[Operation], str] = lambda operation: "",
    ) -> None:
        self._store = store
        self._perform = perform
        self._after = after
        self._tasks = tasks
        self._in_scope = in_scope
        self._holds = holds
        self._open: dict[int, Operation] = {}
        self._ended = EndedOperations()
        self._cancelled: set[int] = set()
        self._not_for_good: set[int] = set()  # cancelled, and may be planned again
        self._outdated: set[int] = set()  # stopped while they ran, since their story changed
        self._refusals = 0
        self._refused: list[int] = []  # those that made the queue pause
        self._away: set[int] = set()  # those that wait for somebody to come back
        self._running: asyncio.Task[Operation] | None = None
        self._current: int | None = None  # the operation that the worker has in hand
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self.is_paused = False
        self.pause_reason = ""  # a sentence when the queue paused by itself
        self._stopped_before: int | None = None
        self._announced: tuple[Operation, ...] | None = None  # while it is
        self.changed: Signal[tuple[Operation, ...]] = Signal("changed")

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Unfinished operations in their order of work, then the newest finished ones."""
        if self._announced is not None:
            return self._announced
        around = self._surroundings()
        unfinished = sorted(self._open.values(), key=order)
        return (*(self._with_reason(op, around) for op in unfinished), *self._ended.shown)

    def _with_reason(self, operation: Operation, around: Surroundings) -> Operation:
        held = around.held(operation) or self._held_back(operation)
        return operation if held == operation.held else replace(operation, held=held)

    def _held_back(self, operation: Operation) -> str:
        return "" if operation.id == self._current else self._holds(operation)

    @property
    def stopped_before(self) -> Operation | None:
        """The operation that the queue was to pause before, while it does."""
        return self._open.get(self._stopped_before or 0) if self.is_paused else None

    def waiting(self, chat_id: int) -> tuple[Operation, ...]:
        """Operations of a chat that wait to be tried again."""
        return tuple(
            op
            for op in self._open.values()
            if op.spec.chat == chat_id and op.status is OperationStatus.WAITING
        )

    def held(self, chat_id: int) -> tuple[Operation, ...]:
        """Operations of a chat that need the result of one that failed or was cancelled."""
        around = self._surroundings()
        held = (
            replace(op, held=around.missing(op))
            for op in self._open.values()
            if op.spec.chat == chat_id and op.spec.needs
        )
        return tuple(op for op in held if op.held)

    def held_back(self) -> tuple[Operation, ...]:
        """What may not begin now though nothing else keeps it, in the order of work."""
        operations = sorted(self._open.values(), key=order)
        return tuple(op for op in operations if self._held_back(op))

    def failed(self, chat_id: int) -> tuple[Operation, ...]:
        """Operations of a chat that failed in this run and were not done since, oldest first."""
        return self._ended.given_up(chat_id)

    def is_open(self, spec: OperationSpec) -> bool:
        """Whether this work is queued."""
        return any(operation.spec.work == spec.work for operation in self._open.values())

    def is_given_up(self, spec: OperationSpec) -> bool:
        """Whether this work failed or was cancelled in this run: only the user brings it back."""
        return self._ended.is_given_up(spec.work)

    def left(self, chat_id: int) -> int:
        """How many operations of a chat are not done."""
        return sum(op.spec.chat == chat_id for op in self._open.values())

    def unbegun(self, chat_id: int) -> tuple[Operation, ...]:
        """Operations of a chat that nobody has in hand."""
        return tuple(
            op for op in self._open.values() if op.spec.chat == chat_id and op.id != self._current
        )

    def running(self, chat_id: int) -> Operation | None:
        """The operation of a chat that runs now."""
        for operation in self._open.values():
            if operation.spec.chat == chat_id and operation.status is OperationStatus.RUNNING:
                return operation
        return None

    # --- coming and going

    async def start(self) -> None:
        """Take up what an earlier run left, and begin."""
        operations = self._store.operations
        await self._store.run(operations.recover)
        unfinished = await self._store.run(operations.unfinished)
        self._open = {operation.id: operation for operation in unfinished}
        self._ended.load(await self._store.run(lambda: operations.recent(SHOWN)))
        await self._remember_ends([operation.spec for operation in unfinished])
        self._tasks.spawn(self._work(), name="operation queue")

    async def add(self, specs: Sequence[OperationSpec]) -> None:
        """Queue what is not queued yet and did not fail, or was cancelled, in this run.

        What is queued already waits from now on for what the spec says.
        """
        queued = {operation.spec.work: operation for operation in self._open.values()}
        wanted = []
        for spec in specs:
            operation = queued.get(spec.work)
            if operation is not None:
                await self._wait_for(operation, spec)
            elif self._ended.may_begin(spec):
                wanted.append(spec)
        if wanted:
            await self._add(wanted)
        self._wake.set()  # what an earlier run left may be in scope only now

    async def _add(self, specs: Sequence[OperationSpec]) -> None:
        await self._remember_ends(specs)
        added = await self._store.run(lambda: self._store.operations.add(specs))
        self._open.update((operation.id, operation) for operation in added)
        self._announce()

    async def _wait_for(self, operation: Operation, spec: OperationSpec) -> None:
        old = operation.spec
        is_same = (old.needs, old.after) == (spec.needs, spec.after)
        if is_same or operation.id == self._current:
            return
        await self._remember_ends([spec])
        await self._store.run(lambda: self._store.operations.set_needs(operation.id, spec))
        now = self._open.get(operation.id)
        if now is not None:
            self._open[now.id] = replace(
                now, spec=replace(now.spec, needs=spec.needs, after=spec.after)
            )
            self._announce()

    async def _remember_ends(self, specs: Sequence[OperationSpec]) -> None:
        """How that ended which these need, also in an earlier run."""
        for chat in {spec.chat for spec in specs if spec.needs}:
            keys = {key for of, key in needed_keys(specs) if of == chat}
            found = await self._store.run(partial(self._store.operations.ended, chat, keys))
            self._ended.remember({(chat, key): operation for key, operation in found.items()})

    async def let_go(self, chat_id: int, is_unwanted: Callable[[Operation], bool]) -> None:
        """Drop what waits in a chat and is wanted no more; it may be planned again at any time.

        What was never begun leaves no trace.
        """
        unwanted = [
            replace(operation, status=OperationStatus.OUTDATED, finished=time.time())
            for operation in self._open.values()
            if operation.spec.chat == chat_id
            and operation.id != self._current
            and operation.id not in self._cancelled
            and is_unwanted(operation)
        ]
        if unwanted:
            await self._drop(unwanted)

    async def _drop(self, operations: Sequence[Operation]) -> None:
        """All at once take them out of what is to do, as they stand now."""
        numbers = {operation.id for operation in operations}
        self._cancelled |= numbers  # or the worker begins one meanwhile
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
            self._cancelled -= numbers
            raise
        for number in numbers:
            self._open.pop(number, None)
        needed = needed_keys(other.spec for other in self._open.values())
        for operation in operations:
            self._finish(operation, needed, is_shown=not is_traceless(operation))
        self._announce()

    # --- what the user does

    def pause(self) -> None:
        """Begin nothing new; what runs is finished."""
        self.is_paused = True
        self._announce()

    def look(self) -> None:
        """What held operations back may hold them no more, or hold others."""
        self._announce()

    def resume(self) -> None:
        """Go on; what made the queue pause by itself is tried again."""
        stopped = [op for number in self._refused if (op := self._ended.find(number))]
        before = self.stopped_before
        if before is not None:  # it forgets the pause for good when it begins
            self._open[before.id] = replace(before, pauses_before=False)
        self.is_paused, self.pause_reason, self._refusals = False, "", 0
        self._stopped_before, self._refused = None, []
        self._announce()
        if stopped:
            self._tasks.spawn(self._do_again(stopped), name="trying again what was refused")

    def _hold(self, reason: Exception) -> None:
        self.is_paused, self.pause_reason = True, tr("Paused: {reason}", reason=reason)
        self._announce()

    async def pause_before(self, operation_id: int, *, wanted: bool = True) -> None:
        """Stop when this one would begin, or no longer; also in a later run."""
        operation = self._open.get(operation_id)
        if operation is None or operation_id == self._current:
            return
        await self._store_state(replace(operation, pauses_before=wanted))
        if not wanted and operation_id == self._stopped_before:
            self.resume()

    async def move_up(self, operation_id: int, *, first: bool = False) -> None:
        """Let a waiting operation go one place further up, or before all others."""
        move = moved_first if first else moved_up
        moved = move(operation_id, tuple(self._open.values()))
        if moved is not None and operation_id != self._current:
            await self._store_state(moved)

    async def cancel(self, operation_id: int, *, is_final: bool = True) -> None:
        """Drop an operation; one that runs is stopped at once, one that is done stays done.

        is_final: it is not planned again in this run.
        """
        operation = self._open.get(operation_id)
        if operation is None:
            return
        if not is_final:
            self._not_for_good.add(operation_id)
        if operation_id == self._current:
            if self._running is not None and not self._running.done():
                self._cancelled.add(operation_id)
                self._running.cancel()
                await asyncio.wait([self._running])
        else:
            self._cancelled.add(operation_id)
            await self._settle(replace(operation, status=OperationStatus.CANCELLED))

    def outdate_running(self, chat_id: int, is_outdated: Callable[[OperationSpec], bool]) -> None:
        """Stop at once what runs for a chat whose story has changed under it.

        Its result would fit nothing any more, and each further word of it would be paid for
        (spec/smart-memory.md §2, EV4). It may be planned again at any time.
        """
        operation = self.running(chat_id)
        if operation is None or self._running is None or self._running.done():
            return
        if operation.id not in self._cancelled and is_outdated(operation.spec):
            self._outdated.add(operation.id)
            self._running.cancel()

    async def try_away(self) -> None:
        """Who was away is back: what waits for them is tried now."""
        for operation_id in tuple(self._away):
            self._away.discard(operation_id)
            operation = self._open.get(operation_id)
            if operation is not None and operation.status is OperationStatus.WAITING:
                await self.retry(operation_id)

    async def clear(self, chat_id: int | None = None) -> tuple[Operation, ...]:
        """Cancel all that waits, in one chat or in all; gives it, for `put_back`.

        What runs goes on. It is not planned again in this run.
        """
        waiting = [
            operation
            for operation in sorted(self._open.values(), key=order)
            if chat_id in (None, operation.spec.chat)
            and operation.id != self._current
            and operation.id not in self._cancelled
        ]
        now = time.time()
        cleared = [replace(o, status=OperationStatus.CANCELLED, finished=now) for o in waiting]
        if cleared:
            self._ended.give_up(cleared)
            await self._drop(cleared)
        return tuple(waiting)

    async def put_back(self, operations: Sequence[Operation]) -> None:
        """Queue again what was cleared, each in its old place."""
        self._ended.forget(operation.spec.work for operation in operations)
        queued = {operation.spec.work for operation in self._open.values()}
        back = [operation for operation in operations if operation.spec.work not in queued]
        store = self._store.operations

        def unit() -> None:
            for operation in back:
                store.update(operation)

        await self._store.run(unit)
        self._ended.take_out({operation.id for operation in back})
        self._open.update((operation.id, operation) for operation in back)
        self._announce()

    async def retry(self, operation_id: int) -> None:
        """Queue again what failed or was cancelled, or try a waiting one now."""
        waiting = self._open.get(operation_id)
        if waiting is not None:
            if operation_id != self._current:
                await self._store_state(
                    replace(waiting, status=OperationStatus.PENDING, not_before=0.0)
                )
            return
        old = self._ended.find(operation_id)
        if old is not None:
            await self._do_again([old])

    def forgive(self, chat_id: int) -> None:
        """Let what failed or was cancelled in a chat be planned again."""
        self._ended.forgive(chat_id)

    def ask_another(self) -> None:
        """Another model answers from now on; what the last one failed at in a row may begin."""
        self._ended.ask_another()

    async def retry_all(self, chat_id: int | None = None) -> None:
        """Queue again all that failed, also in earlier runs, and go on if refusals paused us."""
        again = self._ended.failed(chat_id)
        if again:
            await self._do_again(again)
        self._refused = []
        if self.pause_reason:
            self.resume()

    async def _do_again(self, ended: Sequence[Operation]) -> None:
        """Queue what ended once more, in the place of how it ended.

        The user asks for it: a stand-in that was made meanwhile does not make it needless.
        """
        specs = {
            operation.spec.work: replace(
                operation.spec, priority=max(operation.spec.priority, PRIORITY_ASKED)
            )
            for operation in sorted(ended, key=lambda operation: operation.id)
        }
        self._ended.forget(specs)
        old = {
            operation.id
            for operation in (*ended, *self._ended.shown)
            if operation.spec.work in specs and operation.status in GIVEN_UP
        }
        self._ended.take_out(old)
        store = self._store.operations

        def unit() -> None:
            for operation_id in old:
                store.remove(operation_id)

        await self._store.run(unit)
        await self._add([*specs.values()])

    async def wait_idle(self) -> None:
        """Until nothing is pending or running; waiting, held and paused ones do not count."""
        while self._current is not None or self._next() is not None:
            self._idle.clear()
            await self._idle.wait()

    def _announce(self) -> None:
        self._wake.set()
        self._announced = None
        self._announced = self.operations  # thousands in a backlog, asked for by each who listens
        try:
            self.changed.emit(self._announced)
        finally:
            self._announced = None

    # --- the worker

    def _surroundings(self) -> Surroundings:
        return surroundings(self._open.values(), self._ended.needed)

    def _next(self) -> Operation | None:
        if self.is_paused:
            return None
        ours = [
            operation
            for operation in self._open.values()
            if operation.id not in self._cancelled
            and self._in_scope(operation.spec)
            and not self._held_back(operation)
        ]
        return next_operation(ours, self._surroundings(), now=time.time())

    async def _work(self) -> None:
        while True:
            self._wake.clear()
            operation = self._next()
            if operation is not None and operation.pauses_before:
                self.is_paused, self._stopped_before = True, operation.id
                self._announce()
                continue
            if operation is None:
                self._idle.set()
                await self._sleep()
                continue
            self._current = operation.id
            self._running = self._tasks.spawn(
                self._attempt(operation), name=operation.spec.kind.value
            )
            try:
                await asyncio.wait([self._running])
                await self._take(operation, self._running)
            finally:
                self._current = self._running = None

    async def _take(self, operation: Operation, attempt: asyncio.Task[Operation]) -> None:
        """Keep how an attempt ended; the worker does so itself, where nobody cancels it."""
        is_outdated = operation.id in self._outdated
        self._outdated.discard(operation.id)
        if attempt.cancelled() and is_outdated:
            now = self._open.get(operation.id, operation)
            outcome = replace(now, status=OperationStatus.OUTDATED, error=tr(CHANGED))
        elif attempt.cancelled():
            outcome = replace(operation, status=OperationStatus.CANCELLED)
        else:
            outcome = attempt.result()
        await self._settle(outcome)

    async def _sleep(self) -> None:
        """Until something changes or a waiting operation is due."""
        due = [op.not_before for op in self._open.values() if op.status is OperationStatus.WAITING]
        timeout = max(0.05, min(due) - time.time()) if due and not self.is_paused else None
        is_held = any(self._held_back(operation) for operation in self._open.values())
        if is_held or timeout is not None:
            # Not the time until then: a computer that sleeps, or whose clock is set, would miss it.
            timeout = min(timeout or LOOK_SECONDS, LOOK_SECONDS)
        try:
            async with asyncio.timeout(timeout):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _attempt(self, operation: Operation) -> Operation:
        """Try it once; gives the operation as it stands then."""
        with noting() as taken:
            return await self._try(operation, begun(operation), taken)

    async def _try(
        self, operation: Operation, attempt: Operation, taken: list[RequestUse]
    ) -> Operation:
        try:
            await self._store_state(attempt)
            outcome = await self._perform(attempt)
        except StoreError as error:
            self._hold(error)
            return operation
        except Exception as error:  # noqa: BLE001 - it fails this one; `ended_with` logs what is ours
            ended = ended_with(having_taken(attempt, taken), error)
            if isinstance(error, BackendAway):
                self._away.add(operation.id)
            if ended.status is OperationStatus.FAILED:
                self._count_refusal(operation.id, error)
            return ended
        self._refusals, self._refused = 0, []
        return done(attempt, outcome)

    def _count_refusal(self, operation_id: int, error: Exception) -> None:
        if isinstance(error, BackendRefused) and not isinstance(error, PromptTooLong):
            self._refusals += 1
            self._refused.append(operation_id)
            if self._refusals >= REFUSALS_IN_A_ROW:
                self._hold(error)

    async def _settle(self, operation: Operation) -> None:
        """Keep the operation's new state, and tell whoever waits for its end."""
        if operation.status in FINISHED:
            operation = replace(operation, finished=time.time())
        self._ended.note(operation, is_for_good=operation.id not in self._not_for_good)
        self._not_for_good.discard(operation.id)
        try:
            await self._store_state(operation)
            if operation.status in FINISHED:
                await self._after(operation)
        except StoreError as error:
            # What was made is kept by its key: doing it again will find it.
            if operation.id in self._open:
                self._open[operation.id] = replace(operation, status=OperationStatus.PENDING)
            self._hold(error)
        except TavernkeepError as error:
            log.warning("After operation %d: %s", operation.id, error)
        except Exception:  # what fails for one chat must not end the work for all
            log.exception("After operation %d", operation.id)

    async def _store_state(self, operation: Operation) -> None:
        await self._store.run(lambda: self._store.operations.update(operation))
        if operation.status in FINISHED:
            self._open.pop(operation.id, None)
            needed = needed_keys(other.spec for other in self._open.values())
            self._finish(operation, needed)
        else:
            self._open[operation.id] = operation
        self._announce()

    def _finish(
        self, operation: Operation, needed: Collection[Key], *, is_shown: bool = True
    ) -> None:
        self._cancelled.discard(operation.id)
        self._ended.keep(operation, needed, is_shown=is_shown)
