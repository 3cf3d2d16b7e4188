"""What people of a chat lived through elsewhere: in a group, or by themselves.

A character keeps what was remembered with it alone, a group what was remembered with all of it.
Whoever was there knows it wherever they are; it is read there, and kept only once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from app.memory.names import folded
from app.memory.records import Memory, Review, Tier

SHARED = frozenset({Tier.LONG_TERM, Tier.RELATIONSHIPS, Tier.EPISTEMIC})


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
        if memory.tier not in SHARED or memory.review in (Review.WAITING, Review.REJECTED):
            continue
        witnesses = memory.witnessed_by
        if memory.tier is not Tier.LONG_TERM:
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


def is_known_to(memory: Memory, names: Collection[str]) -> bool:
    """Whether somebody of these folded names was there, feels it, or knows it."""
    if memory.tier is Tier.LONG_TERM:
        return not set(map(folded, memory.witnessed_by)).isdisjoint(names)
    return folded(memory.subject) in names


def _feeling(memory: Memory) -> tuple[str, str, str]:
    return folded(memory.subject), folded(memory.target), folded(memory.text)
