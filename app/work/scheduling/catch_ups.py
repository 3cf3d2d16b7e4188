"""What the user said of each chat's backlog, kept for later runs too, and how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from app.core.operations import FINISHED, FOLDS, CatchUp
from app.store.store import Store
from app.story.story import ChatRef
from app.views.catch_up import CatchUpProgress
from app.work.chats.open_chat import OpenChat
from app.work.planning.agreement import is_of_a_catch_up
from app.work.planning.catch_up import Pace
from app.work.queue.operation_queue import OperationQueue
from app.work.queue.waiting import is_free
from app.work.scheduling.followed import Followed


class CatchUps:
    """One for each chat at most. changed: is told the chat of which something else holds now."""

    def __init__(
        self, store: Store, queue: OperationQueue, changed: Callable[[ChatRef], None]
    ) -> None:
        self._store = store
        self._queue = queue
        self._changed = changed
        self._followed: dict[int, Followed | None] = {}

    def get(self, chat_id: int) -> Followed | None:
        """What is known of a chat's in this run."""
        return self._followed.get(chat_id)

    def is_followed(self, chat_id: int) -> bool:
        """Whether a chat's backlog is worked off."""
        followed = self._followed.get(chat_id)
        return followed is not None and not followed.kept.is_stopped

    def part_of(self, chat_id: int) -> str:
        """Which part of a chat's backlog is worked off, "" for none."""
        followed = self._followed.get(chat_id)
        return followed.kept.part if followed and self.is_followed(chat_id) else ""

    def takes_in(self, chat_id: int) -> bool:
        """Whether what a chat's messages tell is recapped and read now, and not only told anew."""
        return self.is_followed(chat_id) and self.part_of(chat_id) != FOLDS

    def leave(self, chat_id: int) -> None:
        """Follow it no more in this run; what was said stays kept."""
        if chat_id in self._followed:
            self._followed[chat_id] = None

    async def of(self, chat: OpenChat, backend: str) -> Followed | None:
        """What was said of this chat's backlog, also in an earlier run; backend: who would do it.
        What was said yes to of another model's work is forgotten; where nobody said yes, nobody
        does it unasked.
        """
        if chat.chat_id not in self._followed:
            kept = await self._store.run(lambda: self._store.catch_ups.of(chat.chat_id))
            self._followed[chat.chat_id] = Followed(chat.chat, kept) if kept else None
        followed = self._followed[chat.chat_id]
        if followed is not None and followed.kept.backend != backend:
            if not followed.kept.is_stopped or followed.kept.agreed:
                await self.forget(chat)
                return None
            await self.keep(chat, replace(followed.kept, backend=backend))
        return followed

    async def keep(self, chat: OpenChat, kept: CatchUp) -> None:
        """The user said something of it."""
        await self._store.run(lambda: self._store.catch_ups.save(kept))
        old = self._followed.get(chat.chat_id)
        self._followed[chat.chat_id] = (
            Followed(chat.chat, kept) if old is None else replace(old, chat=chat.chat, kept=kept)
        )

    async def forget(self, chat: OpenChat) -> None:
        """Nothing is left of it."""
        self._followed[chat.chat_id] = None
        await self._store.run(lambda: self._store.catch_ups.forget(chat.chat_id))
        self._changed(chat.chat)

    async def stop_all(self, chat_id: int | None) -> tuple[CatchUp, ...]:
        """Stop those that go on, of one chat or of all; gives them as they were."""
        stopped = []
        for number, followed in tuple(self._followed.items()):
            if followed and self.is_followed(number) and chat_id in (None, number):
                stopped.append(followed.kept)
                followed.kept = replace(followed.kept, is_stopped=True)
                await self._store.run(partial(self._store.catch_ups.save, followed.kept))
                self._changed(followed.chat)
        return tuple(stopped)

    async def put_back(self, stopped: tuple[CatchUp, ...]) -> None:
        """Undo that."""
        for kept in stopped:
            followed = self._followed.get(kept.chat)
            if followed is not None:
                followed.kept = kept
                await self._store.run(partial(self._store.catch_ups.save, kept))
                self._changed(followed.chat)

    def progress(self, pace: Pace, *, now: float) -> tuple[CatchUpProgress, ...]:
        """Every one that goes on, at this moment (seconds since the epoch)."""
        found = []
        for number, followed in self._followed.items():
            if followed is None:
                continue
            running = self._queue.running(number)
            if running is not None and not is_of_a_catch_up(running):
                running = None
            if followed.kept.is_stopped and running is None:
                continue
            is_held = running is None and self._is_held(number)
            progress = followed.progress(running, pace, now=now, is_held=is_held)
            why = "" if running is not None else self._why_in_vain(number)
            found.append(replace(progress, why=why))
        return tuple(found)

    def _why_in_vain(self, chat_id: int) -> str:
        """Why nothing of a catch-up is asked for before the user says so, "" while something is."""
        operations = [
            op
            for op in self._queue.operations
            if op.spec.chat == chat_id and op.status not in FINISHED and is_of_a_catch_up(op)
        ]
        if any(is_free(op) for op in operations):
            return ""
        return next((why for op in operations if (why := self._queue.useless.why(op))), "")

    def _is_held(self, chat_id: int) -> bool:
        """Whether what a catch-up asked for last failed, and waits to be tried again; nobody has
        answered since, be it of use or not.
        """
        operations = [op for op in self._queue.operations if op.spec.chat == chat_id]
        answered = (op.finished or 0.0 for op in operations if op.output_tokens)
        last = max(answered, default=0.0)
        return any(
            op.error and is_of_a_catch_up(op) and (op.started or 0.0) >= last
            for op in operations
            if op.status not in FINISHED
        )
