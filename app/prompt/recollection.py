"""What is remembered of a chat, for one prompt. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.memory.records import Document, Entity
from app.memory.standing import Standing


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

    def __bool__(self) -> bool:
        return bool(self.standings or self.documents)
