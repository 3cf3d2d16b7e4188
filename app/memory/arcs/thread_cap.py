"""Which open threads are kept in sight when there are more than may be: those that matter most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from app.memory.epistemic.propositions import content_words, is_alike
from app.memory.ranking import is_yours
from app.memory.records import EndReason, Memory
from app.memory.tiers.table import TIERS

WEIGHT_COUNTS, RETURN_COUNTS, FIRST_COUNTS, NEW_COUNTS = 2.0, 1.0, 3.0, 2.0
MOST_RETURNS = 4
LEAST_SHARED = 2  # content words of a thread that a memory has which comes back to it
TOO_COMMON = 0.34  # of all threads: a word that so many have tells none of them


def kept_threads(
    arcs: Sequence[Memory], most: int, told: Iterable[Memory] = (), common: Collection[str] = ()
) -> tuple[Memory, ...]:
    """Of open threads those that stay in sight, in their order: what the user wrote or pinned, then
    by weight, by how often the story came back to them, the one that is open longest, and new ones.

    arcs: in the order of the story. told: memories that hold, to count how often. common: words
    that say nothing.
    """
    if len(arcs) <= most:
        return tuple(arcs)
    returns = _returns(arcs, told, frozenset(common))
    last = max(1, len(arcs) - 1)
    worth = {
        arc.id: (arc.importance - 2) * WEIGHT_COUNTS
        + returns[arc.id] * RETURN_COUNTS
        + (FIRST_COUNTS if place == 0 else 0.0)
        + place / last * NEW_COUNTS
        for place, arc in enumerate(arcs)
    }
    best_first = sorted(arcs, key=lambda arc: (not is_yours(arc), -worth[arc.id]))
    kept = {arc.id for arc in best_first[:most]}
    return tuple(arc for arc in arcs if arc.id in kept or is_yours(arc))


def returning(
    aside: Sequence[Memory],
    arcs: Sequence[Memory],
    most: int,
    told: Iterable[Memory] = (),
    common: Collection[str] = (),
) -> tuple[Memory, ...]:
    """The threads put aside that come back, without that ending, where fewer are open than may be.

    aside: in the order of the story. arcs: open ones; what one of them asks anew stays aside.
    """
    words = frozenset(common)
    open_anew = [arc.text for arc in arcs]
    back = [
        arc
        for arc in aside
        if is_put_aside(arc) and not any(is_alike(arc.text, other, words) for other in open_anew)
    ]
    kept = kept_threads(back, max(0, most - len(arcs)), told, common)
    return tuple(replace(arc, endings=()) for arc in kept)


def is_put_aside(memory: Memory) -> bool:
    """Whether a thread is out of sight for others only, and not over."""
    return (
        TIERS[memory.tier].comes_back
        and bool(memory.endings)
        and all(ending.reason is EndReason.OUTRANKED for ending in memory.endings)
    )


def _returns(
    arcs: Sequence[Memory], told: Iterable[Memory], common: frozenset[str]
) -> dict[str, int]:
    """How many messages beside its own each thread is told of in."""
    words = {arc.id: content_words(arc.text, common) for arc in arcs}
    held = Counter(word for one in words.values() for word in one)
    often = {word for word, count in held.items() if count > max(1, TOO_COMMON * len(arcs))}
    anchors: dict[str, set[str]] = {arc.id: set() for arc in arcs}
    own = {arc.tier for arc in arcs}
    for memory in told:
        if memory.tier in own:
            continue
        said = content_words(f"{memory.subject} {memory.text}", common)
        for arc in arcs:
            if len((words[arc.id] - often) & said) >= LEAST_SHARED:
                anchors[arc.id].update(source.anchor for source in memory.sources)
    return {
        arc.id: min(MOST_RETURNS, len(anchors[arc.id] - {source.anchor for source in arc.sources}))
        for arc in arcs
    }
