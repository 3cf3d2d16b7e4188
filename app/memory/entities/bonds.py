"""Who and what is remembered together: entities, and between them the memories that name both.

Pure. Source: spec/smart-memory.md §19, the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.memory.records import Entity
from app.memory.standing import Standing

Named = Mapping[str, tuple[Standing, ...]]


@dataclass(frozen=True, slots=True)
class Bond:
    """Another entity, and what is remembered of both."""

    entity: Entity
    memories: tuple[Standing, ...]


@dataclass(frozen=True, slots=True)
class Bonds:
    """All that is remembered of one entity. others: whom it is remembered with, most first; a
    memory that names three stands under two of them. alone: what names nobody else.
    """

    others: tuple[Bond, ...] = ()
    alone: tuple[Standing, ...] = ()


def memories_by_entity(entities: Iterable[Entity], standings: Iterable[Standing]) -> Named:
    """By an entity's id, the memories that hold and name it, each once by whatever name."""
    called: dict[str, list[str]] = {}
    found: dict[str, list[Standing]] = {}
    for entity in entities:
        found[entity.id] = []
        for name in {name.casefold() for name in (entity.name, *entity.aliases)}:
            called.setdefault(name, []).append(entity.id)
    for standing in standings:
        if not standing.is_active:
            continue
        memory = standing.memory
        names = {name.casefold() for name in (memory.subject, memory.target, *memory.entities)}
        for entity_id in {one for name in names for one in called.get(name, ())}:
            found[entity_id].append(standing)
    return {entity_id: tuple(memories) for entity_id, memories in found.items()}


def bonds_of(entity: Entity, entities: Sequence[Entity], named: Named) -> Bonds:
    """What ties one entity to the others. named: as `memories_by_entity` gives it."""
    mine = named.get(entity.id, ())
    ids = {standing.memory.id for standing in mine}
    others: list[Bond] = []
    shared: set[str] = set()
    for other in entities:
        both = tuple(s for s in named.get(other.id, ()) if s.memory.id in ids)
        if other.id != entity.id and both:
            others.append(Bond(other, both))
            shared.update(standing.memory.id for standing in both)
    others.sort(key=lambda bond: (-len(bond.memories), bond.entity.name.casefold()))
    alone = tuple(standing for standing in mine if standing.memory.id not in shared)
    return Bonds(tuple(others), alone)
