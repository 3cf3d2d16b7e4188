"""What a line is worth for the next reply, before it is asked what it adds. Pure.

What holds now comes before what was overtaken; what weighs more before what weighs less; what was
noted lately before what was noted long ago. A line whose messages stand in the prompt themselves
adds little. Factors, 1 for what is usual.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.memory.epistemic.propositions import content_words
from app.memory.lifecycle.state_change import Wording
from app.memory.records import Memory, Tier
from app.memory.standing import BEFORE, Standing, Status

WEIGHTS = {1: 0.6, 2: 1.0, 3: 1.6}  # by importance
VISIBLE = 0.12
OUTDATED = 0.3
LEAST_DENIED = 3  # words by which a memory says what is no longer so
SAME_VALUE = 0.6  # share of a value's words that a line has to have to tell the value


@dataclass(frozen=True, slots=True)
class Ageing:
    """How much a line loses by its age. rest: what it keeps however old. half: messages after
    which it has lost half of the rest.
    """

    rest: float
    half: float

    def of(self, age: int) -> float:
        """age: messages since it was so."""
        return self.rest + (1 - self.rest) / (1 + max(0, age) / self.half)


LASTING = Ageing(0.7, 80)  # long-term memories
PASSING = Ageing(0.2, 25)  # details of a session
HAPPENED = Ageing(0.7, 15)  # items of a recap, by the items behind them
STANDING = Ageing(0.6, 40)  # values and feelings: so until they change


@dataclass(frozen=True, slots=True)
class Overtaken:
    """A value that a thing no longer has. end: message at which it changed."""

    subject: frozenset[str]
    value: frozenset[str]
    end: int


def overtaken(standings: Sequence[Standing], stopwords: frozenset[str]) -> tuple[Overtaken, ...]:
    """The values of the ledger that others have taken the place of."""
    found = (
        Overtaken(
            content_words(s.memory.subject, stopwords),
            content_words(s.memory.text, stopwords),
            s.end,
        )
        for s in standings
        if s.memory.tier is Tier.STATE_LEDGER and s.status is Status.ENDED and s.end is not None
    )
    return tuple(one for one in found if one.subject and one.value)


def is_overtaken(standing: Standing, gone: Sequence[Overtaken], stopwords: frozenset[str]) -> bool:
    """Whether a memory tells a value that changed after it was noted."""
    words = content_words(standing.memory.text, stopwords)
    return any(
        standing.start < one.end
        and not one.subject.isdisjoint(words)
        and len(one.value & words) >= SAME_VALUE * len(one.value)
        for one in gone
    )


@dataclass(frozen=True, slots=True)
class Denied:
    """What a memory says is no longer so. start: message from which on it says so."""

    words: frozenset[str]
    start: int


def denied(
    standings: Sequence[Standing], wording: Wording, stopwords: frozenset[str]
) -> tuple[Denied, ...]:
    """What the memories that hold say is no longer so, in words enough to tell what."""
    found = (
        Denied(content_words(clause, stopwords), s.start)
        for s in standings
        if s.is_active and s.memory.tier in (Tier.LONG_TERM, Tier.SESSION)
        for clause in wording.ended_in(s.memory.text)
    )
    return tuple(one for one in found if len(one.words) >= LEAST_DENIED)


def is_denied(standing: Standing, told: Sequence[Denied], stopwords: frozenset[str]) -> bool:
    """Whether a later memory says that just this is no longer so."""
    later = [one for one in told if one.start > standing.start]
    if not later:
        return False
    words = content_words(standing.memory.text, stopwords)
    return any(one.words <= words for one in later)


def worth(memory: Memory, start: int, now: int, ageing: Ageing) -> float:
    """What a memory is worth by itself. start: message from which on it holds; now: the one that
    its age is counted from.
    """
    age = now - start if start != BEFORE else now
    return WEIGHTS.get(memory.importance, 1.0) * (0.5 + memory.confidence / 2) * ageing.of(age)
