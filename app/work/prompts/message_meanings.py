"""What the messages of open chats mean, taken in by and by, and what the newest of them ask."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from dataclasses import replace
from itertools import islice
from weakref import WeakKeyDictionary

from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.memory.reading.windows import is_told
from app.memory.similarity import NO_VECTORS, Vectors
from app.prompt.generation import Turn
from app.prompt.rendering.passages import questions_in
from app.recall.meanings import Meanings, Meant, Singles
from app.work.chats.open_chat import OpenChat

SLICE = 32  # sentences of one stretch of work
PAUSE_SECONDS = 0.02  # between two stretches, in which a turn's question has its turn
HEAR_SECONDS = 0.1  # that a turn waits for the meaning of what it asks: SillyTavern waits 0.25
NEWEST = 2  # messages that may ask something

VectorsOf = Callable[[Sequence[str]], Awaitable[Vectors]]


class MessageMeanings:
    """Keeps the vectors of chats' sentences, with a model that costs nothing.

    Signals:
        changed: the chat of which all sentences have their vectors now, after some had none.
    """

    def __init__(
        self, vectors_of: VectorsOf, tasks: TaskSupervisor, is_on: Callable[[], bool]
    ) -> None:
        self.changed: Signal[OpenChat] = Signal("MessageMeanings.changed")
        self._vectors_of = vectors_of
        self._tasks = tasks
        self._is_on = is_on
        self._known: MutableMapping[OpenChat, Meant] = WeakKeyDictionary()
        self._running: MutableMapping[OpenChat, asyncio.Task[None]] = WeakKeyDictionary()

    def of(self, chat: OpenChat) -> Meant | None:
        """What is known of a chat's messages by now; None where it is off."""
        meant = self._known.get(chat)
        if meant is None or not self._is_wanted(chat):
            return None
        _follow(meant.meanings, chat)
        return meant

    def follow(self, chat: OpenChat) -> None:
        """Get the vectors of what the chat says now, in its own time."""
        if self._is_wanted(chat) and chat not in self._running:
            task = self._tasks.spawn(self._take_in(chat), name="meaning of messages")
            self._running[chat] = task

    async def hear(self, chat: OpenChat, turn: Turn) -> None:
        """Get what a turn asks, in messages that the story may not hold yet; for a moment only."""
        if not self._is_wanted(chat) or chat not in self._known:
            return
        said = [text for _, text, _ in turn.said[-NEWEST:]]
        try:
            async with asyncio.timeout(HEAR_SECONDS):
                await self._hear(chat, (*_newest(chat), *said))
        except TimeoutError:
            pass  # words alone, then

    def _is_wanted(self, chat: OpenChat) -> bool:
        return self._is_on() and chat.keeps_memory

    async def _hear(self, chat: OpenChat, texts: Sequence[str]) -> None:
        """Know what the last of some texts asks."""
        meant = self._known[chat]
        wanted = questions_in(texts)
        if not all(sentence in meant.heard for sentence in wanted):
            heard = _by_text(await self._vectors_of(wanted), wanted)
            self._known[chat] = replace(self._known[chat], heard=heard)

    async def _take_in(self, chat: OpenChat) -> None:
        is_news = False
        try:
            meant = self._known.setdefault(chat, Meant(Meanings(), {}))
            while True:
                await asyncio.to_thread(_follow, meant.meanings, chat)
                missing = await asyncio.to_thread(meant.meanings.missing, SLICE)
                if not missing:
                    break
                vectors = await self._vectors_of(missing)
                if vectors is NO_VECTORS:
                    break  # the model failed: the next change asks again
                await asyncio.to_thread(meant.meanings.take, _by_text(vectors, missing))
                is_news = True
                await asyncio.sleep(PAUSE_SECONDS)
            await self._hear(chat, _newest(chat))
        finally:
            self._running.pop(chat, None)
        if is_news:
            self._known[chat] = replace(self._known[chat])  # another one, since it tells more
            self.changed.emit(chat)


def _follow(meanings: Meanings, chat: OpenChat) -> None:
    places = chat.story.places
    if meanings.messages is not places.messages:
        meanings.follow(places.messages, places.head_of(meanings.messages))


def _newest(chat: OpenChat) -> tuple[str, ...]:
    """The newest messages that are told, oldest first."""
    told = (m.text for m in reversed(chat.story.messages) if is_told(m))
    return tuple(reversed(tuple(islice(told, NEWEST))))


def _by_text(vectors: Vectors, texts: Iterable[str]) -> dict[str, Singles]:
    return {text: vectors.matrix[vectors.row_of[text]] for text in texts if text in vectors}
