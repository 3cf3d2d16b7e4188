"""Which proposed memories of session and long term are new, and which repeat or change others.

Source: spec/smart-memory.md §10, §8.3, §8.4. Likeness proposes; code decides what it can, and the
rest is a closed question to the model. A pair that looks alike but differs in a number, in a
negation, in a name or in who did it to whom is never taken for the same without being asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from app.memory.lifecycle.decisions import Decision, Outcome, Question, resolved
from app.memory.lifecycle.state_change import Mismatch, Statement, Wording
from app.memory.records import Memory, Tier
from app.memory.similarity import (
    NO_VECTORS,
    PROFILE_A,
    Limit,
    Score,
    Scores,
    Thresholds,
    Vectors,
    overlap,
    scores,
    scores_near,
    word_list,
)

NO_WORDING = Wording()
NEAREST = 32  # known entries looked at for each candidate
SESSION_MERGE = Limit(0.82, 0.65)  # §8.3, to be exceeded; the second one is for the overlap
_LEVEL_ROUNDING = 1e-5

Codes = NDArray[np.intp]
Read = Callable[[str], Statement]


@dataclass(frozen=True, slots=True)
class _Pair:
    """A candidate beside a known entry or an earlier candidate.

    level: of its likeness; 0 where the topic is the same, 1 where it may be the same thing.
    is_later: the other one stands at a later message.
    """

    other: Memory
    score: Score
    level: float
    is_known: bool
    is_same_type: bool
    is_later: bool

    @property
    def is_alike(self) -> bool:
        return self.level >= 1 - _LEVEL_ROUNDING


def verify(
    candidates: Sequence[Memory],
    known: Sequence[Memory],
    *,
    thresholds: Thresholds = PROFILE_A,
    wording: Wording = NO_WORDING,
    vectors: Vectors = NO_VECTORS,
    places: Mapping[str, int] | None = None,
) -> tuple[Decision, ...]:
    """A decision for each candidate, in their order; for the session and long-term tiers.

    candidates: of one tier, in the order of the story. known: active memories of that tier.
    places: message index by id, of both; with it nothing of an earlier message supersedes what a
    later one says. At most `thresholds.questions` decisions are uncertain, those most alike; the
    others are decided as if nobody had answered. The session tier asks nothing.
    """
    statements: dict[str, Statement] = {}

    def read(text: str) -> Statement:
        if text not in statements:
            statements[text] = wording.read(text)
        return statements[text]

    pairing = _Pairing(candidates, known, thresholds, vectors, places or {})
    seen = {candidate.id for candidate in candidates}.intersection(map(attrgetter("id"), known))
    decided: list[Decision] = []
    for line, candidate in enumerate(candidates):
        if candidate.id in seen:  # the same work once more
            decided.append(Decision(candidate, Outcome.DUPLICATE, candidate.id))
            continue
        seen.add(candidate.id)
        decided.append(_decided(candidate, pairing.pairs(line, decided), read))
    return _within_cap(decided, thresholds)


class _Pairing:
    """Finds what each candidate is to be held against."""

    def __init__(
        self,
        candidates: Sequence[Memory],
        known: Sequence[Memory],
        thresholds: Thresholds,
        vectors: Vectors,
        places: Mapping[str, int],
    ) -> None:
        self._candidates = candidates
        self._thresholds = thresholds
        self._places = places
        texts = [candidate.text for candidate in candidates]
        known_texts = list(map(attrgetter("text"), known))
        closest, self._to_known = scores_near(texts, known_texts, vectors, thresholds.lowest)
        self._known = [known[place] for place in closest]
        self._to_others = scores(texts, texts, vectors)
        codes = {type_: code for code, type_ in enumerate({m.type for m in candidates})}
        self._types, self._known_types = _codes(candidates, codes), _codes(self._known, codes)

    def pairs(self, line: int, decided: Sequence[Decision]) -> list[_Pair]:
        """What comes near the candidate on that line, nearest first."""
        dropped = {d.candidate.id for d in decided if d.outcome is Outcome.DUPLICATE}
        earlier = [decision.candidate for decision in decided]
        found = [
            *self._to(self._known, self._to_known, self._known_types, line, is_known=True),
            *(
                pair
                for pair in self._to(earlier, self._to_others, self._types, line, is_known=False)
                if pair.other.id not in dropped
            ),
        ]
        return sorted(found, key=lambda pair: -pair.level)

    def _to(
        self,
        others: Sequence[Memory],
        table: Scores,
        types: Codes,
        line: int,
        *,
        is_known: bool,
    ) -> Iterator[_Pair]:
        limits, count = self._thresholds, len(others)
        row = table.row(line, count)
        same = types[:count] == self._types[line]
        levels = np.where(
            same,
            row.levels(limits.topic, limits.duplicate),
            row.levels(limits.topic, limits.cross),
        )[0]
        hits = np.flatnonzero(levels >= np.where(same, 0.0, 1.0) - _LEVEL_ROUNDING)
        if len(hits) > NEAREST:
            hits = hits[np.argpartition(levels[hits], -NEAREST)[-NEAREST:]]
        for column in hits.tolist():
            other = others[column]
            is_later = self._is_later(other, self._candidates[line])
            level = float(levels[column])
            yield _Pair(other, row.score(0, column), level, is_known, bool(same[column]), is_later)

    def _is_later(self, other: Memory, candidate: Memory) -> bool:
        there, here = self._places.get(other.id), self._places.get(candidate.id)
        return there is not None and here is not None and there > here


def _codes(memories: Sequence[Memory], codes: Mapping[str, int]) -> Codes:
    found = map(codes.get, map(attrgetter("type"), memories), repeat(-1))
    return np.fromiter(found, dtype=np.intp, count=len(memories))


def _decided(candidate: Memory, pairs: Sequence[_Pair], read: Read) -> Decision:
    """The decision over the pairs. What surely is said again wins over all else."""
    said, spelled = read(candidate.text), word_list(candidate.text)
    for pair in pairs:
        is_same = word_list(pair.other.text) == spelled
        if is_same or (not pair.is_same_type and said.mismatch(read(pair.other.text)) is None):
            return Decision(candidate, Outcome.DUPLICATE, pair.other.id, score=pair.score)
    near = [pair for pair in pairs if pair.is_same_type]
    if not near:
        return Decision(candidate, Outcome.NEW)
    best = near[0]
    decision = Decision(candidate, Outcome.NEW, best.other.id, score=best.score)
    there = read(best.other.text)
    may_change = not best.is_later and (best.is_known or best.is_alike)
    if said.says_change and may_change and said.is_led_like(there):
        return replace(decision, outcome=Outcome.SUPERSEDES)
    if candidate.tier is Tier.SESSION:
        return _merged(decision, near, read)
    mismatch = said.mismatch(there)
    if best.is_known and not best.is_later:
        return _asked(decision, best, mismatch, is_change=said.says_change)
    if best.is_alike and mismatch is None:
        return replace(decision, outcome=Outcome.DUPLICATE)
    return replace(decision, other="")


def _asked(
    decision: Decision, best: _Pair, mismatch: Mismatch | None, *, is_change: bool
) -> Decision:
    """The question for a pair. Only for what says the same is silence taken as "the same"."""
    question, unanswered = Question.CHANGED, Outcome.NEW
    if best.is_alike and not is_change and mismatch not in (Mismatch.NUMBER, Mismatch.NEGATION):
        question = Question.SAME
        unanswered = Outcome.NEW if mismatch else Outcome.DUPLICATE
    return replace(decision, outcome=Outcome.UNCERTAIN, question=question, unanswered=unanswered)


def _merged(decision: Decision, near: Sequence[_Pair], read: Read) -> Decision:
    """The session's own second look (§8.3): alike enough is the same, and nobody is asked."""
    text = decision.candidate.text
    for pair in near:
        other = pair.other.text
        likeness = pair.score if pair.score.is_cosine else Score(overlap(text, other), False)
        if likeness.exceeds(SESSION_MERGE) and read(text).mismatch(read(other)) is None:
            return replace(
                decision, outcome=Outcome.DUPLICATE, other=pair.other.id, score=pair.score
            )
    return replace(decision, other="")


def _within_cap(decided: Sequence[Decision], thresholds: Thresholds) -> tuple[Decision, ...]:
    """The same with no more than so many questions: first those whose silence loses something,
    then by likeness.
    """
    uncertain = [i for i, d in enumerate(decided) if d.outcome is Outcome.UNCERTAIN]
    uncertain.sort(
        key=lambda i: (
            decided[i].question is not Question.SAME,
            -thresholds.level(decided[i].score),
        )
    )
    beyond = set(uncertain[thresholds.questions :])
    return tuple(resolved(d, None) if i in beyond else d for i, d in enumerate(decided))
