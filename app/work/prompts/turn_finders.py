"""What finds old things of a chat for a turn, kept in step with what the chat says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from app.core.tasks import TaskSupervisor
from app.llm.backends.specs import BUILTIN
from app.memory.similarity import Vectors
from app.settings.memory import MemorySettings
from app.settings.values import Settings
from app.story.scene_cues.language import LanguagePack
from app.work.chats.message_indexes import MessageIndexes
from app.work.chats.open_chat import OpenChat
from app.work.prompts.message_meanings import MessageMeanings
from app.work.prompts.prompting import Finders
from app.work.prompts.turn_vectors import TurnVectors


class TurnFinders:
    """changed: is told of which chat more was found."""

    def __init__(
        self,
        vectors_of: Callable[[Sequence[str]], Awaitable[Vectors]],
        packs: Sequence[LanguagePack],
        settings: Settings,
        tasks: TaskSupervisor,
        changed: Callable[[OpenChat], None],
    ) -> None:
        self._vectors = TurnVectors(
            vectors_of, tasks, lambda: bool(MemorySettings(settings).embeddings)
        )
        self._indexes = MessageIndexes(packs, tasks)
        self._meanings = MessageMeanings(
            vectors_of, tasks, lambda: MemorySettings(settings).embeddings.strip() == BUILTIN
        )
        for one in (self._vectors, self._indexes, self._meanings):
            one.changed.connect(changed)

    @property
    def finders(self) -> Finders:
        """What the prompts ask."""
        return Finders(
            self._vectors.of,
            self._indexes.of,
            self._meanings.of,
            self._indexes.settled,
            self._meanings.hear,
        )

    def follow(self, chat: OpenChat) -> None:
        """Take in what is new in a chat."""
        self._vectors.follow(chat)
        self._indexes.follow(chat)
        self._meanings.follow(chat)
