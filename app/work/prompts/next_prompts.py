"""The slots of open chats with revisions, for the pages that show them and for whoever asks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, MutableMapping, MutableSet, Sequence
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

MOST_AHEAD = 6  # members of a group
MOST_DROPPED = 3  # texts that are not published, since newer ones come at once


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


@dataclass(frozen=True, slots=True)
class Renewed:
    """The slots of a chat for any turn, made anew. members: those of who may answer next in a
    group, by card file: SillyTavern does not always wait for them.
    """

    chat: OpenChat
    slots: SlotSet
    members: Mapping[str, SlotSet]


Answering = Callable[[OpenChat], Sequence[tuple[str, str]]]


def _nobody(_chat: OpenChat) -> Sequence[tuple[str, str]]:
    return ()


class NextPrompts:
    """What the next prompt of each chat gets. A revision grows only when a chat's slots differ.

    answering: card file and name of who may answer in a group that is played, () for other chats.

    Signals:
        renewed: Renewed, for any turn and for members.
        changed: the chat whose next prompt changed.
    """

    def __init__(
        self,
        chats: OpenChats,
        prompting: Prompting,
        tasks: TaskSupervisor,
        answering: Answering = _nobody,
    ) -> None:
        self._answering = answering
        self._chats = chats
        self._prompting = prompting
        self._tasks = tasks
        self._is_old: MutableSet[OpenChat] = WeakSet()
        self._renewing: MutableMapping[OpenChat, asyncio.Task[None]] = WeakKeyDictionary()
        self._revisions: dict[Path, SlotSet] = {}
        self._newest: MutableMapping[OpenChat, tuple[_Made, SlotSet]] = WeakKeyDictionary()
        # By responder.
        self._expected: MutableMapping[OpenChat, dict[str, tuple[_Made, object, SlotSet]]] = (
            WeakKeyDictionary()
        )
        self._turns = 0  # that SillyTavern waits for
        self._has_no_turn = asyncio.Event()
        self._has_no_turn.set()
        self.renewed: Signal[Renewed] = Signal("renewed")
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

    async def expected(self, path: Path, responder: str = "") -> SlotSet:
        """The slots that the next reply of a chat would get: for as much context as SillyTavern
        said last. What is published says more, since it must do for messages to come. responder:
        of a group, "" for who spoke last.
        """
        chat = self._chats.get(path) or await self._chats.open(path)
        turn = self._prompting.expected_turn(chat, responder)
        if turn is None:
            return await self.of(path)
        # As SillyTavern's page gets them: with what is found in old messages.
        await self._prompting.finders.ready(chat)
        return await self._made_once(chat, turn)

    async def _made_once(self, chat: OpenChat, turn: Turn, *, is_ahead: bool = False) -> SlotSet:
        """The slots of a turn that nobody has asked for yet; the same while nothing comes."""
        ground = (turn, self._prompting.ground(chat))
        known = self._expected.get(chat, {}).get(turn.responder)
        if known is not None and known[1] == ground and known[0].is_of(chat):
            return known[2]
        made = _Made.of(chat)
        fresh = await self._prompting.slots(chat, turn, is_ahead=is_ahead)
        slots = replace(fresh, revision=self._revision(chat.chat.path))
        self._expected.setdefault(chat, {})[turn.responder] = made, ground, slots
        return slots

    def taken(self, path: Path) -> int | None:
        """Tokens of a chat's slots for any turn as they were made last, None before that."""
        made = self._revisions.get(path)
        return None if made is None else made.total_tokens

    async def for_turn(self, chat: OpenChat, turn: Turn) -> SlotSet:
        """The slots of one turn, under the revision of the chat's. SillyTavern waits for them:
        nothing that nobody waits for is begun meanwhile.
        """
        self._turns += 1
        self._has_no_turn.clear()
        try:
            await self._prompting.finders.hear(chat, turn)
            self._forget(chat)
            slots = await self._prompting.slots(chat, turn)
        finally:
            self._turns -= 1
            if not self._turns:
                self._has_no_turn.set()
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
        dropped = 0
        try:
            while chat in self._is_old:
                self._is_old.discard(chat)
                await self._has_no_turn.wait()
                slots = await self._revised(chat)
                members = await self._of_members(chat)
                if members is None and dropped < MOST_DROPPED:
                    dropped += 1  # what the page has goes together; it gets all of it in a moment
                    continue
                self.renewed.emit(Renewed(chat, slots, members or {}))
        finally:
            del self._renewing[chat]

    async def _of_members(self, chat: OpenChat) -> Mapping[str, SlotSet] | None:
        """The slots of who may answer next, those who spoke last first; None where something came
        meanwhile that they lack.
        """
        made: dict[str, SlotSet] = {}
        spoke = {message.name: index for index, message in enumerate(chat.story.messages)}
        answering = () if chat.is_off else self._answering(chat)
        for avatar, name in sorted(answering, key=lambda one: -spoke.get(one[1], -1))[:MOST_AHEAD]:
            await self._has_no_turn.wait()
            if chat in self._is_old:
                return None
            turn = self._prompting.expected_turn(chat, name)
            if turn is not None:
                made[avatar] = await self._made_once(chat, turn, is_ahead=True)
        return made

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
