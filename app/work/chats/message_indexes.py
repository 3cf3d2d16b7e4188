"""The words of open chats' messages, kept ready so that no prompt waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping, Sequence
from itertools import islice
from weakref import WeakKeyDictionary

from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.recall.messages import MessageIndex
from app.recall.words import LONGEST_TEXT, Words
from app.story.messages import Message
from app.story.scene_cues.language import LanguagePack
from app.work.chats.open_chat import OpenChat

AT_ONCE = 40  # messages that are taken in without waiting
SLICE = 100  # messages of one stretch of work in the background
PAUSE_SECONDS = 0.002  # between two stretches, in which the window has its turn
SAMPLE = 60  # messages, the newest, by which a story's language is found


class MessageIndexes:
    """Takes in what chats say, a little at a time. A message that came last is there at once.

    Signals:
        changed: the chat of which all messages can be found now, after some could not.
    """

    def __init__(self, packs: Sequence[LanguagePack], tasks: TaskSupervisor) -> None:
        self.changed: Signal[OpenChat] = Signal("MessageIndexes.changed")
        self._packs = packs
        self._tasks = tasks
        self._known: MutableMapping[OpenChat, MessageIndex] = WeakKeyDictionary()
        self._running: MutableMapping[OpenChat, asyncio.Task[None]] = WeakKeyDictionary()

    def of(self, chat: OpenChat) -> MessageIndex | None:
        """The index of a chat's messages; None until all of them were taken in once."""
        index, messages = self._known.get(chat), chat.story.messages
        if not chat.keeps_memory:
            return None
        if index is None or index.is_worn:
            if len(messages) > AT_ONCE:
                self.follow(chat)
                return None
            index = self._known[chat] = self._new(messages)
        head = chat.story.places.head_of(index.messages)
        if len(messages) - head > AT_ONCE:
            self.follow(chat)
            return None
        if len(index.messages) != len(messages) or head < len(messages):
            index.follow(messages, head)
        return index

    def follow(self, chat: OpenChat) -> None:
        """Take in what a chat says now, in its own time. Nothing begins in a worker thread: there
        what is known has to do.
        """
        if not self._is_on_loop() or self._tasks.is_closed:
            return
        if chat.keeps_memory and chat not in self._running:
            task = self._tasks.spawn(self._take_in(chat), name="indexing for recall")
            self._running[chat] = task

    @staticmethod
    def _is_on_loop() -> bool:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return False
        return True

    async def settled(self, chat: OpenChat) -> None:
        """Wait until all that a chat says can be found."""
        if self.of(chat) is None and chat in self._running:
            await asyncio.wait([self._running[chat]])

    async def _take_in(self, chat: OpenChat) -> None:
        try:
            index = self._known.get(chat)
            if index is None or index.is_worn:
                index = await asyncio.to_thread(self._new, chat.story.messages)
            is_news = False
            messages: Sequence[Message] = ()
            head = 0
            while True:
                if messages is not chat.story.messages:
                    messages = chat.story.messages
                    head = chat.story.places.head_of(index.messages)
                if head == len(messages) == len(index.messages):
                    break
                is_news = is_news or len(messages) - head > AT_ONCE
                end = min(len(messages), head + SLICE)
                await asyncio.to_thread(index.follow, messages, head, end)
                head = end
                await asyncio.sleep(PAUSE_SECONDS)
        finally:
            self._running.pop(chat, None)
        self._known[chat] = index
        if is_news:
            self.changed.emit(chat)

    def _new(self, messages: Sequence[Message]) -> MessageIndex:
        newest = islice(reversed(messages), SAMPLE)
        text = " ".join(message.text[: LONGEST_TEXT // SAMPLE * 4] for message in newest)
        return MessageIndex(Words(self._packs, text))
