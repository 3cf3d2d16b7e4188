"""What is remembered of a chat, for one prompt. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.memory.records import Document, Entity
from app.memory.standing import BEFORE, Standing


@dataclass(frozen=True, slots=True)
class Recollection:
    """What is remembered of a chat at one moment. chat: its store id. elsewhere: ids of what only
    some of its people lived through, in another place; told to them alone. unread_from: index from
    which on no model has read its messages, None where one has read all.
    """

    standings: tuple[Standing, ...] = ()
    entities: tuple[Entity, ...] = ()
    documents: tuple[Document, ...] = ()
    chat: int = 0
    elsewhere: frozenset[str] = frozenset()
    unread_from: int | None = None

    @property
    def of_other_chats(self) -> frozenset[str]:
        """Ids of what only messages of other chats say. What is pinned is wanted in this one."""
        return frozenset(
            s.memory.id
            for s in self.standings
            if s.start == BEFORE
            and s.memory.sources
            and not s.memory.is_pinned
            and all(source.chat != self.chat for source in s.memory.sources)
        )

    def __bool__(self) -> bool:
        return bool(self.standings or self.documents)
