"""The slots of open chats with revisions, for the pages that show them and for whoever asks."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, MutableMapping, MutableSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.memory.records import Memory, Remembered
from app.prompt.generation import Turn
from app.prompt.slots import SlotSet
from app.story.story import Story
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.prompts.prompting import Prompting


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """What the slots of a chat were made from. read: messages that were read for memory, which
    grow in their place; count: how many they were.
    """

    story: Story
    remembered: Remembered
    elsewhere: tuple[Memory, ...]
    read: Collection[tuple[str, str]]
    count: int
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, chat: OpenChat) -> _Made:
        """As it is now."""
        read, settings = chat.reading_state.extracted, dict(chat.prompt_settings())
        return cls(chat.story, chat.remembered, chat.elsewhere, read, len(read), settings)

    def is_of(self, chat: OpenChat) -> bool:
        """Whether it is so still."""
        return (
            self.story is chat.story
            and self.remembered == chat.remembered
            and self.elsewhere == chat.elsewhere
            and self.read is chat.reading_state.extracted
            and self.count == len(self.read)
            and self.settings == chat.prompt_settings()
        )


class NextPrompts:
    """What the next prompt of each chat gets. A revision grows only when a chat's slots differ.

    Signals:
        renewed: (chat, slots) for any turn, made anew.
        changed: the chat whose next prompt changed.
    """

    def __init__(self, chats: OpenChats, prompting: Prompting, tasks: TaskSupervisor) -> None:
        self._chats = chats
        self._prompting = prompting
        self._tasks = tasks
        self._is_old: MutableSet[OpenChat] = WeakSet()
        self._renewing: MutableMapping[OpenChat, asyncio.Task[None]] = WeakKeyDictionary()
        self._revisions: dict[Path, SlotSet] = {}
        self._newest: MutableMapping[OpenChat, tuple[_Made, SlotSet]] = WeakKeyDictionary()
        self._expected: MutableMapping[OpenChat, tuple[_Made, object, SlotSet]] = (
            WeakKeyDictionary()
        )
        self.renewed: Signal[tuple[OpenChat, SlotSet]] = Signal("renewed")
        self.changed: Signal[Path] = Signal("changed")

    async def of(
        self,
        path: Path,
        *,
        until: int | None = None,
        total: int | None = None,
        turn: Turn | None = None,
    ) -> SlotSet:
        """The slots of a chat, which is opened for it. total: bound for all slots together.

        For any turn they are those of the newest revision, while nothing came that it lacks: who
        shows them asks at each change, when they are made for the pages anyway.
        """
        chat = self._chats.get(path, until) or await self._chats.open(path, until=until)
        await self.settled(chat)
        newest = self._newest.get(chat) if turn is None and total is None else None
        if newest is not None and newest[0].is_of(chat):
            return newest[1]
        if turn is not None or total is not None:
            await self._prompting.finders.ready(chat)
        if turn is not None:
            self._forget(chat)
        return await self._prompting.slots(chat, turn, total=total)

    async def expected(self, path: Path) -> SlotSet:
        """The slots that the next reply of a chat would get: for as much context as SillyTavern
        said last. What is published says more, since it must do for messages to come.
        """
        chat = self._chats.get(path) or await self._chats.open(path)
        turn = self._prompting.expected_turn(chat)
        if turn is None:
            return await self.of(path)
        # As SillyTavern's page gets them: with what is found in old messages.
        await self._prompting.finders.ready(chat)
        ground = (turn, self._prompting.ground(chat))
        known = self._expected.get(chat)
        if known is not None and known[1] == ground and known[0].is_of(chat):
            return known[2]
        made = _Made.of(chat)
        fresh = await self._prompting.slots(chat, turn)
        slots = replace(fresh, revision=self._revision(path))
        self._expected[chat] = made, ground, slots
        return slots

    def taken(self, path: Path) -> int | None:
        """Tokens of a chat's slots for any turn as they were made last, None before that."""
        made = self._revisions.get(path)
        return None if made is None else made.total_tokens

    async def for_turn(self, chat: OpenChat, turn: Turn) -> SlotSet:
        """The slots of one turn, under the revision of the chat's. SillyTavern waits for them:
        those for any turn come first only where they are under way.
        """
        await self._prompting.finders.hear(chat, turn)
        await self.settled(chat)
        self._forget(chat)
        slots = await self._prompting.slots(chat, turn)
        return replace(slots, revision=self._revision(chat.chat.path))

    def _revision(self, path: Path) -> int:
        return self._revisions.get(path, SlotSet()).revision

    def _forget(self, chat: OpenChat) -> None:
        """A turn tells what the next one is made with, too: which macros stand in the card."""
        self._newest.pop(chat, None)
        self._expected.pop(chat, None)

    def renew(self, chat: OpenChat) -> None:
        """Make the slots for any turn anew, beside all else; `renewed` tells of them. Several
        calls while that goes on make them once more.
        """
        self._is_old.add(chat)
        if chat not in self._renewing and not self._tasks.is_closed:
            task = self._tasks.spawn(self._renew(chat), name="making the next prompt")
            self._renewing[chat] = task

    async def settled(self, chat: OpenChat | None = None) -> None:
        """Wait until the slots for any turn are those of now, of one chat or of all."""
        while tasks := [
            task
            for one, task in self._renewing.items()
            if (chat is None or one is chat) and not task.done()
        ]:
            await asyncio.wait(tasks)

    async def _renew(self, chat: OpenChat) -> None:
        try:
            while chat in self._is_old:
                self._is_old.discard(chat)
                self.renewed.emit((chat, await self._revised(chat)))
        finally:
            del self._renewing[chat]

    async def _revised(self, chat: OpenChat) -> SlotSet:
        path, made = chat.chat.path, _Made.of(chat)
        fresh = await self._prompting.slots(chat)
        last = self._revisions.get(path)
        self._newest[chat] = made, fresh
        if last is None or last.slots != fresh.slots:
            last = replace(fresh, revision=(last.revision if last else 0) + 1)
            self._revisions[path] = last
            self.changed.emit(path)
        return last
