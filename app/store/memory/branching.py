"""What a branch, a copy or a view of a chat begins with: the memories whose messages it shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from app.memory.arcs.arc_summaries import arc_digest, earlier_arc_digest
from app.memory.records import (
    Document,
    DocumentKind,
    Ending,
    Entity,
    Memory,
    MemoryChange,
    Remembered,
    Source,
)
from app.store.database.database import Database
from app.store.memory.memories import FOUND, PASS, UNREADABLE, Memories
from app.store.memory.memory_modes import MemoryModes
from app.story.messages import combined_digest

# They are about one reply, the next one to come; a branch has another.
_OF_THE_MOMENT = frozenset({DocumentKind.REPAIR, DocumentKind.CONTINUITY})


class Branching:
    """Hands on what is remembered; plain functions of the database's thread."""

    def __init__(self, database: Database, memories: Memories, modes: MemoryModes) -> None:
        self._database = database
        self._memories = memories
        self._modes = modes

    def take_over(
        self, source: int, target: int, owner: str, *, view_of: Iterable[str] | None = None
    ) -> None:
        """Let a chat begin with what is remembered of the messages that it shares with another.

        Nothing comes along that stands on a message of the other's own future. owner: key of the
        target's character; what the character keeps of the source is not copied for itself, since
        it has it. view_of: for a look at an earlier moment, which keeps what it finds to itself,
        the characters whose memories it is to have; they become its own.

        Doing it again gives the target the source's newest state. Idempotent.
        """
        self._modes.make_kin(source, target)
        there = self._present(target)
        if not there:
            return
        is_view = view_of is not None
        hand_on = _HandingOn(
            target, there, self._modes.kin(target) - {target}, "" if is_view else owner
        )
        known = self._of_chat(source)
        if view_of is not None:
            known = _joined(known, self._memories.load(source, list(view_of)))
        self._memories.write(hand_on.change(known, keeps_to_itself=is_view))
        if is_view:
            self._memories.write(
                MemoryChange(removed=frozenset(map(hand_on.id, self._gone(source))))
            )
        self._note_read(source, target)

    def take_unread(self, target: int, owner: str) -> bool:
        """Take over what was remembered of messages that the target has not read and a chat that
        shares them has, if any; whether there were. The user's word that messages are not to be
        read counts as reading. owner: as in `take_over`.
        """
        unread: dict[int, set[str]] = {}
        for source in sorted(self._modes.kin(target)):
            rows = self._database.execute(
                "SELECT known.anchor FROM known_message AS known JOIN extracted AS theirs "
                "ON theirs.anchor = known.anchor AND theirs.content_hash = known.content_hash "
                "WHERE known.chat_id = ?1 AND known.position >= 0 AND theirs.chat_id = ?2 "
                "AND theirs.task = ?3 AND NOT EXISTS (SELECT 1 FROM extracted AS own "
                "WHERE own.chat_id = ?1 AND own.anchor = known.anchor "
                "AND own.task NOT IN (?4, ?5))",
                (target, source, PASS, FOUND, UNREADABLE),
            )
            unread[source] = {str(anchor) for (anchor,) in rows}
        source = max(unread, key=lambda number: len(unread[number]), default=0)
        if not unread.get(source):
            return False
        self.take_newer(source, target, owner, of=frozenset(unread[source]))
        return True

    def take_newer(
        self, source: int, target: int, owner: str, *, of: frozenset[str] | None = None
    ) -> None:
        """Take over what was remembered in the source since the target began with it.

        What the target has stays as it is; an entry that was ended in the source ends there too.
        of: anchors; only what stands on these comes along, and what they ended.
        """

        def is_of(sources: Iterable[Source]) -> bool:
            return of is None or any(one.anchor in of for one in sources)

        there = self._present(target)
        kin = self._modes.kin(target) - {target}
        made = _HandingOn(target, there, kin, owner).change(
            self._of_chat(source), keeps_to_itself=False
        )
        own = self._of_chat(target)
        memories = {memory.id: memory for memory in own.memories}
        known = memories.keys() | {e.id for e in own.entities} | {d.id for d in own.documents}
        ended = []
        for new in made.memories:
            old = memories.get(new.id)
            further = tuple(
                one for one in new.endings if old and one not in old.endings and is_of(one.sources)
            )
            if old is not None and further:
                ended.append(replace(old, endings=(*old.endings, *further)))
        self._memories.write(
            MemoryChange(
                (*(m for m in made.memories if m.id not in known and is_of(m.sources)), *ended),
                tuple(e for e in made.entities if e.id not in known),
                tuple(d for d in made.documents if d.id not in known),
            )
        )
        self._note_read(source, target)

    def _note_read(self, source: int, target: int) -> None:
        self._database.execute(
            "INSERT OR IGNORE INTO extracted (chat_id, task, anchor, content_hash) "
            "SELECT ?1, task, anchor, content_hash FROM extracted WHERE chat_id = ?2 AND anchor IN "
            "(SELECT anchor FROM known_message WHERE chat_id = ?1 AND position >= 0)",
            (target, source),
        )

    def _present(self, chat_id: int) -> frozenset[str]:
        rows = self._database.execute(
            "SELECT anchor FROM known_message WHERE chat_id = ? AND position >= 0", (chat_id,)
        )
        return frozenset(str(anchor) for (anchor,) in rows)

    def _of_chat(self, chat_id: int) -> Remembered:
        """All that was made in a chat, whoever keeps it."""
        rows = self._database.execute(
            "SELECT DISTINCT character FROM memory WHERE chat_id = ?1 UNION "
            "SELECT character FROM entity WHERE chat_id = ?1 UNION "
            "SELECT character FROM document WHERE chat_id = ?1",
            (chat_id,),
        )
        found = self._memories.load(chat_id, [str(name) for (name,) in rows if name])
        return Remembered(
            tuple(m for m in found.memories if m.chat == chat_id),
            tuple(e for e in found.entities if e.chat == chat_id),
            tuple(d for d in found.documents if d.chat == chat_id),
        )

    def _gone(self, chat_id: int) -> list[str]:
        rows = self._database.execute(
            "SELECT memory_id FROM memory WHERE chat_id = ? AND is_deleted <> 0", (chat_id,)
        )
        return [str(memory_id) for (memory_id,) in rows]


@dataclass(frozen=True, slots=True)
class _HandingOn:
    """How rows become another chat's. there: anchors of its messages. kin: chats whose anchors
    mean the same messages. owner: who keeps there what a character kept.
    """

    target: int
    there: frozenset[str]
    kin: frozenset[int]
    owner: str

    def id(self, old: str) -> str:
        return combined_digest("copy", str(self.target), old)

    def change(self, known: Remembered, *, keeps_to_itself: bool) -> MemoryChange:
        def is_copied(row: Memory | Entity | Document) -> bool:
            return keeps_to_itself or not row.character or row.character != self.owner

        shared = [m for m in known.memories if is_copied(m) and self._is_shared(m.sources)]
        ids = {memory.id: self.id(memory.id) for memory in shared}
        old = {memory.id: memory for memory in shared}
        texts = [d for d in known.documents if is_copied(d) and self._is_text_shared(d, ids)]
        return MemoryChange(
            tuple(self._memory(memory, ids) for memory in shared),
            tuple(
                self._entity(entity)
                for entity in known.entities
                if is_copied(entity) and (not entity.first_seen or entity.first_seen in self.there)
            ),
            tuple(_of_now(self._document(d, ids), old.get(d.subject)) for d in texts),
        )

    def _is_shared(self, sources: Iterable[Source]) -> bool:
        return all(s.anchor in self.there for s in sources if s.chat in self.kin)

    def _is_text_shared(self, document: Document, ids: Mapping[str, str]) -> bool:
        if document.kind in _OF_THE_MOMENT:
            return False
        if document.kind is DocumentKind.ARC_SUMMARY and document.subject not in ids:
            return False
        return not document.until or document.until in self.there

    def _memory(self, memory: Memory, ids: Mapping[str, str]) -> Memory:
        def named(references: Iterable[str]) -> tuple[str, ...]:
            return tuple(ids[one] for one in references if one in ids)

        return replace(
            memory,
            id=ids[memory.id],
            chat=self.target,
            character=self._kept_by(memory.character),
            sources=self._sources(memory.sources),
            endings=tuple(self._endings(memory.endings, ids.get)),
            supersedes=named(memory.supersedes),
            contradicts=named(memory.contradicts),
        )

    def _endings(
        self, endings: Iterable[Ending], id_of: Callable[[str], str | None]
    ) -> Iterable[Ending]:
        """Those that came about in the part that is shared."""
        for ending in endings:
            by = id_of(ending.by) if ending.by else ""
            if by is not None and self._is_shared(ending.sources):
                yield replace(ending, by=by, sources=self._sources(ending.sources))

    def _sources(self, sources: Iterable[Source]) -> tuple[Source, ...]:
        return tuple(replace(s, chat=self.target) if s.chat in self.kin else s for s in sources)

    def _entity(self, entity: Entity) -> Entity:
        return replace(
            entity,
            id=self.id(entity.id),
            chat=self.target,
            character=self._kept_by(entity.character),
            last_seen=entity.last_seen if entity.last_seen in self.there else entity.first_seen,
        )

    def _document(self, document: Document, ids: Mapping[str, str]) -> Document:
        return replace(
            document,
            id=self.id(document.id),
            chat=self.target,
            character=self._kept_by(document.character),
            subject=ids.get(document.subject, document.subject),
            sections={ids.get(key, key): text for key, text in document.sections.items()},
        )

    def _kept_by(self, character: str) -> str:
        return self.owner if character else ""


def _of_now(document: Document, arc: Memory | None) -> Document:
    """A text of an arc that says what it was made of as versions before did, by the ids of the
    other chat. arc: as it stands there.
    """
    if arc is None:
        return document
    for ending in arc.endings:
        if document.inputs == earlier_arc_digest(arc, ending):
            return replace(document, inputs=arc_digest(arc, ending))
    return document


def _joined(first: Remembered, second: Remembered) -> Remembered:
    """Both, each row once."""
    return MemoryChange(second.memories, second.entities, second.documents).applied_to(first)
