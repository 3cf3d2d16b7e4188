"""Memories that cannot both be so: noted, shown together, and settled by the user (spec §8.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from app.core.translation import N_
from app.memory.records import (
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Memory,
    Review,
)
from app.memory.similarity import NO_VECTORS, Limit, Vectors
from app.memory.standing import Standing, Status
from app.memory.tiers.table import PLAIN

SAME_PROPOSITION = Limit(0.5, 0.3)
AGAINST = N_("The reply that it cites contradicts what is remembered.")
OPEN = frozenset({Status.ACTIVE, Status.WAITING})


class Keeps(StrEnum):
    """Which of two that contradict each other is so."""

    THIS = "this"
    OTHER = "other"
    BOTH = "both"


def noted(
    new: Sequence[Memory],
    documents: Iterable[Document],
    held: Mapping[str, Memory],
    vectors: Vectors = NO_VECTORS,
) -> tuple[Memory, ...]:
    """The new memories, with what they contradict as checks of continuity found it (§9, PD3).

    A reply that was found to contradict a memory gives new ones on the same proposition: these
    wait for the user. What says that something changed replaces the old and contradicts nothing.
    held: by id, what holds.
    """
    checks: dict[tuple[str, str], dict[str, str]] = {}
    for document in documents:
        if document.kind is DocumentKind.CONTINUITY:
            found = {id_: told for id_, told in document.sections.items() if id_ in held}
            checks[document.until, document.inputs] = found  # the newest of a reply counts
    if not any(checks.values()):
        return tuple(new)

    def marked(memory: Memory) -> Memory:
        told: dict[str, str] = {}
        for source in memory.sources if memory.tier in PLAIN else ():
            told |= checks.get((source.anchor, source.content_hash), {})
        against = tuple(
            id_
            for id_, text in told.items()
            if id_ not in (*memory.supersedes, *memory.contradicts)
            and held[id_].text != memory.text
            and any(
                vectors.score(memory.text, t).reaches(SAME_PROPOSITION)
                for t in (text, held[id_].text)
            )
        )
        if not against:
            return memory
        return replace(
            memory,
            contradicts=(*memory.contradicts, *against),
            review=Review.WAITING,
            notes=tuple(dict.fromkeys((*memory.notes, AGAINST))),
        )

    return tuple(map(marked, new))


def open_against(standing: Standing, standings: Mapping[str, Standing]) -> tuple[Standing, ...]:
    """What contradicts a memory as things stand: nothing once one of the two no longer holds, and
    does not wait to. standings: by id.
    """
    memory = standing.memory
    if standing.status not in OPEN:
        return ()
    named = [standings[id_] for id_ in memory.contradicts if id_ in standings]
    naming = [other for other in standings.values() if memory.id in other.memory.contradicts]
    found = {other.memory.id: other for other in (*named, *naming)}
    return tuple(o for id_, o in found.items() if o.status in OPEN and id_ != memory.id)


def settled(memory: Memory, other: Memory, keeps: Keeps) -> tuple[Memory, ...]:
    """Both in their new state, the user having said which is so. What was refused while it waited
    counts never; what held ends, and the one that is kept takes its place.
    """
    memory, other = _without(memory, other.id), _without(other, memory.id)
    match keeps:
        case Keeps.THIS:
            return _approved(memory), _gone(other, memory.id)
        case Keeps.OTHER:
            return _gone(memory, other.id), _approved(other)
        case Keeps.BOTH:
            return _approved(memory), _approved(other)


def replaced_by(approved: Iterable[Memory], known: Sequence[Memory]) -> tuple[Memory, ...]:
    """What still held against memories that the user approves, ended by them."""
    over = {id_: memory.id for memory in approved for id_ in memory.contradicts}
    return tuple(
        _gone(memory, over[memory.id])
        for memory in known
        if memory.id in over and not memory.endings and memory.review is not Review.REJECTED
    )


def _without(memory: Memory, id_: str) -> Memory:
    return replace(memory, contradicts=tuple(one for one in memory.contradicts if one != id_))


def _approved(memory: Memory) -> Memory:
    waits = memory.review is Review.WAITING
    return replace(memory, review=Review.APPROVED) if waits else memory


def _gone(memory: Memory, by: str) -> Memory:
    if memory.review is Review.WAITING:
        return replace(memory, review=Review.REJECTED)
    return replace(memory, endings=(*memory.endings, Ending(EndReason.SUPERSEDED, by)))
