"""What a sentence says that likeness does not show: that something changed, is not so, how many."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from app.memory.similarity import normalised
from app.story.scene_cues.language import LanguagePack, common_words, tokens_of

CHANGES = frozenset({"ended", "now", "once", "became", "body", "sides", "fate"})
NEGATION = "not"
ENDED = "ended"
HEDGE = "maybe"
JOINS = "joins"

_CLAUSE = re.compile(r"[^\w\s'-]+")
_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}\b)")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
# A name may have inner signs (Jean-Luc, D'Arcy); what belongs to it ('s) is no part of it.
_NAME_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_OWNED = re.compile(r"'s?$|s'$")


class Mismatch(Enum):
    """Why two texts that look alike do not say the same."""

    NUMBER = auto()  # the new one has a number that the old one lacks
    NEGATION = auto()  # one says that it is not so
    NAME = auto()  # each speaks of somebody whom the other does not name
    ROLES = auto()  # the same names in another order: who told whom


@dataclass(frozen=True, slots=True)
class Statement:
    """What was read in a text.

    cues: kinds of phrases in it. numbers: as digits, whether written so or in words. names: words
    that look like names, casefolded, in their order.
    """

    cues: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()

    @property
    def says_change(self) -> bool:
        """Whether a marker says that something is otherwise than before (§10, state changes)."""
        return not self.cues.isdisjoint(CHANGES)

    @property
    def is_negated(self) -> bool:
        """Whether something is said not to be so."""
        return not self.cues.isdisjoint({NEGATION, ENDED})

    @property
    def is_hedged(self) -> bool:
        """Whether it is a mere guess (§8.4)."""
        return HEDGE in self.cues

    def is_led_like(self, old: Statement) -> bool:
        """Whether both may be about the same one: the name that comes first is the same, or one of
        them names nobody. Without it, what became of one would end what is known of another.
        """
        return not (self.names and old.names) or self.names[0] == old.names[0]

    def mismatch(self, old: Statement) -> Mismatch | None:
        """What keeps it from saying the same as an old one that looks alike; None for nothing."""
        if self.numbers - old.numbers:
            return Mismatch.NUMBER
        if self.is_negated != old.is_negated:
            return Mismatch.NEGATION
        ours, theirs = set(self.names), set(old.names)
        if ours - theirs and theirs - ours:
            return Mismatch.NAME
        both = ours & theirs
        if _in(self.names, both) != _in(old.names, both):
            return Mismatch.ROLES
        return None


class Negated(NamedTuple):
    """What one negation denies. words: behind it, up to where something else is said too. before:
    the words of its clause before it, meant where none behind it say anything.
    """

    words: tuple[str, ...]
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wording:
    """Reads statements with the language packs. A text of a few words may be of several languages;
    then all of them are asked.

    names: words of names that the story is known to have, see `knowing`.
    """

    packs: Sequence[LanguagePack] = ()
    names: frozenset[str] = frozenset()

    @classmethod
    def of_story(cls, packs: Sequence[LanguagePack], text: str) -> Wording:
        """With the packs of the languages that a longer stretch of the story is written in."""
        counts = common_words(tokens_of(text), packs)
        enough = max(counts, default=0) / 2
        return cls(tuple(p for p, n in zip(packs, counts, strict=True) if n >= enough))

    def read(self, text: str) -> Statement:
        """What the text says; no phrase reaches over a sign between clauses."""
        plain = normalised(text)
        tokens = tokens_of(plain)
        packs = self._packs_for(tokens)
        clauses = [tokens_of(clause) for clause in _CLAUSE.split(plain)]
        cues = {
            hit.cue for pack in packs for clause in clauses for hit in pack.statements.find(clause)
        }
        written = _NUMBER.findall(_THOUSANDS.sub("", plain))
        spelled = (str(number) for pack in packs for number in _spelled(tokens, pack))
        numbers = {number.lstrip("0") or "0" for number in (*written, *spelled)}
        return Statement(frozenset(cues), frozenset(numbers), self._names(text, packs))

    def ended_in(self, text: str) -> tuple[str, ...]:
        """What a text says is no longer so: the words of each clause that says it, without the
        last of those by which it is said.
        """
        return _ended_in(text, tuple(self.packs))

    def negated_in(self, text: str) -> tuple[Negated, ...]:
        """What a text says is not so, or no longer."""
        return _negated_in(text, tuple(self._packs_for(tokens_of(normalised(text)))))

    def is_elsewhere(self, one: str, other: str) -> bool:
        """Whether two texts put one thing at different places, and neither of them says the place
        of the other more closely.
        """
        words = frozenset[str]().union(*(pack.place_words for pack in self.packs))
        if not takes_place(one, other, words):
            return False
        left, right = (frozenset(tokens_of(normalised(text))) for text in (one, other))
        return not (left <= right or right <= left)

    def knowing(self, names: Iterable[str]) -> Wording:
        """The same, knowing names of the story: then a word at the start of a sentence, which has
        a capital anyway, is a name only if it is one of them.
        """
        plain = [normalised(name) for name in names]
        found = {word for name in plain for word in (*name.split(), *tokens_of(name))}
        return replace(self, names=self.names | found)

    def _names(self, text: str, packs: Sequence[LanguagePack]) -> tuple[str, ...]:
        """None in a language that writes all nouns like names."""
        if packs and all(pack.capital_nouns for pack in packs):
            return ()
        straight = text.replace("\u2019", "'").replace("\u02bc", "'")
        found = []
        for match in _NAME_WORD.finditer(straight):
            if not match[0][0].isupper():
                continue
            word = _OWNED.sub("", match[0]).casefold()
            if self.names and word not in self.names and _is_first(straight, match.start()):
                continue
            if not any(word in pack.stopwords for pack in self.packs):
                found.append(word)
        return tuple(found)

    def _packs_for(self, tokens: Sequence[str]) -> tuple[LanguagePack, ...]:
        counts = common_words(tokens, self.packs)
        enough = max(counts, default=0) - 1
        return tuple(p for p, count in zip(self.packs, counts, strict=True) if count >= enough)


def takes_place(old: str, new: str, place_words: frozenset[str]) -> bool:
    """Whether two texts say of one thing that it is at different places: the same words up to one
    that stands before places, and others behind.
    """
    found = _thing(old, place_words)
    if not found or found != _thing(new, place_words):
        return False
    return tokens_of(normalised(old)) != tokens_of(normalised(new))


@lru_cache(maxsize=4096)  # each text is held against many
def _thing(text: str, place_words: frozenset[str]) -> tuple[str, ...]:
    """The words before the first one that stands before places; () for too few to tell."""
    tokens = tokens_of(normalised(text))
    at = next((n for n, word in enumerate(tokens) if word in place_words), 0)
    return tuple(tokens[:at]) if at >= 2 else ()


@lru_cache(maxsize=8_192)  # a memory says the same at each turn
def _ended_in(text: str, packs: tuple[LanguagePack, ...]) -> tuple[str, ...]:
    found: list[str] = []
    for clause in map(tokens_of, _CLAUSE.split(normalised(text))):
        hits = [hit for pack in packs for hit in pack.statements.find(clause)]
        said = {hit.end - 1 for hit in hits if hit.cue == ENDED}
        if said:
            found.append(" ".join(word for at, word in enumerate(clause) if at not in said))
    return tuple(found)


@lru_cache(maxsize=8_192)
def _negated_in(text: str, packs: tuple[LanguagePack, ...]) -> tuple[Negated, ...]:
    found: list[Negated] = []
    for clause in map(tokens_of, _CLAUSE.split(normalised(text))):
        hits = [hit for pack in packs for hit in pack.statements.find(clause)]
        ends = [hit for hit in hits if hit.cue == ENDED]
        # "Over" stands before or behind what is over.
        found += [Negated(tuple(clause)) for _ in ends]
        joins = [hit.start for hit in hits if hit.cue == JOINS]
        for hit in hits:
            if hit.cue == NEGATION and not any(e.start <= hit.start < e.end for e in ends):
                end = min((at for at in joins if at >= hit.end), default=len(clause))
                found.append(Negated(tuple(clause[hit.end : end]), tuple(clause[: hit.start])))
    return tuple(found)


def _spelled(tokens: Sequence[str], pack: LanguagePack) -> list[int]:
    """Numbers in words; "twenty three" is one."""
    found: list[int] = []
    previous = None
    for token in tokens:
        value = pack.values.get(token)
        if value is not None:
            if previous is not None and 20 <= previous < 100 and value < 10:
                found[-1] += value
            else:
                found.append(value)
        previous = value
    return found


def _is_first(text: str, start: int) -> bool:
    before = text[max(0, start - 8) : start].rstrip(" \t\"'“”‘«»(*_")
    return not before or before[-1] in ".!?:…\n"


def _in(names: Sequence[str], wanted: set[str]) -> list[str]:
    return list(dict.fromkeys(name for name in names if name in wanted))
