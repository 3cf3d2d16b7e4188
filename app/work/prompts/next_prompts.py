"""The slots of open chats with revisions, for the pages that show them and for whoever asks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, MutableMapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from app.core.signals import Signal
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
        changed: the chat whose next prompt changed.
    """

    def __init__(self, chats: OpenChats, prompting: Prompting) -> None:
        self._chats = chats
        self._prompting = prompting
        self._revisions: dict[Path, SlotSet] = {}
        self._newest: MutableMapping[OpenChat, tuple[_Made, SlotSet]] = WeakKeyDictionary()
        self._expected: MutableMapping[OpenChat, tuple[_Made, Turn, SlotSet]] = WeakKeyDictionary()
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
        shows them asks at each change, right after they were made for the pages.
        """
        chat = self._chats.get(path, until) or await self._chats.open(path, until=until)
        newest = self._newest.get(chat) if turn is None and total is None else None
        if newest is not None and newest[0].is_of(chat):
            return newest[1]
        if turn is not None or total is not None:
            await self._prompting.ready(chat)
        if turn is not None:
            self._forget(chat)
        return self._prompting.slots(chat, turn, total=total)

    async def expected(self, path: Path) -> SlotSet:
        """The slots that the next reply of a chat would get: for as much context as SillyTavern
        said last. What is published says more, since it must do for messages to come.
        """
        chat = self._chats.get(path) or await self._chats.open(path)
        turn = self._prompting.expected_turn(chat)
        if turn is None:
            return await self.of(path)
        known = self._expected.get(chat)
        if known is not None and known[1] == turn and known[0].is_of(chat):
            return known[2]
        made = _Made.of(chat)
        revision = self._revisions.get(path, SlotSet()).revision
        slots = replace(self._prompting.slots(chat, turn), revision=revision)
        self._expected[chat] = made, turn, slots
        return slots

    async def for_turn(self, chat: OpenChat, turn: Turn) -> SlotSet:
        """The slots of one turn, under the revision of the chat's. SillyTavern waits for them, so
        those for any turn are made only where what they were made from is not so any more.
        """
        await self._prompting.hear(chat, turn)
        newest = self._newest.get(chat)
        is_so_still = newest is not None and newest[0].is_of(chat)
        general = self._revisions[chat.chat.path] if is_so_still else self.revised(chat)
        self._forget(chat)
        return replace(self._prompting.slots(chat, turn), revision=general.revision)

    def _forget(self, chat: OpenChat) -> None:
        """A turn tells what the next one is made with, too: which macros stand in the card."""
        self._newest.pop(chat, None)
        self._expected.pop(chat, None)

    def revised(self, chat: OpenChat) -> SlotSet:
        """The slots as they are for any turn."""
        path = chat.chat.path
        fresh, last = self._prompting.slots(chat), self._revisions.get(path)
        self._newest[chat] = _Made.of(chat), fresh
        if last is None or last.slots != fresh.slots:
            last = replace(fresh, revision=(last.revision if last else 0) + 1)
            self._revisions[path] = last
            self.changed.emit(path)
        return last
