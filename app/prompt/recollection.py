"""What is remembered of a chat, for one prompt. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from app.memory.names import folded
from app.memory.records import Document, DocumentKind, Entity, Memory
from app.memory.standing import BEFORE, Standing
from app.story.recaps import YOU


@dataclass(frozen=True, slots=True)
class Recollection:
    """What is remembered of a chat at one moment. chat: its store id. elsewhere: ids of what only
    some of its people lived through, in another place; told to them alone. unread_from: index from
    which on no model has read its messages, None where one has read all. kin: store ids of chats
    that tell the same story: branches, copies, parents.
    """

    standings: tuple[Standing, ...] = ()
    entities: tuple[Entity, ...] = ()
    documents: tuple[Document, ...] = ()
    chat: int = 0
    elsewhere: frozenset[str] = frozenset()
    unread_from: int | None = None
    kin: frozenset[int] = frozenset()

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

    @property
    def told_elsewhere(self) -> frozenset[str]:
        """Ids of what no message of this story says, nor anybody in it: also of what is pinned."""
        return frozenset(s.memory.id for s in self.standings if not self._is_here(s.memory))

    def is_written_here(self, document: Document) -> bool:
        """Whether a text was made of this story, in whichever of its branches."""
        return document.chat == self.chat or document.chat in self.kin

    @property
    def alone(self) -> Recollection:
        """The same without what only other stories say, or texts that were made of them."""
        return replace(
            self,
            standings=tuple(s for s in self.standings if self._is_here(s.memory)),
            documents=tuple(filter(self.is_written_here, self.documents)),
        )

    def _is_here(self, memory: Memory) -> bool:
        chats = [source.chat for source in memory.sources] or [memory.chat]
        return any(chat == self.chat or chat in self.kin for chat in chats)

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
