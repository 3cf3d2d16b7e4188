"""Holding 10 candidates against 50,000 memories: ours, and the bare product of the matrices."""

from __future__ import annotations

import numpy as np

from app.languages import load_packs
from app.memory.lifecycle.state_change import Wording
from app.memory.lifecycle.verification import verify
from app.memory.records import LONG_TERM_TYPES, Memory, Tier
from app.memory.similarity import PROFILE_B, Vectors
from tests.bench.table import Aim, Row, medians_ms

MEMORIES, CANDIDATES, DIMENSIONS = 50_000, 10, 768


def measure() -> list[Row]:
    """All that verification does, from two lists of memories to the decisions."""
    numbers = np.random.default_rng(1)
    made = numbers.standard_normal((MEMORIES + CANDIDATES, DIMENSIONS), dtype=np.float32)
    # Most candidates are close to something known, so that there is something to decide.
    for place in range(CANDIDATES):
        made[MEMORIES + place] += made[place * 1000] * (0.5 + place / 2)
    known = [_memory(place, place // 1000) for place in range(MEMORIES)]
    candidates = [_memory(MEMORIES + place, place) for place in range(CANDIDATES)]
    memories = [*known, *candidates]
    vectors = Vectors.of({memory.text: row for memory, row in zip(memories, made, strict=True)})
    wording = Wording(load_packs())
    matrix = np.ascontiguousarray(vectors.matrix[:MEMORIES])
    asked = np.ascontiguousarray(vectors.matrix[MEMORIES:])

    ours, bare = medians_ms(
        lambda: verify(candidates, known, thresholds=PROFILE_B, wording=wording, vectors=vectors),
        lambda: asked @ matrix.T,
        rounds=25,
    )
    work = f"dedup of {CANDIDATES} against {MEMORIES:,} memories"
    return [Row(work, ours, "numpy product of the matrices", bare, Aim(times=1.5))]


def _memory(place: int, kind: int) -> Memory:
    text = f"Kael met traveller {place} on the road to the harbour and gave them a coin."
    type_ = LONG_TERM_TYPES[kind % len(LONG_TERM_TYPES)]
    return Memory(str(place), 1, Tier.LONG_TERM, type_, text)
