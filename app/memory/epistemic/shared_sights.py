"""What people take each other to hold, since they saw together what one still goes by. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.memory.epistemic.presence import Whereabouts
from app.memory.records import Source
from app.memory.standing import BEFORE, Standing
from app.memory.tiers.epistemic import SAW


@dataclass(frozen=True, slots=True)
class SharedSight:
    """A belief that somebody saw the ground of, and keys of who was with them then. at: the message
    of the sight. holder: key of whose belief it is.
    """

    belief: Standing
    holder: str
    at: int
    beside: frozenset[str]


def shared_sights(
    stated: Iterable[Standing], where: Whereabouts, place: Callable[[Source], int]
) -> Sequence[SharedSight]:
    """The beliefs that stand on what others saw, too. place: index of a message, BEFORE for one
    of another chat.
    """
    return tuple(_shared(stated, where, place))


def _shared(
    stated: Iterable[Standing], where: Whereabouts, place: Callable[[Source], int]
) -> Iterator[SharedSight]:
    for standing in stated:
        memory = standing.memory
        if memory.type != "believes" or memory.channel != SAW or memory.told_by:
            continue
        # It was seen in the first of its messages; a later one says what made it false.
        at = min(filter(lambda index: index != BEFORE, map(place, memory.sources)), default=BEFORE)
        holder = where.people.key(memory.subject)
        beside = where.beside(holder, at) if at != BEFORE else frozenset()
        if beside:
            yield SharedSight(standing, holder, at, beside)
