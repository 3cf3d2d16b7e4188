"""What the user may do with the work that waits: pause, put first, drop, retry, catch up."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from app.core.errors import UsageError
from app.core.model_use import CAPPED
from app.core.operations import (
    ALL,
    CUT,
    FINISHED,
    GONE,
    MEMORY,
    OFF,
    Operation,
    OperationKind,
    OperationStatus,
)
from app.core.translation import N_, retold, tr
from app.settings.scenes import SceneSettings
from app.story.story import ChatRef
from app.views.catch_up import CatchUpPlan, CatchUpProgress
from app.views.queued_work import Cleared
from app.work.chats.chat_names import ChatNames
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.planning.agreement import is_of_a_catch_up
from app.work.planning.folding import folded_anew
from app.work.queue.operation_queue import OperationQueue
from app.work.scheduling.branch_reading import BranchReading
from app.work.scheduling.scheduler import Scheduler

log = logging.getLogger(__name__)

SCENE_RECAP = OperationKind.SCENE_RECAP
BUSY = N_(
    "Another Tavernkeep is using this data folder, or safe mode is on. This window only shows "
    "what there is."
)


def _why_of(operation: Operation) -> str:
    """How far a recap that was begun or is queued is."""
    match operation.status:
        case OperationStatus.RUNNING:
            return tr("It is being written.")
        case OperationStatus.FAILED:
            return retold(operation.error)
        case OperationStatus.PENDING | OperationStatus.WAITING:
            why = retold(operation.error) if operation.error else operation.held
            return why or tr("It is next in the queue, or will be soon.")
    return ""


def _why_resting(chat: OpenChat) -> str:
    """Why nothing of a chat is planned now, "" where it is."""
    if chat.is_gone:
        return tr(GONE)
    if chat.is_off:
        return tr(OFF)
    return tr(CUT) if chat.is_cut else ""


def is_waiting_of(operation: Operation, other: Operation) -> bool:
    """Whether it waits, and was asked for by the command that asked for another."""
    one, two = operation.spec, other.spec
    asked = one.params.get("again", "")
    is_same = bool(asked) and asked == two.params.get("again", "")
    return is_same and one.chat == two.chat and operation.status is not OperationStatus.RUNNING


def _is_reading(operation: Operation, chat_id: int) -> bool:
    spec = operation.spec
    is_of_it = spec.chat == chat_id and spec.kind is OperationKind.MEMORY_PASS
    return is_of_it and operation.status not in FINISHED


class WorkToDo:
    """The queue of operations and the catch-ups, in the user's hands."""

    def __init__(
        self,
        queue: OperationQueue,
        scheduler: Scheduler,
        chats: OpenChats,
        is_reading_only: Callable[[], bool],
        names: ChatNames,
        branches: BranchReading,
    ) -> None:
        self._queue = queue
        self._scheduler = scheduler
        self._chats = chats
        self._is_reading_only = is_reading_only
        self._names = names
        self._branches = branches

    # --- the queue

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Unfinished operations in their order of work, then the newest finished ones."""
        return self._queue.operations

    @property
    def is_paused(self) -> bool:
        """Whether the queue begins nothing new."""
        return self._queue.is_paused

    def chat_of(self, chat_id: int) -> ChatRef | None:
        """Which chat an operation is about; None where nobody knows it any more."""
        return self._names.of(chat_id)

    def pause(self) -> None:
        """Begin nothing new."""
        self._queue.pause()

    def resume(self) -> None:
        """Go on."""
        self._queue.resume()

    def end(self) -> None:
        """Begin nothing any more in this run."""
        self._queue.end()

    async def ended(self, seconds: float) -> None:
        """After `end`: give what runs so long, since it is paid for; the rest waits."""
        try:
            async with asyncio.timeout(seconds):
                await self._queue.wait_idle()
        except TimeoutError:
            log.info("What runs is broken off; the next start takes it up")

    @property
    def stopped_before(self) -> Operation | None:
        """The operation that the queue was to pause before, while it does."""
        return self._queue.stopped_before

    async def pause_before(self, operation_id: int, *, wanted: bool = True) -> None:
        """Let the queue run up to an operation and stop there, or no longer."""
        await self._queue.pause_before(operation_id, wanted=wanted)

    async def move_up(self, operation_id: int, *, first: bool = False) -> None:
        """Let a waiting operation go one place further up, or before all others."""
        await self._queue.move_up(operation_id, first=first)

    async def clear_waiting(self, path: Path | None = None) -> Cleared:
        """Take all that waits out of the queue, of an open chat or of all; what runs goes on.

        It is not planned again in this run; in the next it is, where the story lacks it still.
        """
        chat_id = None if path is None else self._chats.required(path).chat_id
        cleared = await self._scheduler.clear(chat_id)
        await self._chats.plan_again({op.spec.chat for op in cleared.operations})
        return cleared

    def asked_with(self, operation: Operation) -> int:
        """How many wait that the command asked for which asked for this one, it among them; 0 where
        no command did.
        """
        return sum(is_waiting_of(other, operation) for other in self._queue.open.values())

    async def clear_asked_with(self, operation: Operation) -> Cleared:
        """Take those out of the queue; what else waits stays, and catch-ups go on."""
        return Cleared(
            await self._queue.clear(
                operation.spec.chat, lambda other: is_waiting_of(other, operation)
            )
        )

    async def put_back(self, cleared: Cleared) -> None:
        """Put what was cleared where it was."""
        await self._scheduler.put_back(cleared)
        await self._chats.plan_again({op.spec.chat for op in cleared.operations})

    async def cancel(self, operation_id: int) -> None:
        """Drop an operation, at once when it runs."""
        await self._queue.cancel(operation_id)

    async def retry(self, operation_id: int) -> None:
        """Try an operation again now."""
        await self._queue.retry(operation_id)

    async def retry_all(self, path: Path | None = None) -> None:
        """Try everything again that failed, of an open chat or of all, and go on where refusals
        held the queue up.
        """
        await self._queue.retry_all(None if path is None else self._chats.required(path).chat_id)

    def failed(self, path: Path) -> int:
        """How many pieces of work on an open chat failed, also in earlier runs, and wait for the
        user's word.
        """
        failed = self._queue.ended.failed(self._chats.required(path).chat_id)
        return len({operation.spec.work for operation in failed})

    @property
    def folds_again(self) -> int:
        """How many scenes the running recaps of open chats fold in anew once the recaps that failed
        are there: requests that come with trying them again.
        """
        failed = self.failed_recaps
        return sum(folded_anew(self._chats.required(path).story, failed[path]) for path in failed)

    @property
    def failed_recaps(self) -> Mapping[Path, tuple[str, ...]]:
        """Anchors of the scenes whose recaps failed, by the open chat."""
        found = {}
        for chat in self._chats.all:
            failed = self._queue.ended.failed(chat.chat_id)
            anchors = tuple(op.spec.anchor for op in failed if op.spec.kind is SCENE_RECAP)
            if anchors:
                found[chat.chat.path] = anchors
        return found

    @property
    def held_back(self) -> tuple[Operation, ...]:
        """What waits for another day since the cap of this one is reached."""
        return self._queue.held_back(tr(CAPPED))

    @property
    def missing_key(self) -> str:
        """A sentence while a model's server wants an API key, or another one, "" else."""
        return self._queue.missing_key

    @property
    def in_vain(self) -> str:
        """A sentence while the queue is paused since requests came to nothing one after the other,
        "" else.
        """
        return self._queue.in_vain

    @property
    def held_in_vain(self) -> str:
        """What kinds of work wait since their answers were of no use while others go on, in a
        sentence for each; "" for none.
        """
        return self._queue.held_in_vain

    def go_on_in_vain(self) -> None:
        """Ask again for those kinds of work, as the user says."""
        self._queue.go_on_in_vain()

    def why_unwritten(self, path: Path, anchor: str) -> str:
        """What is in the way of the recap of the scene that ends here in an open chat, in one
        sentence; "" where nothing is known of it.
        """
        chat = self._chats.required(path)
        for operation in self.operations:
            spec = operation.spec
            if (spec.chat, spec.kind, spec.anchor) == (chat.chat_id, SCENE_RECAP, anchor):
                return _why_of(operation)
        if why := _why_resting(chat):
            return why
        if chat.catch_up is not None:
            return tr("It waits for your decision: the page Work says what to do first.")
        if self._scheduler.catch_ups.part_of(chat.chat_id) == MEMORY:
            return tr(
                "As you chose, messages are read for memory first; recaps are offered after that."
            )
        if not SceneSettings(chat.settings()).scene_recaps_auto:
            return tr("The settings say that scenes are not recapped automatically.")
        return ""

    # --- the backlog

    def is_read(self, path: Path) -> bool:
        """Whether an open chat is searched to its end; before, a plan of it says too little."""
        return self._chats.required(path).is_complete

    def catch_up(self, path: Path) -> CatchUpPlan | None:
        """What recapping an open chat's backlog would take, while that waits for the user."""
        return self._branches.told(self._chats.required(path))

    @property
    def is_offered(self) -> bool:
        """Whether the backlog of an open chat waits for the user."""
        chats = (self._chats.get(path) for path in self._chats.paths)
        return any(chat is not None and chat.catch_up is not None for chat in chats)

    async def start_catch_up(self, path: Path, part: str = ALL) -> None:
        """The user wants the backlog worked off, or a part of it. Raises UsageError where we only
        read.
        """
        if self._is_reading_only():
            raise UsageError(tr(BUSY))
        await self._scheduler.start(self._chats.required(path), part)

    async def reading(self, path: Path, *, again: bool = False) -> CatchUpPlan | None:
        """What reading an open chat for its memory takes; None where no model is asked. again: from
        its beginning, whatever was read.
        """
        return await self._scheduler.reading(self._chats.required(path), again=again)

    def reading_ahead(self, path: Path) -> Operation | None:
        """What of an open chat is read for memory now, or next, on the way to its last message;
        None where nobody has wanted that yet.
        """
        chat = self._chats.required(path)
        on = {progress.chat for progress in self.catching_up if not progress.is_stopping}
        part = self._scheduler.catch_ups.part_of(chat.chat_id)
        reads_on = chat.chat_id in on and part in (ALL, MEMORY)
        if not (chat.reading_state.is_wanted or reads_on):
            return None
        return next((op for op in self.operations if _is_reading(op, chat.chat_id)), None)

    @property
    def to_do(self) -> int:
        """How much is left: of catch-ups the requests that they say, and each other operation; at
        least one while anything is.
        """
        return self._left_of(
            [op for op in self.operations if op.status not in FINISHED], self.catching_up
        )

    @property
    def held_for_another_day(self) -> int:
        """The same of what waits since the cap of this day is reached."""
        held = self.held_back
        chats = {op.spec.chat for op in held if is_of_a_catch_up(op)}
        return self._left_of(held, [one for one in self.catching_up if one.chat in chats])

    def _left_of(self, open_: Sequence[Operation], on: Sequence[CatchUpProgress]) -> int:
        chats = {progress.chat for progress in on}
        others = [op for op in open_ if not (op.spec.chat in chats and is_of_a_catch_up(op))]
        return max(len(others) + sum(progress.left for progress in on), int(bool(open_)))

    def wait_for_word(self) -> None:
        """A newcomer chooses first: until `begin`, nothing is begun of what the chats lack."""
        self._scheduler.waits_for_word = True

    async def begin(self, chosen: Path | None, part: str = ALL) -> None:
        """They have chosen: this chat's backlog is worked off; what was read of others meanwhile,
        to be shown, waits until they say so. Without a model all begins, since it costs nothing.
        """
        if not self._scheduler.waits_for_word:
            return
        read = [chat for path in self._chats.paths if (chat := self._chats.get(path)) is not None]
        try:
            for chat in read:
                if chat.chat.path != chosen:
                    await self._scheduler.put_off(chat)
                elif chat.catch_up is not None:
                    await self.start_catch_up(chosen, part)
        finally:
            self._scheduler.waits_for_word = False
            await self._chats.plan_again({chat.chat_id for chat in read})

    async def stop_catch_up(self, chat_id: int, *, at_once: bool = False) -> None:
        """No more of it: when what runs is finished, or at once. What is done stays done."""
        await self._scheduler.stop(await self._chats.by_id(chat_id), at_once=at_once)

    @property
    def catching_up(self) -> tuple[CatchUpProgress, ...]:
        """How far each catch-up is that goes on, and what it waits for."""
        why = {chat.chat_id: _why_resting(chat) for chat in self._chats.all}
        pace = self._scheduler.estimates.pace
        return tuple(
            replace(progress, why=why.get(progress.chat) or progress.why)
            for progress in self._scheduler.catch_ups.progress(pace, now=time.time())
        )

    def left(self, path: Path, *, until: int | None = None) -> CatchUpPlan | None:
        """What recapping an open chat takes from here on, whoever asked for it; None: nothing."""
        chat = self._chats.get(path, until)
        return None if chat is None else self._scheduler.left(chat)
