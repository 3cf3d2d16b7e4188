"""Verification of all that one answer proposes, each tier by its own rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from app.memory.lifecycle.decisions import Decision, Outcome, resolved
from app.memory.lifecycle.identity import (
    open_threads,
    verify_epistemic,
    verify_threads,
    verify_values,
)
from app.memory.lifecycle.state_change import Wording
from app.memory.lifecycle.verification import NO_WORDING, verify
from app.memory.records import Memory, Review, Tier
from app.memory.similarity import NO_VECTORS, PROFILE_A, Thresholds, Vectors
from app.memory.tiers.table import TIERS, tiers_where
from app.memory.tiers.tier import Identity

COMPARED = tiers_where(lambda spec: spec.identity is not Identity.KEY)  # the others know by names


def texts_to_compare(memories: Sequence[Memory]) -> tuple[str, ...]:
    """The distinct texts that need vectors, where there are any."""
    return tuple(dict.fromkeys(memory.text for memory in memories if memory.tier in COMPARED))


def names_in(memories: Iterable[Memory]) -> frozenset[str]:
    """Everybody and everything that the memories name."""
    return frozenset(
        name
        for memory in memories
        for name in (*memory.entities, memory.subject, memory.target, memory.told_by)
        if name
    )


def verify_all(
    candidates: Sequence[Memory],
    known: Sequence[Memory],
    *,
    thresholds: Thresholds = PROFILE_A,
    wording: Wording = NO_WORDING,
    vectors: Vectors = NO_VECTORS,
    places: Mapping[str, int] | None = None,
) -> tuple[Decision, ...]:
    """A decision for each candidate of any tier, but for arcs that a session memory tells as done.

    known: active memories of all tiers. Candidates that wait for review are held against the
    others, never the others against them; the model is not asked about them.
    """
    wording = wording.knowing(names_in((*candidates, *known)))
    of: dict[Tier, list[Memory]] = {tier: [] for tier in Tier}
    for memory in known:
        of[memory.tier].append(memory)
    decided: list[Decision] = []
    for tier in Tier:
        mine = [candidate for candidate in candidates if candidate.tier is tier]
        if TIERS[tier].gives_way_to_session:
            mine = list(open_threads(mine, of[Tier.SESSION], vectors))
        firm = [m for m in mine if m.review is not Review.WAITING]
        waiting = [m for m in mine if m.review is Review.WAITING]
        sure = _verify(tier, firm, of[tier], thresholds, wording, vectors, places)
        decided += sure
        if waiting:
            accepted = [d.candidate for d in sure if d.outcome is not Outcome.DUPLICATE]
            also = _verify(
                tier, waiting, [*of[tier], *accepted], thresholds, wording, vectors, places
            )
            decided += (resolved(decision, None) for decision in also)
    return tuple(decided)


# 7 parameters: as of `verify`, of one tier.
def _verify(
    tier: Tier,
    candidates: Sequence[Memory],
    known: Sequence[Memory],
    thresholds: Thresholds,
    wording: Wording,
    vectors: Vectors,
    places: Mapping[str, int] | None,
) -> tuple[Decision, ...]:
    if not candidates:
        return ()
    spec = TIERS[tier]
    match spec.identity:
        case Identity.THREAD:
            return verify_threads(candidates, known, wording=wording, vectors=vectors)
        case Identity.ATTITUDE:
            return verify_epistemic(
                candidates, known, wording=wording, vectors=vectors, places=places
            )
        case Identity.KEY if spec.key is not None:
            return verify_values(candidates, known, key=spec.key, value=spec.value, places=places)
        case _:
            return verify(
                candidates,
                known,
                thresholds=thresholds,
                wording=wording,
                vectors=vectors,
                places=places,
            )
