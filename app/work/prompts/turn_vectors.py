"""Vectors that the next prompt is ranked by: of what is remembered and of the newest messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from itertools import islice
from weakref import WeakKeyDictionary

from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.memory.reading.windows import is_told
from app.memory.similarity import NO_VECTORS, Vectors
from app.memory.tiers.table import TIERS
from app.prompt.occasion import LONGEST_READ
from app.work.chats.open_chat import OpenChat

RANKED = tuple(tier for tier, spec in TIERS.items() if spec.is_ranked)
NEWEST = 2  # messages; with a reply that is about to be replaced the one before it counts

VectorsOf = Callable[[Sequence[str]], Awaitable[Vectors]]


class TurnVectors:
    """Keeps the vectors of open chats ready, so that no prompt waits for them.

    Until those of the newest message are there likeness goes by words, for all texts alike
    (app/memory/ranking.py).

    Signals:
        changed: the chat whose vectors came.
    """

    def __init__(
        self, vectors_of: VectorsOf, tasks: TaskSupervisor, is_on: Callable[[], bool]
    ) -> None:
        self.changed: Signal[OpenChat] = Signal("TurnVectors.changed")
        self._vectors_of = vectors_of
        self._tasks = tasks
        self._is_on = is_on
        self._known: MutableMapping[OpenChat, Vectors] = WeakKeyDictionary()
        self._asked: MutableMapping[OpenChat, tuple[str, ...]] = WeakKeyDictionary()

    def of(self, chat: OpenChat) -> Vectors:
        """What is known of a chat's texts by now."""
        return self._known.get(chat, NO_VECTORS) if self._is_on() else NO_VECTORS

    def follow(self, chat: OpenChat) -> None:
        """Get the vectors of what the chat says and remembers now, in its own time."""
        if not (self._is_on() and chat.keeps_memory):
            return
        texts = texts_to_rank(chat)
        if texts != self._asked.get(chat):
            self._asked[chat] = texts
            self._tasks.spawn(self._fetch(chat, texts), name="vectors of a turn")

    async def _fetch(self, chat: OpenChat, texts: tuple[str, ...]) -> None:
        vectors = await self._vectors_of(texts)
        if self._asked.get(chat) != texts:
            return  # newer ones are on their way
        if vectors is NO_VECTORS:
            del self._asked[chat]  # the model failed: the next change asks again
            return
        self._known[chat] = vectors
        self.changed.emit(chat)


def texts_to_rank(chat: OpenChat) -> tuple[str, ...]:
    """What is compared to choose memories: they themselves, open arcs, the newest messages."""
    told = (m.text[:LONGEST_READ] for m in reversed(chat.story.messages) if is_told(m))
    held = (memory.text for tier in RANKED for memory in chat.remembered.of(tier))
    return tuple(dict.fromkeys((*islice(told, NEWEST), *held)))
