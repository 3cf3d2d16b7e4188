"""The worker: attempts one operation at a time, keeps how that ended, and pauses when it must."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from app.core.errors import (
    AnswerUnusable,
    BackendAway,
    BackendError,
    BackendRefused,
    KeyRefused,
    PromptTooLong,
    StoreError,
    TavernkeepError,
)
from app.core.operations import FINISHED, Operation, OperationSpec, OperationStatus, Outcome
from app.core.tasks import TaskSupervisor
from app.core.translation import N_, tr
from app.llm.writers.meter import RequestUse, noting
from app.work.queue.backlog import Backlog
from app.work.queue.failures import begun, done, dropped, ended_with, having_taken
from app.work.queue.waiting import next_operation

log = logging.getLogger(__name__)

# So many requests in a row refused for good (wrong key, unknown model): the next would be too.
REFUSALS_IN_A_ROW = 2
LOOK_SECONDS = 30.0
CHANGED = N_("The messages it was made from changed. What the story still lacks is planned again.")

Perform = Callable[[Operation], Awaitable[Outcome]]
After = Callable[[Operation], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Halt:
    """Nothing new is begun. reason: a sentence when the queue paused by itself, "" else. before:
    the operation that it was to pause before, while it does.
    """

    reason: str = ""
    before: Operation | None = None


class Worker:
    """Does what the backlog holds; arguments as of OperationQueue.

    is_paused: nothing new is begun. pause_reason: a sentence when it paused by itself.
    away: those that wait for somebody to come back. missing_key: a sentence while a server wants an
    API key, or another one, "" else. in_vain: a sentence while it is paused since requests came to
    nothing one after the other, "" else.
    """

    def __init__(
        self,
        backlog: Backlog,
        perform: Perform,
        after: After,
        tasks: TaskSupervisor,
        in_scope: Callable[[OperationSpec], bool],
    ) -> None:
        self._backlog = backlog
        self._perform = perform
        self._after = after
        self._tasks = tasks
        self._in_scope = in_scope
        self._not_for_good: set[int] = set()  # cancelled, and may be planned again
        self._outdated: dict[int, str] = {}  # stopped while they ran, and why
        self._refusals = 0
        self._refused: list[int] = []  # those that made it pause
        self.in_vain = ""
        self.away: set[int] = set()
        self._running: asyncio.Task[Operation] | None = None
        self._idle = asyncio.Event()
        self.is_paused = False
        self._is_ending = False
        self.pause_reason = ""
        self.missing_key = ""
        self._stopped_before: int | None = None

    def begin(self) -> None:
        """Work from now on, until the tasks end."""
        self._tasks.spawn(self._work(), name="operation queue")

    @property
    def halt(self) -> Halt | None:
        """Why nothing new is begun; None while it is."""
        return Halt(self.pause_reason, self.stopped_before) if self.is_paused else None

    @property
    def stopped_before(self) -> Operation | None:
        """The operation that the queue was to pause before, while it does."""
        return self._backlog.open.get(self._stopped_before or 0) if self.is_paused else None

    def pause(self) -> None:
        """Begin nothing new; what runs is finished."""
        self.is_paused = True
        self._backlog.announce()

    def resume(self) -> None:
        """Go on; what made the queue pause by itself is tried again."""
        if self._is_ending:
            return
        before = self.stopped_before
        if before is not None:  # it forgets the pause for good when it begins
            self._backlog.open[before.id] = replace(before, pauses_before=False)
        self.is_paused, self.pause_reason, self._stopped_before = False, "", None
        if self.in_vain:
            self.in_vain = ""
            self._backlog.useless.forget()
            self._backlog.absences.forget_troubles()
        self._ask_again()

    def try_refused(self) -> None:
        """Who refused may take it now, by another key or as another model; a pause that the user
        wanted stays. What was answered, and paid for, in vain waits for the user's word.
        """
        was_held = bool(self._backlog.useless.held)
        self._backlog.useless.forget_model()
        if not self._refused and not self.in_vain:
            if was_held:
                self._backlog.announce()
            return
        if self.pause_reason:
            self.resume()
        else:
            self._ask_again()

    def _ask_again(self) -> None:
        stopped = [op for number in self._refused if (op := self._backlog.ended.find(number))]
        self._refused, self._refusals, self.missing_key = [], 0, ""
        self._backlog.announce()
        if stopped:
            self._tasks.spawn(self._backlog.do_again(stopped), name="trying again what was refused")

    def end(self) -> None:
        """Begin nothing any more in this run; nobody lets it go on, neither a page nor a model that
        comes back.
        """
        self._is_ending = True
        self.pause()

    def hold(self, reason: Exception | str) -> None:
        """Pause for a reason that the user is told."""
        self.is_paused, self.pause_reason = True, tr("Paused: {reason}", reason=reason)
        self._backlog.announce()

    def forget_refusals(self) -> None:
        """What made it pause is tried again by other means."""
        self._refused, self.missing_key = [], ""

    async def cancel(self, operation_id: int, *, is_final: bool = True) -> None:
        """Drop an operation; one that runs is stopped at once, one that is done stays done.

        is_final: it is not planned again in this run.
        """
        operation = self._backlog.open.get(operation_id)
        if operation is None:
            return
        if not is_final:
            self._not_for_good.add(operation_id)
        if operation_id == self._backlog.current:
            if self._running is not None and not self._running.done():
                self._backlog.cancelled.add(operation_id)
                self._running.cancel()
                await asyncio.wait([self._running])
        else:
            self._backlog.cancelled.add(operation_id)
            await self._settle(dropped(operation, OperationStatus.CANCELLED))

    def outdate_running(
        self, chat_id: int, is_outdated: Callable[[OperationSpec], bool], why: str
    ) -> None:
        """Stop at once what runs for a chat whose story has changed under it.

        Its result would fit nothing any more, and each further word of it would be paid for
        (spec/smart-memory.md §2, EV4). It may be planned again at any time. why: a sentence, "" for
        the change.
        """
        operation = self._backlog.running(chat_id)
        if operation is None or self._running is None or self._running.done():
            return
        if operation.id not in self._backlog.cancelled and is_outdated(operation.spec):
            self._outdated[operation.id] = why or tr(CHANGED)
            self._running.cancel()

    async def wait_idle(self) -> None:
        """Until nothing is pending or running; waiting, held and paused ones do not count, but
        what begins in a few seconds does.
        """
        while self._backlog.current is not None or self._next() is not None or self._is_patient():
            self._idle.clear()
            await self._idle.wait()

    def _next(self) -> Operation | None:
        if self.is_paused:
            return None
        ours = [
            operation
            for operation in self._backlog.open.values()
            if operation.id not in self._backlog.cancelled
            and self._in_scope(operation.spec)
            and not self._backlog.why_held_back(operation)
        ]
        return next_operation(ours, self._backlog.surroundings(), now=time.time())

    def _is_patient(self) -> bool:
        return not self.is_paused and self._patience_left() is not None

    def _patience_left(self) -> float | None:
        """Seconds until one begins that the user may still take back, None where none waits so."""
        patience, held = self._backlog.patience, self._backlog.why_held_back
        return patience.left(
            operation
            for operation in self._backlog.open.values()
            if (why := patience.why(operation))
            and self._in_scope(operation.spec)
            and held(operation) == why  # what asks no model begins at once
        )

    async def _work(self) -> None:
        while True:
            self._backlog.wake.clear()
            operation = self._next()
            if operation is not None and operation.pauses_before:
                self.is_paused, self._stopped_before = True, operation.id
                self._backlog.announce()
                continue
            if operation is None:
                self._idle.set()
                await self._sleep()
                continue
            self._backlog.current = operation.id
            taken: list[RequestUse] = []
            self._running = self._tasks.spawn(
                self._attempt(operation, taken), name=operation.spec.kind.value
            )
            try:
                await asyncio.wait([self._running])
                await self._take(operation, self._running, taken)
            except asyncio.CancelledError:  # the program ends
                await self._break_off(operation, self._running, taken)
                raise
            finally:
                self._backlog.current = self._running = None

    async def _break_off(
        self,
        operation: Operation,
        attempt: asyncio.Task[Operation],
        taken: Sequence[RequestUse],
    ) -> None:
        """The next run does it again, and tells what this one's requests took."""
        attempt.cancel()
        await asyncio.wait([attempt])
        if attempt.cancelled() and taken:
            now = self._backlog.open.get(operation.id, operation)
            await self._backlog.keep_for_next_run(having_taken(now, taken))

    async def _take(
        self,
        operation: Operation,
        attempt: asyncio.Task[Operation],
        taken: Sequence[RequestUse],
    ) -> None:
        """Keep how an attempt ended; the worker does so itself, where nobody cancels it. taken: its
        requests, which one that was stopped has to be told to have taken.
        """
        why = self._outdated.pop(operation.id, "")
        now = self._backlog.open.get(operation.id, operation)
        if attempt.cancelled():
            now = having_taken(now, taken)
        if attempt.cancelled() and why:
            outcome = replace(now, status=OperationStatus.OUTDATED, error=why)
        elif attempt.cancelled():
            outcome = replace(now, status=OperationStatus.CANCELLED)
        else:
            outcome = attempt.result()
        await self._settle(outcome)

    async def _sleep(self) -> None:
        """Until something changes or a waiting operation is due."""
        due = [
            op.not_before
            for op in self._backlog.open.values()
            if op.status is OperationStatus.WAITING
        ]
        timeout = max(0.05, min(due) - time.time()) if due and not self.is_paused else None
        is_held = any(
            self._backlog.why_held_back(operation) for operation in self._backlog.open.values()
        )
        if is_held or timeout is not None:
            # Not the time until then: a computer that sleeps, or whose clock is set, would miss it.
            timeout = min(timeout or LOOK_SECONDS, LOOK_SECONDS)
        if (left := self._patience_left()) is not None:
            timeout = min(timeout or LOOK_SECONDS, max(0.05, left))
        if not self.is_paused and (asked := self._backlog.absences.due(now=time.time())):
            timeout = min(timeout or LOOK_SECONDS, max(0.05, asked - time.time()))
        try:
            async with asyncio.timeout(timeout):
                await self._backlog.wake.wait()
        except TimeoutError:
            return

    async def _attempt(self, operation: Operation, taken: list[RequestUse]) -> Operation:
        """Try it once; gives the operation as it stands then. taken: its requests are added."""
        with noting(taken):
            return await self._try(operation, begun(operation), taken)

    async def _try(
        self, operation: Operation, attempt: Operation, taken: list[RequestUse]
    ) -> Operation:
        try:
            await self._backlog.keep(attempt)
            outcome = await self._perform(attempt)
        except StoreError as error:
            self.hold(error)
            return operation
        except Exception as error:  # noqa: BLE001 - it fails this one; `ended_with` logs what is ours
            ended = ended_with(having_taken(attempt, taken), error)
            if isinstance(error, BackendAway):
                self.away.add(operation.id)
                if not error.was_sent:
                    self._backlog.absences.note(ended)
            elif isinstance(error, BackendError) and error.is_transient:
                self._hold_in_vain(
                    self._backlog.absences.note_trouble(ended, error, now=time.time())
                )
            else:
                self._backlog.absences.over(operation)
            if ended.status is OperationStatus.FAILED:
                self._count_refusal(operation.id, error)
                if isinstance(error, AnswerUnusable) and taken:
                    # A model that cannot give what is asked for would be paid for all that waits.
                    self._hold_in_vain(self._backlog.useless.note(operation, error))
            return ended
        self._refusals, self._refused, self.missing_key = 0, [], ""
        if taken and not outcome.in_vain:
            self._backlog.useless.note_use(operation)
        elif taken:
            self._hold_in_vain(self._backlog.useless.note(operation, outcome.in_vain))
        self._backlog.absences.over(operation)
        if outcome.in_vain:
            return done(having_taken(attempt, taken), outcome)
        return done(attempt, outcome, requests=len(taken))

    def _back_with(self, done: Operation) -> set[int]:
        """What waits for who did this, and who is there again.

        One model does all of a kind; of other kinds, those that missed the same one say the same.
        """
        waiting = [op for number in self.away if (op := self._backlog.open.get(number))]
        missed = {op.error for op in waiting if op.spec.kind is done.spec.kind}
        return {op.id for op in waiting if op.error in missed and op.error}

    def _count_refusal(self, operation_id: int, error: Exception) -> None:
        if isinstance(error, KeyRefused):
            self.missing_key = str(error)
        if isinstance(error, BackendRefused) and not isinstance(error, PromptTooLong):
            self._refusals += 1
            self._refused.append(operation_id)
            if self._refusals >= REFUSALS_IN_A_ROW:
                self.hold(error)

    def _hold_in_vain(self, reason: str) -> None:
        if reason:
            self.in_vain = reason
            self.hold(reason)

    async def _settle(self, operation: Operation) -> None:
        """Keep the operation's new state, and tell whoever waits for its end."""
        if operation.status in FINISHED:
            operation = replace(operation, finished=time.time())
        self._backlog.ended.note(operation, is_for_good=operation.id not in self._not_for_good)
        self._not_for_good.discard(operation.id)
        try:
            if operation.status is OperationStatus.DONE:
                await self._backlog.try_now(self._back_with(operation))
            await self._backlog.keep(operation)
            if operation.status in FINISHED:
                await self._after(operation)
        except StoreError as error:
            # What was made is kept by its key: doing it again will find it.
            if operation.id in self._backlog.open:
                self._backlog.open[operation.id] = replace(
                    operation, status=OperationStatus.PENDING
                )
            self.hold(error)
        except TavernkeepError as error:
            log.warning("After operation %d: %s", operation.id, error)
        except Exception:  # what fails for one chat must not end the work for all
            log.exception("After operation %d", operation.id)
