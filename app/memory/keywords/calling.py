"""Which memories the last messages call up: by their keywords, and by what they tell. Pure.

A memory is called up when enough of what it says was spoken of, each word counting by how rarely
it is said in the story: names that stand in every message call up nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.memory.records import Entity, Memory
from app.recall.messages import Asked
from app.recall.postings import Postings
from app.recall.words import Words

# What counts of a text by its place, the newest first.
WEIGHTS = (1.0, 0.6, 0.4, 0.3)
WHERE_WEIGHS = 0.3  # the same of the place where it plays, which nobody need name again
# Share of what a memory says, by weight, that has to be spoken of; of a question, that it answers.
SPOKEN_OF, ASKED_FOR = 0.15, 0.5
# The same of one clause of it: who tells much at once speaks of less of it.
SPOKEN_OF_CLAUSE = 0.25
LEAST_SHARED = 2  # words; one alone is said in passing
SAYS_MUCH = 6  # words of a text behind which an older one counts as older
LEAST_IN_CLAUSE = 4  # words; fewer are shared by chance
BETWEEN_CLAUSES = re.compile(r"[;:!?。；：！？]|[.,](?=\s)|[、，]|\s[—–-]\s|—")

Rarity = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Called:
    """How much a memory is called up. score: by its words (BM25). told: share of what it says that
    was spoken of. clause: the same of that clause of it of which most was. asked: share of what
    the last message says that it tells. keywords: how many of its own were said.
    """

    score: float = 0.0
    told: float = 0.0
    clause: float = 0.0
    asked: float = 0.0
    keywords: int = 0

    def __bool__(self) -> bool:
        return (
            bool(self.keywords)
            or self.told >= SPOKEN_OF
            or self.clause >= SPOKEN_OF_CLAUSE
            or self.asked >= ASKED_FOR
        )


def asked_by(
    words: Words, recent: Sequence[str], entities: Iterable[Entity] = (), where: str = ""
) -> Asked:
    """What the last messages speak of. recent: oldest first. entities: for their other names.
    where: the place where it plays.
    """
    texts = [*_weighed(words, recent), (where, WHERE_WEIGHS)]
    return naming(words, Asked.of(words, texts), entities)


def _weighed(words: Words, recent: Sequence[str]) -> Iterator[tuple[str, float]]:
    """The texts, the newest first, with what each weighs: a word or two hardly put behind what
    they answer.
    """
    place = 0.0
    for text in reversed(recent):
        yield text, float(np.interp(place, range(len(WEIGHTS)), WEIGHTS))
        place += min(1.0, len(words.asked(text)) / SAYS_MUCH)


def naming(words: Words, asked: Asked, entities: Iterable[Entity]) -> Asked:
    """With the other names of those who are named."""
    people = (
        frozenset(term for name in (entity.name, *entity.aliases) for term in words.of(name))
        for entity in entities
        if entity.aliases
    )
    return asked.naming(people)


def called(
    memories: Sequence[Memory],
    words: Words,
    recent: Sequence[str],
    *,
    entities: Iterable[Entity] = (),
    rarity: Rarity | None = None,
    where: str = "",
) -> dict[str, Called]:
    """How much each memory is called up, by id. rarity: of words in the story, None for no more
    than how many of the memories hold one. where: the place where it plays.
    """
    asked = asked_by(words, recent, entities, where)
    if not asked:
        return {memory.id: Called() for memory in memories}
    terms = [words.of(said_by(memory)) for memory in memories]
    postings = Postings.of(terms)
    weigh = _weigher(postings, rarity)
    last = {term: weigh(term) for term in set(words.asked(recent[-1])) if postings.rarity(term)}
    scores = postings.scores(_tempered(asked.terms, postings, weigh)).tolist()
    found: dict[str, Called] = {}
    for memory, own, score in zip(memories, terms, scores, strict=True):
        keywords = sum(
            bool(said := words.of(trigger)) and asked.terms.keys() >= set(said)
            for trigger in memory.triggers
        )
        found[memory.id] = Called(
            score,
            _told(set(own), asked.terms, weigh),
            max(_told(clause, asked.terms, weigh) for clause in _clauses(memory, words)),
            _asked(set(own), last),
            keywords,
        )
    return found


def said_by(memory: Memory) -> str:
    """All by which it may be found."""
    return " ".join((memory.text, memory.subject, memory.target, *memory.entities))


def _clauses(memory: Memory, words: Words) -> list[set[str]]:
    """The terms of each of its clauses that could be spoken of as one."""
    found = (set(words.of(clause)) for clause in BETWEEN_CLAUSES.split(memory.text))
    return [clause for clause in found if len(clause) >= LEAST_IN_CLAUSE] or [set()]


def _weigher(postings: Postings, rarity: Rarity | None) -> Rarity:
    """A word says as little as it does where it is more common, in the memories or the story."""

    def weigh(term: str) -> float:
        held = postings.rarity(term)
        said = rarity(term) if rarity is not None else 0.0
        return min(held, said) if said else held

    return weigh


def _tempered(asked: Mapping[str, float], postings: Postings, weigh: Rarity) -> Mapping[str, float]:
    """What is asked for, so that each word weighs what it does in the story."""
    return {
        term: weight * weigh(term) / held
        for term, weight in asked.items()
        if (held := postings.rarity(term))
    }


def _told(own: set[str], asked: Mapping[str, float], weigh: Rarity) -> float:
    whole, shared = sum(map(weigh, own)), own & asked.keys()
    if len(shared) < LEAST_SHARED or not whole:
        return 0.0
    return sum(asked[term] * weigh(term) for term in shared) / whole


def _asked(own: set[str], last: Mapping[str, float]) -> float:
    whole = sum(last.values())
    shared = own & last.keys()
    if len(shared) < LEAST_SHARED or not whole:
        return 0.0
    return sum(last[term] for term in shared) / whole
