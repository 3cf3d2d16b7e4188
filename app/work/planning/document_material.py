"""What longer texts of a chat are made of, and of whom. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.core.operations import OperationKind
from app.memory.arcs.arc_summaries import ResolvedArc, resolved_arcs, summaries
from app.memory.documents.profiles import cast, mentions
from app.memory.entities.naming import all_names
from app.memory.lifecycle.derived_documents import all_of, newest_reaching
from app.memory.lifecycle.sharing import is_theirs
from app.memory.lifecycle.upkeep import said_to_be_past
from app.memory.names import folded
from app.memory.records import Document, DocumentKind, Memory, Remembered, Tier
from app.memory.standing import Ground, active, standings
from app.prompt.choosing.outlasting import is_noted_then, is_outlived
from app.prompt.choosing.presence import Presence
from app.story.story import ChatKind, Story
from app.work.planning.lived import Lived
from app.work.planning.writing import Writing

LATELY = 400  # messages: who has not spoken in them gets no new text of their own


@dataclass(frozen=True, slots=True)
class DocumentMaterial:
    """What longer texts of a chat are made of.

    ground: the messages that memories stand on. is_read: no reading for memory is due before.
    context_tokens: that SillyTavern's prompt may take. elsewhere: what people of the chat lived
    through elsewhere; it may end what is remembered here, and goes into no text of this chat. now:
    seconds since the epoch.
    """

    story: Story
    chat_id: int
    remembered: Remembered
    ground: Ground
    settings: Mapping[str, Any]
    writing: Writing
    context_tokens: int
    is_read: bool = True
    elsewhere: tuple[Memory, ...] = ()
    now: float = 0.0

    def by(self, kind: OperationKind) -> Writing:
        """Who writes texts of this kind."""
        return self.writing.of(kind)

    @property
    def active(self) -> tuple[Memory, ...]:
        """What holds at the end of the story, of what is remembered here."""
        own = {memory.id for memory in self.remembered.memories}
        held = active((*self.remembered.memories, *self.elsewhere), self.ground)
        return tuple(memory for memory in held if memory.id in own)

    @property
    def past(self) -> frozenset[str]:
        """Ids of memories that tell how things were: a look through said so, or they are values
        that do not outlast the scenes since. Feelings mostly do.
        """
        held = standings(self.remembered.memories, self.ground)
        outlived = (
            s.memory.id
            for s in held
            if s.memory.tier is Tier.STATE_LEDGER
            and (
                is_outlived(s.memory, s.start, self.story)
                or is_noted_then(s.memory, s.start, self.story)
            )
        )
        return said_to_be_past(self.documents, self.ground.places).union(outlived)

    @property
    def documents(self) -> tuple[Document, ...]:
        return self.remembered.documents

    @property
    def story_so_far(self) -> str:
        """The running recap, else the rolling summary, "" where there is neither."""
        running = self.story.running.current
        if running is not None:
            return running.content
        places = self.ground.places.keys()
        summary = newest_reaching(self.documents, DocumentKind.SUMMARY, places)
        return summary.text if summary else ""

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that the story is known to have."""
        known = self.remembered.entities
        return tuple(name for entity in known for name in (entity.name, *entity.aliases))

    @property
    def resolved(self) -> tuple[ResolvedArc, ...]:
        return resolved_arcs(self.remembered.memories, self.ground)

    @property
    def owner_name(self) -> str:
        """Under which name a canon is kept where there is one character: the card's."""
        chat = self.story.chat
        return chat.owner_name or next(iter(self.cast), chat.title)

    @property
    def cast(self) -> tuple[str, ...]:
        """The characters who spoke lately, the last one first."""
        return cast(self.story.messages[-LATELY:], self.story.chat.speakers)

    @property
    def canon_owners(self) -> tuple[str, ...]:
        """Whose canon is kept: that of the card, in a group of each member who spoke lately."""
        return self.cast if self.is_group else (self.owner_name,)

    @property
    def is_group(self) -> bool:
        return self.story.chat.kind is ChatKind.GROUP

    def canon_of(self, name: str) -> Document | None:
        """The canon so far: the newest of somebody's that a chat of theirs gave."""
        kept = all_of(self.documents, DocumentKind.CANON)
        if self.is_group:
            kept = tuple(d for d in kept if folded(d.subject) == folded(name))
        return kept[-1] if kept else None

    def canon_summaries(self, name: str) -> tuple[Document, ...]:
        """The summaries of arcs that a canon is made of; of a group's those whose end somebody was
        there for or learned of, or that name them where nobody knows who was there.
        """
        found = summaries(self.documents, self.resolved, self.chat_id)
        if not self.is_group:
            return found
        names = all_names(name, self.remembered.entities)
        arcs = {arc.memory.id: arc for arc in self.resolved}
        lived = self._lived(name)

        def is_known(document: Document) -> bool:
            arc = arcs.get(document.subject)
            if arc is None:
                return any(mentions(document.text, one) for one in names)
            ends = arc.ending.sources or arc.memory.sources
            return lived.was_there(ends) or lived.is_learned(arc.ending.text)

        return tuple(filter(is_known, found))

    def memories_of(self, name: str) -> tuple[Memory, ...]:
        """What somebody remembers: what holds, and what only gave way to others. In a group what
        they witnessed, were there for, or learned.
        """
        own = {memory.id for memory in self.remembered.memories}
        stood = standings((*self.remembered.memories, *self.elsewhere), self.ground)
        held = tuple(s.memory for s in stood if s.is_active or s.is_set_aside)
        held = tuple(memory for memory in held if memory.id in own)
        if not self.is_group:
            return held
        return tuple(filter(self._lived(name).has, held))

    def _lived(self, name: str) -> Lived:
        names = all_names(name, self.remembered.entities)
        presence = Presence(self.story, names, frozenset(self._missed_by(names)))
        return Lived(name, names, self.story, self.ground, self.remembered, presence)

    def _missed_by(self, names: frozenset[str]) -> Iterator[int]:
        """Messages of which a memory says that others witnessed them."""
        for memory in self.remembered.memories:
            if not is_theirs(memory, names) and memory.tier is Tier.LONG_TERM:
                yield from map(self.ground.place, memory.sources)
