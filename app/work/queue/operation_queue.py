"""The persisted operation queue: one operation at a time, resumable, cancellable at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.core.operations import Operation, OperationSpec, OperationStatus
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.store.store import Store
from app.work.queue.absences import Asked
from app.work.queue.backlog import Backlog, InFront, Renewed, as_it_was, nobody_plays
from app.work.queue.waiting import moved_first, moved_up
from app.work.queue.worker import After, Halt, Perform, Worker


class OperationQueue(Backlog):
    """The backlog with the worker that does it, and what the user does with both.

    Runs operations by priority, then age, those of played chats before all others; a failing or
    waiting one blocks none that do not need its result.

    perform: does one operation; raises BackendError or another TavernkeepError when it cannot.
    after: awaited when an operation has ended, however, and before the next begins.
    in_scope: says which operations are ours to do; others wait for another run.
    holds: why an operation may not begin now, "" when it may; asked again when the queue is told
    to `look`, and from time to time.
    asked: who does a piece of work, "" where that is not known: while they are away one operation
    asks again for all.

    What failed in an earlier run is tried again when it is planned again; what failed in this
    one only when the user says so.

    Signals:
        ending: nothing is begun any more in this run.
    """

    # 10 parameters: wiring.py alone makes it; what tests leave out has a default.
    def __init__(
        self,
        store: Store,
        perform: Perform,
        after: After,
        tasks: TaskSupervisor,
        *,
        in_scope: Callable[[OperationSpec], bool] = lambda spec: True,
        holds: Callable[[Operation], str] = lambda operation: "",
        asked: Asked = lambda spec: "",
        renewed: Renewed = as_it_was,
        in_front: InFront = nobody_plays,
        is_patient: bool = False,
    ) -> None:
        super().__init__(store, holds, asked, renewed, in_front, is_patient=is_patient)
        self._worker = Worker(self, perform, after, tasks, in_scope)
        self.ending: Signal[None] = Signal("ending")

    async def start(self) -> None:
        """Take up what an earlier run left, and begin."""
        await self.load()
        self._worker.begin()

    @property
    def is_paused(self) -> bool:
        """Whether nothing new is begun."""
        return self._worker.is_paused

    @property
    def halt(self) -> Halt | None:
        """Why nothing new is begun; None while it is."""
        return self._worker.halt

    @property
    def pause_reason(self) -> str:
        """A sentence when the queue paused by itself."""
        return self._worker.pause_reason

    @property
    def missing_key(self) -> str:
        """A sentence while a server wants an API key, or another one, "" else."""
        return self._worker.missing_key

    @property
    def in_vain(self) -> str:
        """A sentence while it is paused since requests came to nothing one after the other."""
        return self._worker.in_vain

    @property
    def held_in_vain(self) -> str:
        """What kinds of work wait since their answers were of no use, "" for none."""
        return self.useless.held

    def go_on_in_vain(self) -> None:
        """Ask again also for those kinds of work."""
        self.useless.forget()
        self.announce()

    @property
    def stopped_before(self) -> Operation | None:
        """The operation that the queue was to pause before, while it does."""
        return self._worker.stopped_before

    def pause(self) -> None:
        """Begin nothing new; what runs is finished."""
        self._worker.pause()

    def resume(self) -> None:
        """Go on; what made the queue pause by itself is tried again."""
        self._worker.resume()

    def end(self) -> None:
        """Begin nothing any more in this run; see `wait_idle`."""
        self._worker.end()
        self.ending.emit(None)

    async def cancel(self, operation_id: int, *, is_final: bool = True) -> None:
        """Drop an operation; see Worker.cancel."""
        await self._worker.cancel(operation_id, is_final=is_final)

    def outdate_running(
        self, chat_id: int, is_outdated: Callable[[OperationSpec], bool], why: str = ""
    ) -> None:
        """Stop what runs for a chat whose story has changed; see Worker.outdate_running."""
        self._worker.outdate_running(chat_id, is_outdated, why)

    async def wait_idle(self) -> None:
        """Until nothing is pending or running; waiting, held and paused ones do not count."""
        await self._worker.wait_idle()

    def look(self) -> None:
        """What held operations back may hold them no more, or hold others."""
        self.announce()

    async def pause_before(self, operation_id: int, *, wanted: bool = True) -> None:
        """Stop when this one would begin, or no longer; also in a later run."""
        operation = self.open.get(operation_id)
        if operation is None or operation_id == self.current:
            return
        await self.keep(replace(operation, pauses_before=wanted))
        before = self.stopped_before
        if not wanted and before is not None and operation_id == before.id:
            self._worker.resume()

    async def move_up(self, operation_id: int, *, first: bool = False) -> None:
        """Let a waiting operation go one place further up, or before all others."""
        move = moved_first if first else moved_up
        moved = move(operation_id, tuple(self.open.values()), self.in_front())
        if moved is not None and operation_id != self.current:
            await self.keep(moved)

    async def try_away(self) -> None:
        """Who was away is back: what waits for them is tried now."""
        waiting = tuple(self._worker.away)
        self._worker.away.clear()
        await self.try_now(waiting)
        self.absences.clear()  # only now, or one of those that they held asks meanwhile
        self.wake.set()

    async def retry(self, operation_id: int) -> None:
        """Queue again what failed or was cancelled, or try a waiting one now."""
        waiting = self.open.get(operation_id)
        if waiting is not None:
            if operation_id != self.current:
                self.absences.over(waiting)
                again = replace(waiting, status=OperationStatus.PENDING, not_before=0.0, error="")
                await self.keep(again)
            return
        old = self.ended.find(operation_id)
        if old is not None:
            self.useless.try_once(old)
            await self.do_again([old])

    def forgive(self, chat_id: int) -> None:
        """Let what failed or was cancelled in a chat be planned again."""
        self.ended.forgive(chat_id)

    async def forget_chat(self, chat_id: int) -> None:
        """A chat was deleted: nothing is done for it, and nothing said of what failed in it."""
        self._worker.outdate_running(chat_id, lambda _: True, tr("Its chat was deleted."))
        await self.let_go(chat_id, lambda _: True)
        failed = {operation.id for operation in self.ended.failed(chat_id)}
        self.ended.forgive(chat_id)
        self.ended.take_out(failed)
        store = self._store.operations

        def unit() -> None:
            for operation_id in failed:
                store.remove(operation_id)

        await self._store.run(unit)
        self.announce()

    def ask_another(self) -> None:
        """Another model answers from now on; what the last one failed at in a row may begin, and
        what it refused is asked again.
        """
        self.ended.ask_another()
        self._worker.try_refused()

    def try_refused(self) -> None:
        """Who refused may take it now; see Worker.try_refused."""
        self._worker.try_refused()

    async def retry_all(self, chat_id: int | None = None) -> None:
        """Queue again all that failed, also in earlier runs, and go on if refusals paused us."""
        again = self.ended.failed(chat_id)
        self.useless.forget()
        if again:
            await self.do_again(again)
        self._worker.forget_refusals()
        if self.pause_reason:
            self.resume()
