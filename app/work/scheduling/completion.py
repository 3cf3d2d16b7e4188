"""Waits for the work on a story to end, for those who need all of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from app.core.translation import tr
from app.story.story import Story
from app.work.chats.open_chats import OpenChats
from app.work.planning.planner import plan
from app.work.planning.writing import Writing
from app.work.queue.operation_queue import OperationQueue
from app.work.scheduling.work_to_do import BUSY

RETRY_SECONDS = 30.0  # without a window, nobody wants to wait for minutes


class Completion:
    """Stories when the work on them has ended."""

    def __init__(
        self,
        chats: OpenChats,
        queue: OperationQueue,
        writing: Callable[[], Writing],
        is_reading_only: Callable[[], bool],
    ) -> None:
        self._chats = chats
        self._queue = queue
        self._writing = writing
        self._is_reading_only = is_reading_only

    async def settled(self, path: Path, *, until: int | None = None) -> Story:
        """The story when nothing is left to do for now; waiting retries do not count."""
        await self._chats.settled()
        await self._queue.wait_idle()
        chat = self._chats.get(path, until)
        if chat is None:
            chat = await self._chats.open(path, until=until)
        return chat.story

    async def finished(self, path: Path, *, until: int | None = None) -> tuple[Story, list[str]]:
        """The story when all work on it has ended, and a sentence for each piece that failed.

        Waits through the first retries of passing faults, RETRY_SECONDS at most, then takes them
        as failed.
        """
        chat = await self._chats.open(path, until=until)
        deadline = time.monotonic() + RETRY_SECONDS
        while True:
            await self._chats.settled()
            await self._queue.wait_idle()
            waiting = self._queue.waiting(chat.chat_id)
            due = min((op.not_before for op in waiting), default=None)
            asked = self._queue.absences.due(now=time.time())
            if asked is not None and self._queue.left(chat.chat_id):
                due = asked if due is None else min(due, asked)
            if due is None or self._queue.is_paused:
                break
            if time.monotonic() + due - time.time() > deadline:
                break
            await asyncio.sleep(max(0.05, due - time.time()))
        sentences = [op.error for op in (*self._queue.failed(chat.chat_id), *waiting)]
        sentences += [op.held for op in self._queue.held(chat.chat_id)]
        if self._queue.left(chat.chat_id):
            why = (self._queue.pause_reason, self._queue.held_in_vain)
            sentences += [sentence for sentence in why if sentence]
        if self._is_reading_only() and plan(
            chat.story, chat.chat_id, chat.settings(), self._writing()
        ):
            sentences.append(tr(BUSY))
        return chat.story, list(dict.fromkeys(sentences))
