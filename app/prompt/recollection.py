"""What is remembered of a chat, for one prompt. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from app.memory.names import folded
from app.memory.records import Document, DocumentKind, Entity
from app.memory.standing import BEFORE, Standing
from app.story.recaps import YOU


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

    def document(
        self,
        kind: DocumentKind,
        subjects: Collection[str],
        places: Mapping[str, int],
        before: int | None = None,
    ) -> Document | None:
        """The text of a kind that counts: the newest whose last message is part of the story.

        subjects: whom it may be about, () for the chat. places: index by anchor. before: one that
        tells of nothing from this message on counts, if there is one; but the user's own words
        count at once. What comes from another chat is believed.
        """
        names = frozenset(map(folded, subjects)) or {""}
        counting = [
            (document, place)
            for document in self.documents
            if document.kind is kind
            and folded(document.subject) in names
            and (place := self._place(document, places)) is not None
        ]
        if not counting:
            return None
        found = counting[-1][0]
        if before is not None and found.made_by != YOU:
            old = [document for document, place in counting if place < before]
            found = old[-1] if old else counting[0][0]
        return found if found.text.strip() or found.sections else None

    def _place(self, document: Document, places: Mapping[str, int]) -> int | None:
        """Index of the last message that a text tells of, None when it is gone."""
        if document.chat != self.chat or not document.until:
            return -1
        return places.get(document.until)

    def __bool__(self) -> bool:
        return bool(self.standings or self.documents)
