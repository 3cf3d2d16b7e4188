"""The persisted operation queue: one operation at a time, resumable, cancellable at once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from app.errors import (
    BackendError,
    BackendRefused,
    OperationOutdated,
    PromptTooLong,
    StoreError,
    TavernkeepError,
)
from app.llm.retries import retry_delay
from app.operations import FINISHED, Operation, OperationSpec, OperationStatus, Outcome
from app.signals import Signal
from app.store.store import Store
from app.tasks import TaskSupervisor

log = logging.getLogger(__name__)

HISTORY_SHOWN = 50
# The same work wanted again and again in one run is a fault of ours that must not cost money.
TIMES_DONE_AT_MOST = 5
# So many requests in a row refused for good (wrong key, unknown model): the next would be too.
REFUSALS_IN_A_ROW = 2

Perform = Callable[[Operation], Awaitable[Outcome]]
After = Callable[[Operation], Awaitable[None]]


class OperationQueue:
    """Runs operations by priority, then age; a failing or waiting one never blocks the others.

    perform: does one operation; raises BackendError or another TavernkeepError when it cannot.
    after: awaited when an operation has ended, however, and before the next begins.
    in_scope: says which operations are ours to do; others wait for another run.

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
    ) -> None:
        self._store = store
        self._perform = perform
        self._after = after
        self._tasks = tasks
        self._in_scope = in_scope
        self._open: dict[int, Operation] = {}
        self._history: list[Operation] = []
        self._failed: dict[tuple[int, str, str], Operation] = {}
        self._cancelled: set[int] = set()
        self._times: Counter[tuple[int, str, str]] = Counter()
        self._refusals = 0
        self._running: asyncio.Task[Operation] | None = None
        self._current: int | None = None  # the operation that the worker has in hand
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self.is_paused = False
        self.pause_reason = ""  # a sentence when the queue paused by itself
        self.changed: Signal[tuple[Operation, ...]] = Signal("changed")

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Unfinished operations in their order of work, then the newest finished ones."""
        return (*sorted(self._open.values(), key=_order), *self._history)

    def waiting(self, chat_id: int) -> tuple[Operation, ...]:
        """Operations of a chat that wait to be tried again."""
        return tuple(
            op
            for op in self._open.values()
            if op.spec.chat == chat_id and op.status is OperationStatus.WAITING
        )

    def failed(self, chat_id: int) -> tuple[Operation, ...]:
        """Operations of a chat that failed in this run and were not done since, oldest first."""
        return tuple(op for op in self._failed.values() if op.spec.chat == chat_id)

    def left(self, chat_id: int) -> int:
        """How many operations of a chat are not done."""
        return sum(op.spec.chat == chat_id for op in self._open.values())

    async def start(self) -> None:
        """Take up what an earlier run left, and begin."""
        operations = self._store.operations
        await self._store.run(operations.recover)
        unfinished = await self._store.run(operations.unfinished)
        self._open = {operation.id: operation for operation in unfinished}
        self._history = list(await self._store.run(lambda: operations.recent(HISTORY_SHOWN)))
        self._tasks.spawn(self._work(), name="operation queue")

    async def add(self, specs: Sequence[OperationSpec]) -> None:
        """Queue what is not queued yet and did not fail, or was cancelled, in this run."""
        queued = {_work_of(operation.spec) for operation in self._open.values()}
        wanted = [
            spec
            for spec in specs
            if (work := _work_of(spec)) not in queued
            and work not in self._failed
            and self._times[work] < TIMES_DONE_AT_MOST
        ]
        if wanted:
            await self._add(wanted)
        self._wake.set()  # what an earlier run left may be in scope only now

    async def _add(self, specs: Sequence[OperationSpec]) -> None:
        added = await self._store.run(lambda: self._store.operations.add(specs))
        self._open.update((operation.id, operation) for operation in added)
        self._announce()

    def pause(self) -> None:
        """Begin nothing new; what runs is finished."""
        self.is_paused = True
        self._announce()

    def resume(self) -> None:
        """Go on."""
        self.is_paused, self.pause_reason, self._refusals = False, "", 0
        self._announce()

    def _hold(self, reason: str) -> None:
        self.is_paused, self.pause_reason = True, reason
        self._announce()

    async def cancel(self, operation_id: int) -> None:
        """Drop an operation; one that runs is stopped at once, one that is done stays done."""
        operation = self._open.get(operation_id)
        if operation is None:
            return
        if operation_id == self._current:
            if self._running is not None and not self._running.done():
                self._cancelled.add(operation_id)
                self._running.cancel()
                await asyncio.wait([self._running])
            return
        self._cancelled.add(operation_id)
        await self._settle(replace(operation, status=OperationStatus.CANCELLED))

    async def retry(self, operation_id: int) -> None:
        """Queue again what failed or was cancelled, or try a waiting one now."""
        waiting = self._open.get(operation_id)
        if waiting is not None:
            if operation_id != self._current:
                await self._store_state(
                    replace(waiting, status=OperationStatus.PENDING, not_before=0.0)
                )
            return
        old = next((op for op in self._history if op.id == operation_id), None)
        if old is not None:
            self._forget_failures([_work_of(old.spec)])
            await self._add([old.spec])

    async def retry_all(self) -> None:
        """Queue again everything that failed in this run, and go on if refusals paused us."""
        again = [
            operation.spec
            for operation in self._failed.values()
            if operation.status is OperationStatus.FAILED
        ]
        self._forget_failures([_work_of(spec) for spec in again])
        if again:
            await self._add(again)
        if self.pause_reason:
            self.resume()

    def _forget_failures(self, works: Sequence[tuple[int, str, str]]) -> None:
        for work in works:
            self._failed.pop(work, None)
            self._times.pop(work, None)

    async def wait_idle(self) -> None:
        """Until nothing is pending or running; waiting and paused ones do not count."""
        while self._current is not None or self._next() is not None:
            self._idle.clear()
            await self._idle.wait()

    def _announce(self) -> None:
        self._wake.set()
        self.changed.emit(self.operations)

    def _next(self) -> Operation | None:
        if self.is_paused:
            return None
        now = time.time()
        ready = [
            operation
            for operation in self._open.values()
            if operation.id not in self._cancelled
            and self._in_scope(operation.spec)
            and (
                operation.status is OperationStatus.PENDING
                or (operation.status is OperationStatus.WAITING and operation.not_before <= now)
            )
        ]
        return min(ready, key=_order, default=None)

    async def _work(self) -> None:
        while True:
            self._wake.clear()
            operation = self._next()
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
        if attempt.cancelled():
            outcome = replace(operation, status=OperationStatus.CANCELLED)
        else:
            outcome = attempt.result()
        await self._settle(outcome)

    async def _sleep(self) -> None:
        """Until something changes or a waiting operation is due."""
        due = [op.not_before for op in self._open.values() if op.status is OperationStatus.WAITING]
        timeout = max(0.05, min(due) - time.time()) if due and not self.is_paused else None
        try:
            async with asyncio.timeout(timeout):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _attempt(self, operation: Operation) -> Operation:
        """Try it once; gives the operation as it stands then."""
        before = operation
        operation = replace(
            operation,
            status=OperationStatus.RUNNING,
            attempts=operation.attempts + 1,
            started=time.time(),
            error="",
        )
        try:
            await self._store_state(operation)
            outcome = await self._perform(operation)
        except StoreError as error:
            self._hold(f"Paused: {error}")
            return before
        except OperationOutdated as error:
            return replace(operation, error=str(error), status=OperationStatus.OUTDATED)
        except BackendError as error:
            return self._after_fault(operation, error)
        except TavernkeepError as error:
            return replace(operation, error=str(error), status=OperationStatus.FAILED)
        except Exception:
            log.exception("Operation %d (%s) failed", operation.id, operation.spec.kind.value)
            sentence = "An error in Tavernkeep itself; the log has the details."
            return replace(operation, error=sentence, status=OperationStatus.FAILED)
        self._refusals = 0
        return replace(
            operation,
            status=OperationStatus.DONE,
            prompt_tokens=outcome.prompt_tokens,
            output_tokens=outcome.output_tokens,
            backend=outcome.backend,
        )

    def _after_fault(self, operation: Operation, error: BackendError) -> Operation:
        delay = retry_delay(operation.attempts, error)
        if delay is not None:
            return replace(
                operation,
                status=OperationStatus.WAITING,
                error=str(error),
                not_before=time.time() + delay,
            )
        if isinstance(error, BackendRefused) and not isinstance(error, PromptTooLong):
            self._refusals += 1
            if self._refusals >= REFUSALS_IN_A_ROW:
                self._hold(f"Paused: {error}")
        return replace(operation, status=OperationStatus.FAILED, error=str(error))

    async def _settle(self, operation: Operation) -> None:
        """Keep the operation's new state, and tell whoever waits for its end."""
        work = _work_of(operation.spec)
        if operation.status in FINISHED:
            operation = replace(operation, finished=time.time())
            self._times[work] += 1
            if self._times[work] == TIMES_DONE_AT_MOST:
                log.error("%s was done %d times", operation.spec.kind.value, TIMES_DONE_AT_MOST)
        if operation.status in (OperationStatus.FAILED, OperationStatus.CANCELLED):
            self._failed[work] = operation
        elif operation.status is OperationStatus.DONE:
            self._failed.pop(work, None)
        try:
            await self._store_state(operation)
            if operation.status in FINISHED:
                await self._after(operation)
        except StoreError as error:
            # What was made is kept by its key: doing it again will find it.
            if operation.id in self._open:
                self._open[operation.id] = replace(operation, status=OperationStatus.PENDING)
            self._hold(f"Paused: {error}")
        except TavernkeepError as error:
            log.warning("After operation %d: %s", operation.id, error)

    async def _store_state(self, operation: Operation) -> None:
        await self._store.run(lambda: self._store.operations.update(operation))
        if operation.status in FINISHED:
            self._open.pop(operation.id, None)
            self._cancelled.discard(operation.id)
            self._history.insert(0, operation)
            del self._history[HISTORY_SHOWN:]
        else:
            self._open[operation.id] = operation
        self._announce()


def _work_of(spec: OperationSpec) -> tuple[int, str, str]:
    return spec.chat, spec.key, spec.anchor


def _order(operation: Operation) -> tuple[bool, int, int]:
    is_running = operation.status is OperationStatus.RUNNING
    return (not is_running, -operation.spec.priority, operation.id)
