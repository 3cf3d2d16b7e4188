"""The persisted operation queue: one operation at a time, resumable, cancellable at once."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from app.errors import BackendError, OperationOutdated, TavernkeepError
from app.llm.retries import retry_delay
from app.operations import FINISHED, Operation, OperationSpec, OperationStatus, Outcome
from app.signals import Signal
from app.store.store import Store
from app.tasks import TaskSupervisor

log = logging.getLogger(__name__)

HISTORY_SHOWN = 50
# The same work wanted again and again in one run is a fault of ours that must not cost money.
TIMES_DONE_AT_MOST = 5

Perform = Callable[[Operation], Awaitable[Outcome]]
After = Callable[[Operation], Awaitable[None]]


class OperationQueue:
    """Runs operations by priority, then age; a failing or waiting one never blocks the others.

    perform: does one operation; raises BackendError or another TavernkeepError when it cannot.
    after: awaited when an operation has ended, however, and before the next begins.

    Signals:
        changed: all operations shown (unfinished ones, then the newest finished).
    """

    def __init__(self, store: Store, perform: Perform, after: After, tasks: TaskSupervisor) -> None:
        self._store = store
        self._perform = perform
        self._after = after
        self._tasks = tasks
        self._open: dict[int, Operation] = {}
        self._history: list[Operation] = []
        self._done: Counter[tuple[int, str, str]] = Counter()
        self._running: asyncio.Task[None] | None = None
        self._running_id: int | None = None
        self._worker: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self.is_paused = False
        # What failed after this moment is not tried again unasked (seconds since the epoch).
        self.failures_since = 0.0
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
        """Operations of a chat that failed since `failures_since`, newest first."""
        return tuple(
            op
            for op in self._history
            if op.spec.chat == chat_id
            and op.status is OperationStatus.FAILED
            and (op.finished or 0.0) >= self.failures_since
        )

    async def start(self) -> None:
        """Take up what an earlier run left, and begin."""
        await self._store.run(self._store.operations.recover)
        unfinished = await self._store.run(self._store.operations.unfinished)
        self._open = {operation.id: operation for operation in unfinished}
        recent = await self._store.run(lambda: self._store.operations.recent(HISTORY_SHOWN))
        self._history = list(recent)
        self._worker = self._tasks.spawn(self._work(), name="operation queue")

    async def add(self, specs: Sequence[OperationSpec]) -> None:
        """Queue what is not queued yet and did not fail for good before."""
        if not specs:
            return
        since = self.failures_since
        specs = [spec for spec in specs if self._done[_work_of(spec)] < TIMES_DONE_AT_MOST]
        by_chat: dict[int, list[OperationSpec]] = {}
        for spec in specs:
            by_chat.setdefault(spec.chat, []).append(spec)

        def unit() -> tuple[Operation, ...]:
            operations = self._store.operations
            wanted = []
            for chat_id, group in by_chat.items():
                failed = operations.has_failed(chat_id, [s.key for s in group], since)
                wanted += [spec for spec in group if spec.key not in failed]
            return operations.add(wanted)

        added = await self._store.run(unit)
        if added:
            self._open.update((operation.id, operation) for operation in added)
            self._idle.clear()
            self._announce()

    def pause(self) -> None:
        """Begin nothing new; what runs is finished."""
        self.is_paused = True
        self._announce()

    def resume(self) -> None:
        """Go on."""
        self.is_paused = False
        self._announce()

    async def cancel(self, operation_id: int) -> None:
        """Drop an operation; one that runs is stopped at once."""
        operation = self._open.get(operation_id)
        if operation is None:
            return
        if operation_id == self._running_id and self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])
            return
        await self._end(operation, OperationStatus.CANCELLED)

    async def retry(self, operation_id: int) -> None:
        """Queue again what failed or was cancelled, or try a waiting one now."""
        waiting = self._open.get(operation_id)
        if waiting is not None:
            await self._update(replace(waiting, status=OperationStatus.PENDING, not_before=0.0))
            return
        old = next((op for op in self._history if op.id == operation_id), None)
        if old is None:
            return
        added = await self._store.run(lambda: self._store.operations.add([old.spec]))
        self._open.update((operation.id, operation) for operation in added)
        self._idle.clear()
        self._announce()

    async def wait_idle(self) -> None:
        """Until nothing is pending or running; waiting and paused ones do not count."""
        while self._running is not None or self._next() is not None:
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
            if operation.status is OperationStatus.PENDING
            or (operation.status is OperationStatus.WAITING and operation.not_before <= now)
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
            self._running_id = operation.id
            self._running = self._tasks.spawn(self._run(operation), name=operation.spec.kind.value)
            try:
                await asyncio.wait([self._running])
            finally:
                self._running, self._running_id = None, None

    async def _sleep(self) -> None:
        """Until something changes or a waiting operation is due."""
        due = [op.not_before for op in self._open.values() if op.status is OperationStatus.WAITING]
        timeout = max(0.05, min(due) - time.time()) if due and not self.is_paused else None
        try:
            async with asyncio.timeout(timeout):
                await self._wake.wait()
        except TimeoutError:
            return

    async def _run(self, operation: Operation) -> None:
        operation = replace(
            operation,
            status=OperationStatus.RUNNING,
            attempts=operation.attempts + 1,
            started=time.time(),
            error="",
        )
        await self._update(operation)
        try:
            outcome = await self._perform(operation)
        except asyncio.CancelledError:
            stopping = asyncio.current_task()
            # Cancelled by the user: settle it. Cancelled at shutdown: it stays "running" in the
            # store and is taken up again at the next start.
            if self._worker is not None and not self._worker.cancelling():
                await asyncio.shield(self._end(operation, OperationStatus.CANCELLED))
            assert stopping is not None
            raise
        except BackendError as error:
            await self._settle_failure(operation, error)
        except OperationOutdated as error:
            await self._end(replace(operation, error=str(error)), OperationStatus.OUTDATED)
        except TavernkeepError as error:
            await self._end(replace(operation, error=str(error)), OperationStatus.FAILED)
        except Exception:
            log.exception("Operation %d (%s) failed", operation.id, operation.spec.kind.value)
            sentence = "An error in Tavernkeep itself; the log has the details."
            await self._end(replace(operation, error=sentence), OperationStatus.FAILED)
        else:
            operation = replace(
                operation,
                prompt_tokens=outcome.prompt_tokens,
                output_tokens=outcome.output_tokens,
                backend=outcome.backend,
            )
            self._done[_work_of(operation.spec)] += 1
            if self._done[_work_of(operation.spec)] == TIMES_DONE_AT_MOST:
                log.error("%s was done %d times", operation.spec.kind.value, TIMES_DONE_AT_MOST)
            await self._end(operation, OperationStatus.DONE)

    async def _settle_failure(self, operation: Operation, error: BackendError) -> None:
        delay = retry_delay(operation.attempts, error)
        if delay is None:
            await self._end(replace(operation, error=str(error)), OperationStatus.FAILED)
            return
        await self._update(
            replace(
                operation,
                status=OperationStatus.WAITING,
                error=str(error),
                not_before=time.time() + delay,
            )
        )

    async def _update(self, operation: Operation) -> None:
        await self._store.run(lambda: self._store.operations.update(operation))
        if operation.status in FINISHED:
            self._open.pop(operation.id, None)
            self._history.insert(0, operation)
            del self._history[HISTORY_SHOWN:]
        else:
            self._open[operation.id] = operation
        self._announce()

    async def _end(self, operation: Operation, status: OperationStatus) -> None:
        operation = replace(operation, status=status, finished=time.time())
        await self._update(operation)
        await self._after(operation)


def _work_of(spec: OperationSpec) -> tuple[int, str, str]:
    return spec.chat, spec.key, spec.anchor


def _order(operation: Operation) -> tuple[bool, int, int]:
    is_running = operation.status is OperationStatus.RUNNING
    return (not is_running, -operation.spec.priority, operation.id)
