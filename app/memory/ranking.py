"""Which memories matter most: for keeping at all, and for the prompt of this moment.

Source: spec/smart-memory.md §11, §8.3, §8.4. The numbers do not depend on how many memories there
are or how long they are, so that the same story gives the same order on every machine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from app.memory.records import Entity, Expiration, Grounding, Memory, Tier
from app.memory.similarity import NO_VECTORS, Vectors, normalised, scores, word_list, words
from app.recall.words import ANY_WORDS, Words

LASTING: Mapping[Expiration, int] = MappingProxyType(
    {Expiration.PERMANENT: 3, Expiration.SESSION: 2, Expiration.SCENE: 1}
)
PERSONA = {"relationship": 3, "development": 2}  # others 1
INTIMACY = {"preference": 3, "development": 2}
MOST_RECALLS = 20
SHAPES_THE_STORY = 3  # importance
KEYWORDS_WEIGH = 20.0
SECONDS_WEIGH = 1e-10  # decides between equals only

ENTITIES_WEIGH, ARCS_WEIGH, TIME_WEIGH, TURN_WEIGH = 100.0, 60.0, 30.0, 100.0
TURN_SHARE = MappingProxyType({"a": 0.2, "b": 0.6})  # by hardware profile (§5)
TRIGGER_WEIGHS, CONTENT_WEIGHS, MOST_HITS = 80.0, 40.0, 3
LEAST_LETTERS = 4  # of a word that may call a memory up
CONTRADICTED = 50.0

# Of these types a prompt must not miss the best, in this order.
PROTECTED: Mapping[Tier, tuple[str, ...]] = MappingProxyType(
    {Tier.LONG_TERM: ("relationship", "fact", "preference"), Tier.SESSION: ("development", "scene")}
)
NEWCOMER_BONUS = {"relationship": 30, "fact": 20, "preference": 10}


@dataclass(frozen=True, slots=True)
class _Named:
    """Words of some messages, and those of them that are not written small, as names are not."""

    words: frozenset[str]
    capital: frozenset[str]


@dataclass(frozen=True, slots=True)
class Moment:
    """What the story is at when a prompt is made.

    recent: the last messages, oldest first. turn_share: how much likeness to the last one counts,
    by profile. arcs: open ones. entities: for their other names. words: of the story.
    """

    recent: tuple[str, ...]
    turn_share: float = TURN_SHARE["a"]
    arcs: tuple[str, ...] = ()
    entities: tuple[Entity, ...] = ()
    vectors: Vectors = NO_VECTORS
    words: Words = ANY_WORDS

    @property
    def last(self) -> str:
        return self.recent[-1] if self.recent else ""


def keywords(text: str, common: Collection[str] = ()) -> frozenset[str]:
    """The words of three letters or more that are not common in the language; in scripts without
    spaces every sign.
    """
    return frozenset(
        word
        for word in words(text)
        if word not in common and (len(word) >= 3 or (not word.isascii() and _is_whole(word)))
    )


def utilities(memories: Sequence[Memory], common: Collection[str] = ()) -> dict[str, float]:
    """How much each active memory is worth keeping, by id. common: words that say nothing."""
    found = [keywords(memory.text, common) for memory in memories]
    holders = Counter(word for one in found for word in one)
    others = max(1, len(memories) - 1)
    return {
        memory.id: _own_utility(memory)
        + KEYWORDS_WEIGH * sum(holders[word] - 1 for word in one) / (others * max(1, len(one)))
        for memory, one in zip(memories, found, strict=True)
    }


def ranked(memories: Iterable[Memory], worth: Mapping[str, float]) -> tuple[Memory, ...]:
    """The memories by worth; among equals the newest first."""
    return tuple(sorted(memories, key=lambda m: (-worth[m.id], -m.created, m.id)))


def hybrid(
    memories: Sequence[Memory], moment: Moment, common: Collection[str] = ()
) -> dict[str, float]:
    """How much each memory is worth in the prompt of this moment, by id."""
    worth = utilities(memories, common)
    texts = [memory.text for memory in memories]
    turn = _likeness(texts, [moment.last] if moment.last else [], moment.vectors)
    arcs = _likeness(texts, moment.arcs, moment.vectors)
    named = _named(moment.recent[-2:])
    said = frozenset(term for text in moment.recent for term in moment.words.of(text))
    aliases = {
        normalised(name): (entity.name, *entity.aliases)
        for entity in moment.entities
        for name in (entity.name, *entity.aliases)
    }
    for place, memory in enumerate(memories):
        worth[memory.id] += (
            ENTITIES_WEIGH * _share_named(memory, named, aliases)
            + ARCS_WEIGH * arcs[place]
            + TIME_WEIGH * _timeliness(memory)
            + TURN_WEIGH * moment.turn_share * turn[place]
            + _trigger_bonus(memory, said, moment.words, common)
            - (CONTRADICTED if memory.contradicts else 0.0)
        )
    return worth


def kept_per_type(most: int) -> int:
    """Long-term memories of one type that no other type can displace when so many are kept."""
    return math.ceil(most / 4)


def newcomers(candidates: Sequence[Memory], per_type: int) -> tuple[Memory, ...]:
    """The long-term candidates that a pass may add, in their order: all that shape the story,
    and so many of each type (§8.4).
    """
    best_first = sorted(
        candidates,
        key=lambda m: (-(m.importance * 100 + NEWCOMER_BONUS.get(m.type, 0)), -m.created),
    )
    taken = {memory.id for memory in _at_most(best_first, per_type)}
    taken |= {memory.id for memory in candidates if memory.importance >= SHAPES_THE_STORY}
    return tuple(memory for memory in candidates if memory.id in taken)


def within_caps(
    memories: Sequence[Memory], tier: Tier, most: int, common: Collection[str] = ()
) -> tuple[Memory, ...]:
    """The active memories of session or long term that are kept, in their order; the least worth
    are not. What the user wrote or pinned is always among them. A long-term type has more than its
    share only of what the others leave: a model that files all under one type would else lose most
    of what it noted.
    """
    best_first = ranked(memories, utilities(memories, common))
    best_first = tuple(sorted(best_first, key=lambda memory: not is_yours(memory)))
    if tier is Tier.LONG_TERM:
        within = {memory.id for memory in _at_most(best_first, kept_per_type(most))}
        best_first = tuple(sorted(best_first, key=lambda memory: memory.id not in within))
    kept = {memory.id for memory in best_first[:most]}
    return tuple(m for m in memories if m.id in kept or is_yours(m))


def is_yours(memory: Memory) -> bool:
    """Whether the user wrote or pinned it."""
    return memory.is_pinned or memory.grounding is Grounding.YOURS


def _own_utility(memory: Memory) -> float:
    return (
        memory.importance * 100
        + LASTING[memory.expiration] * 35
        + memory.confidence * 25
        + PERSONA.get(memory.type, 1) * 25
        + INTIMACY.get(memory.type, 1) * 20
        + min(MOST_RECALLS, memory.recalls * 2)
        + memory.last_confirmed * SECONDS_WEIGH
    )


def _likeness(texts: Sequence[str], to: Sequence[str], vectors: Vectors) -> list[float]:
    """The nearest of `to` for each text, all by vectors or all by words."""
    if not to:
        return [0.0] * len(texts)
    is_measured = all(text in vectors for text in (*texts, *to))
    table = scores(to, texts, vectors if is_measured else NO_VECTORS)
    return [max(0.0, value) for value in table.values.max(axis=0).tolist()]


def _named(texts: Iterable[str]) -> _Named:
    found: set[str] = set()
    capital: set[str] = set()
    for token in (token for text in texts for token in text.split()):
        spelled = {word.removesuffix("'s").removesuffix("'") for word in word_list(token)}
        found |= spelled
        if not any(letter.islower() for letter in token.lstrip("\"'“‘«(*_")[:1]):
            capital |= spelled
    return _Named(frozenset(found), frozenset(capital))


def _share_named(memory: Memory, named: _Named, aliases: Mapping[str, tuple[str, ...]]) -> float:
    if not memory.entities:
        return 0.0
    hits = 0
    for entity in memory.entities:
        names = aliases.get(normalised(entity), (entity,))
        hits += any(
            (spelled := words(name)) <= named.words and not spelled.isdisjoint(named.capital)
            for name in names
        )
    return hits / len(memory.entities)


def _timeliness(memory: Memory) -> float:
    """Higher for what soon is over: a session's own, then by how long it matters."""
    scope = 1.0 if memory.tier is Tier.SESSION else 0.0
    passing = {Expiration.SCENE: 2.0, Expiration.SESSION: 1.0}.get(memory.expiration, 0.0)
    return (scope + passing) / 4


def _trigger_bonus(
    memory: Memory, said: frozenset[str], words: Words, common: Collection[str]
) -> float:
    """For each word that calls it up, three at most; its own words count half of triggers."""
    keywords = (frozenset(words.of(trigger)) for trigger in memory.triggers)
    triggers = sum(bool(found) and found <= said for found in keywords)
    if triggers:
        return TRIGGER_WEIGHS * min(MOST_HITS, triggers)
    own = {
        term
        for term in words.of(memory.text)
        if term not in common and (len(term) >= LEAST_LETTERS or not term.isascii())
    }
    return CONTENT_WEIGHS * min(MOST_HITS, len(own & said))


def _at_most(best_first: Sequence[Memory], per_type: int) -> tuple[Memory, ...]:
    counts: Counter[str] = Counter()
    kept = []
    for memory in best_first:
        counts[memory.type] += 1
        if counts[memory.type] <= per_type:
            kept.append(memory)
    return tuple(kept)


def _is_whole(word: str) -> bool:
    """A sign of a script that writes without spaces is a word by itself."""
    return "\u3040" <= word[0] <= "\u9fff"
