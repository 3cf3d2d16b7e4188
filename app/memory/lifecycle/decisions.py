"""What is decided of a proposed memory, what a model is asked about it, and what comes of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum

from app.memory.records import Ending, EndReason, Memory, Review
from app.memory.similarity import Score

_FIRST_WORD = re.compile(r"[^\W\d_]+")


class Outcome(StrEnum):
    """What a proposed memory is (spec/smart-memory.md §10)."""

    NEW = "new"
    SUPERSEDES = "supersedes"
    UNCERTAIN = "uncertain"
    DUPLICATE = "duplicate"


class Word(StrEnum):
    """What a model may answer about a pair."""

    UPDATE = "UPDATE"
    DUPLICATE = "DUPLICATE"
    INDEPENDENT = "INDEPENDENT"


class Question(Enum):
    """What a model is asked about a pair: one word out of these.

    SAME: it looks like the same thing said again. CHANGED: it is about the same, but does not say
    the same.
    """

    SAME = (Word.UPDATE, Word.DUPLICATE, Word.INDEPENDENT)
    CHANGED = (Word.UPDATE, Word.INDEPENDENT)


_OUTCOMES: Mapping[Word, Outcome] = {
    Word.UPDATE: Outcome.SUPERSEDES,
    Word.DUPLICATE: Outcome.DUPLICATE,
    Word.INDEPENDENT: Outcome.NEW,
}


@dataclass(frozen=True, slots=True)
class Decision:
    """What is known of one candidate.

    other: id of the entry that it supersedes, repeats, or is asked about. also: more that it
    supersedes. unanswered: what an uncertain one becomes when no model answers. ended_by: id of an
    entry of a later message that has taken its place already.
    """

    candidate: Memory
    outcome: Outcome
    other: str = ""
    question: Question | None = None
    score: Score = Score(0.0, is_cosine=False)  # noqa: RUF009  frozen
    unanswered: Outcome = Outcome.NEW
    also: tuple[str, ...] = ()
    ended_by: str = ""


@dataclass(frozen=True, slots=True)
class Verified:
    """What verification comes to.

    accepted: candidates to keep, with what they supersede. ended: known memories in their new
    state. confirmed: ids of known memories that were said again. heard_by: by id of these, who was
    there when they were.
    """

    accepted: tuple[Memory, ...] = ()
    ended: tuple[Memory, ...] = ()
    confirmed: frozenset[str] = frozenset()
    heard_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_word(text: str) -> Word | None:
    """The word that an answer to the closed question begins with; None for anything else."""
    found = _FIRST_WORD.search(text)
    said = found[0].upper() if found else ""
    return next((word for word in Word if word == said), None)


def resolved(decision: Decision, answer: Word | None) -> Decision:
    """An uncertain decision with the model's answer; None, or a word that was not on offer, is no
    answer. Others come back as they are.
    """
    if decision.question is None:
        return decision
    on_offer = answer is not None and answer in decision.question.value
    outcome = _OUTCOMES[answer] if answer is not None and on_offer else decision.unanswered
    other = "" if outcome is Outcome.NEW else decision.other
    return replace(decision, outcome=outcome, other=other, question=None)


def verified(decisions: Iterable[Decision], known: Iterable[Memory]) -> Verified:
    """What the decisions come to, an uncertain one counting as unanswered.

    A candidate that was dropped for another hands on what is said of it. Nothing supersedes
    itself, and as decisions name only known entries and earlier candidates, there are no circles.
    """
    states = {memory.id: memory for memory in known}
    accepted: dict[str, Memory] = {}
    ended: dict[str, None] = {}
    heard_by: dict[str, tuple[str, ...]] = {}
    dropped: dict[str, str] = {}
    for decision in (resolved(one, None) for one in decisions):
        candidate = decision.candidate
        named = (decision.other, *decision.also)
        targets = [dropped.get(id_, id_) for id_ in named if id_]
        if decision.outcome is Outcome.DUPLICATE:
            if candidate.review is not Review.WAITING:
                for target in states.keys() & targets:
                    heard_by[target] = (*heard_by.get(target, ()), *candidate.witnessed_by)
            if targets and targets[0] != candidate.id:
                dropped[candidate.id] = targets[0]
            continue
        old = [t for t in dict.fromkeys(targets) if t != candidate.id and t in states | accepted]
        for target in old:
            if target in states:
                states[target] = _ended(states[target], candidate.id)
                ended[target] = None
            else:
                accepted[target] = _ended(accepted[target], candidate.id)
        kept = replace(candidate, supersedes=(*candidate.supersedes, *old))
        accepted[candidate.id] = _ended(kept, decision.ended_by) if decision.ended_by else kept
    return Verified(
        tuple(accepted.values()),
        tuple(states[target] for target in ended),
        frozenset(heard_by.keys() - ended.keys()),
        heard_by,
    )


def _ended(memory: Memory, by: str) -> Memory:
    return replace(memory, endings=(*memory.endings, Ending(EndReason.SUPERSEDED, by)))
