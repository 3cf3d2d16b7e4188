"""What the user does to an entity: merge, rename, delete, look at its story."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.memory.entities.name_finder import NameFinder, bare
from app.memory.entities.registry import MOST_ALIASES, names_of
from app.memory.names import name_in
from app.memory.records import (
    LEDGER_FIELDS,
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Entity,
    Memory,
    MemoryChange,
    Remembered,
    Tier,
)
from app.memory.standing import Standing
from app.story.messages import combined_digest

FIXED = N_("{name} is a character card or a persona: SillyTavern decides its name and kind.")


def merge(
    remembered: Remembered, source: str, target: str, places: Mapping[str, int]
) -> MemoryChange:
    """Make two entities one (spec/smart-memory.md §8.5): the source's names become aliases of the
    target, and all memories of it, and its portrait, speak of the target.

    source, target: ids. places: message index by id of a memory; where both have a value for the
    same field of the ledger, or feel the same toward the same one, the later one holds; what they
    felt toward or hid from each other ends. Where both have a portrait, the target's counts.
    Raises UsageError for a source that is fixed.
    """
    old, new = _required(remembered, source), _required(remembered, target)
    if old.id == new.id:
        raise UsageError(tr("These are already the same."))
    _refuse_fixed(old)
    aliases = _union(new, (old.name, *old.aliases))
    first = old.first_seen if not new.first_seen else new.first_seen
    last = old.last_seen if not new.last_seen else new.last_seen
    kind = old.type if new.type == "unknown" else new.type
    merged = replace(new, type=kind, aliases=aliases, first_seen=first, last_seen=last)
    renamed = _renamed(remembered.memories, _names(old) | _names(new), new.name)
    moved = {memory.id: _of_kind(memory, merged) for memory in renamed}
    whole = [moved.get(memory.id, memory) for memory in remembered.memories]
    for loser in (*_outdone(whole, merged, places), *_of_one_self(whole, merged)):
        moved[loser.id] = loser
    return MemoryChange(
        tuple(moved.values()),
        (merged,),
        tuple(_portraits(remembered.documents, _names(old), new.name)),
        removed=frozenset({old.id}),
    )


def rename(remembered: Remembered, entity_id: str, name: str) -> MemoryChange:
    """Call an entity otherwise; its old name stays an alias. Raises UsageError."""
    entity = _required(remembered, entity_id)
    _refuse_fixed(entity)
    clean = name_in(name)
    if not clean:
        raise UsageError(tr("“{name}” is no name of one thing.", name=name.strip()[:40]))
    for other in remembered.entities:
        if other.id != entity.id and bare(clean) in _names(other):
            raise UsageError(tr("{name} already has that name; merge the two.", name=other.name))
    aliases = tuple(a for a in _union(entity, (entity.name,)) if bare(a) != bare(clean))
    if bare(clean) != bare(entity.name):
        aliases = tuple(dict.fromkeys((*aliases, entity.name)))
    names = _names(entity)
    return MemoryChange(
        tuple(_renamed(remembered.memories, names, clean)),
        (replace(entity, name=clean, aliases=aliases),),
        tuple(_portraits(remembered.documents, names, clean)),
    )


def delete(remembered: Remembered, entity_id: str) -> MemoryChange:
    """Take an entity out of the registry; memories keep their words and forget the link.

    Raises UsageError.
    """
    entity = _required(remembered, entity_id)
    _refuse_fixed(entity)
    names = _names(entity)
    unlinked = tuple(
        replace(memory, entities=tuple(n for n in memory.entities if bare(n) not in names))
        for memory in remembered.memories
        if any(bare(name) in names for name in memory.entities)
    )
    return MemoryChange(unlinked, removed=frozenset({entity.id}))


def timeline(entity: Entity, standings: Iterable[Standing]) -> tuple[Standing, ...]:
    """What is remembered of an entity, in the order of the story."""
    names = _names(entity)
    finder = NameFinder((name, None) for name in (entity.name, *entity.aliases))
    told = [
        standing
        for standing in standings
        if any(bare(name) in names for name in names_of(standing.memory))
        or finder.find(f"{standing.memory.text}\n{standing.memory.detail}")
    ]
    return tuple(sorted(told, key=lambda s: (s.start, s.memory.created, s.memory.id)))


def unlinked(remembered: Remembered) -> tuple[Entity, ...]:
    """Entities that no memory speaks of any more; cards and personas are never among them."""
    named = {bare(name) for memory in remembered.memories for name in names_of(memory)}
    left = [e for e in remembered.entities if not e.is_locked and named.isdisjoint(_names(e))]
    if not left:
        return ()
    finder = NameFinder((name, e.id) for e in left for name in (e.name, *e.aliases))
    told: set[str] = set()
    for memory in remembered.memories:
        told.update(finder.find(f"{memory.text}\n{memory.detail}"))
    return tuple(entity for entity in left if entity.id not in told)


def _required(remembered: Remembered, entity_id: str) -> Entity:
    found = next((e for e in remembered.entities if e.id == entity_id), None)
    if found is None:
        raise UsageError(tr("This name is no longer known."))
    return found


def _refuse_fixed(entity: Entity) -> None:
    if entity.is_locked:
        raise UsageError(tr(FIXED, name=entity.name))


def _names(entity: Entity) -> frozenset[str]:
    return frozenset(bare(name) for name in (entity.name, *entity.aliases))


def _union(entity: Entity, more: Iterable[str]) -> tuple[str, ...]:
    """The entity's aliases with these, each once, its own name not among them."""
    known = {bare(entity.name)}
    aliases: list[str] = []
    for name in (*entity.aliases, *more):
        if bare(name) not in known:
            known.add(bare(name))
            aliases.append(name)
    return tuple(aliases[:MOST_ALIASES])


def _renamed(memories: Iterable[Memory], names: frozenset[str], to: str) -> Iterator[Memory]:
    """The memories that hold one of the names in a field, with the other one there."""

    def new(name: str) -> str:
        return to if name and bare(name) in names else name

    for memory in memories:
        changed = replace(
            memory,
            entities=tuple(dict.fromkeys(map(new, memory.entities))),
            subject=new(memory.subject),
            target=new(memory.target),
            told_by=new(memory.told_by),
            witnessed_by=tuple(dict.fromkeys(map(new, memory.witnessed_by))),
        )
        if changed != memory:
            yield changed


def _portraits(documents: Iterable[Document], names: frozenset[str], to: str) -> Iterator[Document]:
    """The portraits of somebody under the new name; the newest one of that name still counts."""
    mine = [d for d in documents if d.kind is DocumentKind.PROFILE]
    moved = [d for d in mine if bare(d.subject) in names and d.subject != to]
    yield from (replace(document, subject=to) for document in moved)
    kept = [d for d in mine if d.subject == to]
    if moved and kept and mine.index(moved[-1]) > mine.index(kept[-1]):
        # Of each subject the newest counts, and that would be the one that was moved here.
        again = combined_digest("merged", kept[-1].id, moved[-1].id)
        yield replace(kept[-1], id=again)


def _of_kind(memory: Memory, entity: Entity) -> Memory:
    """A value of the ledger under the entity's kind, where that kind has such a field."""
    is_its = memory.tier is Tier.STATE_LEDGER and bare(memory.subject) in _names(entity)
    if is_its and memory.field in LEDGER_FIELDS.get(entity.type, ()):
        return replace(memory, type=entity.type)
    return memory


def _outdone(
    memories: Sequence[Memory], entity: Entity, places: Mapping[str, int]
) -> Iterator[Memory]:
    """Values of the ledger that hold beside a later one for the same field, and feelings beside the
    same one felt later, ended by it.
    """
    newest: dict[tuple[str, ...], Memory] = {}
    mine = [
        m
        for m in memories
        if (m.tier is Tier.STATE_LEDGER and m.subject == entity.name)
        or (m.tier is Tier.RELATIONSHIPS and entity.name in (m.subject, m.target))
    ]
    for memory in sorted(mine, key=lambda m: (places.get(m.id, -1), m.created, m.id)):
        if memory.endings:
            continue
        line: tuple[str, ...] = (memory.type, memory.field)
        if memory.tier is Tier.RELATIONSHIPS:
            line = (*map(bare, (memory.subject, memory.target)), memory.text.casefold())
        if line in newest:
            yield replace(newest[line], endings=(Ending(EndReason.SUPERSEDED, by=memory.id),))
        newest[line] = memory


def _of_one_self(memories: Sequence[Memory], entity: Entity) -> Iterator[Memory]:
    """What would be felt toward, or hidden from, the one who feels or hides it, ended."""
    for memory in memories:
        if memory.subject == memory.target == entity.name and not memory.endings:
            yield replace(memory, endings=(Ending(EndReason.BY_HAND),))
