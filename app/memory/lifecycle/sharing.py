"""Whose memories are whose: in a group, and of what people lived through elsewhere.

A character keeps what was remembered with it alone, a group what was remembered with all of it.
Whoever was there knows it wherever they are; it is read there, and kept only once. Of what a
group keeps, each member has what they witnessed, and as much of it as a character alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from app.memory.names import folded
from app.memory.records import Document, DocumentKind, Memory, Remembered, Review, Tier
from app.memory.tiers.table import KEPT_BY_CHARACTER, TIERS


def lived_through(
    memories: Iterable[Memory], people: Collection[str], *, is_their_own: bool
) -> tuple[Memory, ...]:
    """Of what another keeps, what these people know: what they witnessed, feel, and know. What
    waits for review, or was refused, is nobody's yet.

    is_their_own: all of it was kept for the one of the people there is.
    """
    names = set(map(folded, people))
    found = []
    for memory in memories:
        if memory.tier not in KEPT_BY_CHARACTER or memory.review in (
            Review.WAITING,
            Review.REJECTED,
        ):
            continue
        witnesses = memory.witnessed_by
        if not TIERS[memory.tier].is_witnessed:
            if folded(memory.subject) in names:
                found.append(memory)
        elif is_their_own:
            missing = tuple(name for name in people if folded(name) not in map(folded, witnesses))
            found.append(replace(memory, witnessed_by=(*witnesses, *missing)))
        elif not names.isdisjoint(map(folded, witnesses)):
            found.append(memory)
    return tuple(found)


def beside(own: Iterable[Memory], elsewhere: Iterable[Memory]) -> tuple[Memory, ...]:
    """What was lived through elsewhere, without what is remembered here of the same: each once,
    and of feelings what this story says of them.
    """
    known = {memory.id for memory in own}
    felt = {_feeling(memory) for memory in own if memory.tier is Tier.RELATIONSHIPS}
    found: dict[str, Memory] = {}
    for memory in sorted(elsewhere, key=lambda m: -m.created):
        if memory.id in known | found.keys():
            continue
        if memory.tier is Tier.RELATIONSHIPS and not memory.endings:
            if _feeling(memory) in felt:
                continue
            felt.add(_feeling(memory))  # of two elsewhere the newer
        found[memory.id] = memory
    return tuple(reversed(found.values()))


def canons_of(documents: Iterable[Document], people: Collection[str]) -> tuple[Document, ...]:
    """Of what another keeps, the canons of these people."""
    names = set(map(folded, people))
    is_of = (d for d in documents if d.kind is DocumentKind.CANON and folded(d.subject) in names)
    return tuple(is_of)


def with_canons(remembered: Remembered, canons: Iterable[Document]) -> Remembered:
    """What is remembered, with canons that were written elsewhere among its own, by their age."""
    known = {document.id for document in remembered.documents}
    more = [canon for canon in canons if canon.id not in known]
    if not more:
        return remembered
    documents = sorted((*remembered.documents, *more), key=lambda d: d.created)
    return replace(remembered, documents=tuple(documents))


def is_known_to(memory: Memory, names: Collection[str]) -> bool:
    """Whether somebody of these folded names was there, feels it, or knows it."""
    if TIERS[memory.tier].is_witnessed:
        return not set(map(folded, memory.witnessed_by)).isdisjoint(names)
    return folded(memory.subject) in names


def is_theirs(memory: Memory, names: Collection[str]) -> bool:
    """Whether a memory is one of somebody of these folded names; where nobody noted who was there,
    of everybody.
    """
    is_unknown = TIERS[memory.tier].is_witnessed and not memory.witnessed_by
    return is_unknown or memory.tier not in KEPT_BY_CHARACTER or is_known_to(memory, names)


def kept_of_each(
    memories: Sequence[Memory],
    members: Sequence[Collection[str]],
    kept: Callable[[Sequence[Memory]], Iterable[Memory]],
) -> tuple[Memory, ...]:
    """Of long-term memories those that anybody keeps, in their order. members: of a group, the
    folded names of each; fewer than two share nothing out. kept: what one keeps of theirs.
    """
    if len(members) < 2:
        return tuple(kept(memories))
    shares = [[m for m in memories if is_theirs(m, names)] for names in members]
    nobodys = [m for m in memories if not any(is_theirs(m, names) for names in members)]
    ids = {memory.id for share in (*shares, nobodys) for memory in kept(share)}
    return tuple(memory for memory in memories if memory.id in ids)


def _feeling(memory: Memory) -> tuple[str, str, str]:
    return folded(memory.subject), folded(memory.target), folded(memory.text)
