"""A chat whose messages are being read in another one: it says so, and takes over what was read."""

from __future__ import annotations

from dataclasses import replace

from app.core.tasks import TaskSupervisor
from app.store.store import Store
from app.story.story import ChatRef
from app.views.catch_up import CatchUpPlan
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.scheduling.scheduler import Scheduler

MORE_THAN_A_TURN = 4  # messages


class BranchReading:
    """Follows chats as the scheduler does, and knows which of them share their messages.

    A branch that is made while its parent's backlog is worked off would pay for the same again.
    """

    def __init__(
        self, store: Store, scheduler: Scheduler, chats: OpenChats, tasks: TaskSupervisor
    ) -> None:
        self._store = store
        self._scheduler = scheduler
        self._chats = chats
        self._tasks = tasks
        self._kin: dict[int, frozenset[int]] = {}  # as it was when a chat was first followed
        self._waiting: dict[int, int] = {}  # chats, each with the one that is read meanwhile
        # Of each chat how long it was when the others were last asked for what they have read.
        self._compared: dict[int, tuple[OpenChat, int]] = {}
        scheduler.catch_up_changed.connect(self._on_changed)

    async def follow(self, chat: OpenChat) -> None:
        """Queue what a chat lacks."""
        number = chat.chat_id
        if number not in self._kin:
            modes = self._store.memory_modes
            self._kin[number] = await self._store.run(lambda: modes.kin(number))
        if self._kin[number] and self._is_another(chat) and await self._has_taken_unread(chat):
            await chat.refresh()
        await self._scheduler.follow(chat)
        source = self._source(chat)
        if source is not None and not self._scheduler.catch_ups.takes_in(number):
            self._waiting[number] = source.chat_id

    def _is_another(self, chat: OpenChat) -> bool:
        """Whether a chat was just opened, or its file is not the one that was followed: by more
        messages than a turn brings.
        """
        count = len(chat.story.messages)
        known, before = self._compared.get(chat.chat_id, (None, 0))
        self._compared[chat.chat_id] = chat, count
        return known is not chat or abs(count - before) > MORE_THAN_A_TURN

    async def _has_taken_unread(self, chat: OpenChat) -> bool:
        """What was read of its messages in a chat that shares them need not be read again: while
        it was not open, or before its file came where that of another branch had been.
        """
        branching, owner = self._store.branching, chat.chat.owner_key
        return await self._store.run(lambda: branching.take_unread(chat.chat_id, owner))

    def told(self, chat: OpenChat) -> CatchUpPlan | None:
        """What waits for the user's word in a chat, with what it had better wait for."""
        plan, source = chat.catch_up, self._source(chat)
        if plan is None or source is None:
            return plan
        return replace(plan, read_in=source.chat.title)

    def _source(self, chat: OpenChat) -> OpenChat | None:
        """The open chat that shares messages with this one and is worked off now."""
        kin = self._kin.get(chat.chat_id, frozenset())
        on = (c for c in self._chats.all if c.chat_id in kin)
        return next((c for c in on if self._scheduler.catch_ups.takes_in(c.chat_id)), None)

    def _on_changed(self, _chat: ChatRef) -> None:
        for chat in self._chats.all:
            source = self._waiting.get(chat.chat_id)
            if source is not None and not self._scheduler.catch_ups.takes_in(source):
                del self._waiting[chat.chat_id]
                self._tasks.spawn(self._take_over(chat, source), name="taking over what was read")

    async def _take_over(self, chat: OpenChat, source: int) -> None:
        if self._scheduler.catch_ups.takes_in(chat.chat_id):
            return  # the user did not want to wait
        branching, owner = self._store.branching, chat.chat.owner_key
        await self._store.run(lambda: branching.take_newer(source, chat.chat_id, owner))
        await self._chats.refresh_all_of(chat)
