"""Whether two entries on who knows what speak of the same person, and of the same proposition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from app.memory.lifecycle.identity import EPISTEMIC_SAME
from app.memory.lifecycle.state_change import Mismatch, Wording
from app.memory.lifecycle.verification import NO_WORDING
from app.memory.names import COLLECTIVES, folded
from app.memory.records import Memory
from app.memory.similarity import NO_VECTORS, Limit, Vectors, normalised
from app.story.scene_cues.language import tokens_of

CONTRARY = Limit(0.80, 0.50)  # alike enough for "not" to make one the opposite of the other
ALIKE = 0.40  # Jaccard of content words, for what is shown as one proposition
ALIKE_PART = 0.60  # of the content words of the shorter of both
# Of content words, for one to say in other words what somebody learned: share of the shorter, and
# of all. What is ended wrongly is worse than what stays too long.
LEARNED: tuple[tuple[float, float], ...] = ((0.75, 0.30), (0.60, 0.40))
LEARNED_FROM_KEEPER = ((0.50, 0.25),)  # where the very one who kept it told it
LEARNED_OF_NOBODY = ((0.75, 0.60),)  # where nobody is named, and the keeper may be meant
LEAST_LEARNED = 2.0  # words; a sign of a script without spaces is half of one
STEM = 5  # letters that words of one family share, in most languages with endings


@dataclass(frozen=True, slots=True)
class People:
    """Who is meant by a name: the same name, an alias, or a part that only one person has.

    keys: folded names and aliases -> one key per person. names: key -> name as it is written.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, names: Iterable[str], aliases: Mapping[str, str] | None = None) -> People:
        """The people of a story. aliases: another name -> the name."""
        known = {folded(name): name for name in reversed(list(names)) if name.strip()}
        full = {key: frozenset(tokens_of(key)) for key in known}
        keys: dict[str, str] = {}
        for key, words in full.items():
            wider = [o for o, theirs in full.items() if words and words < theirs and _is_name(o)]
            widest = [o for o in wider if not any(full[o] < full[p] for p in wider)]
            keys[key] = widest[0] if len(widest) == 1 else key
        for alias, name in (aliases or {}).items():
            keys[folded(alias)] = keys.get(folded(name), folded(name))
        return cls(keys, known)

    def key(self, name: str) -> str:
        """The person's key; a name that nobody has is a person of its own."""
        plain = folded(name)
        if plain in self.keys:
            return self.keys[plain]
        words = frozenset(tokens_of(plain))
        fitting = {
            self.keys[known]
            for known in self.keys
            if words and words <= frozenset(tokens_of(known))
        }
        return fitting.pop() if len(fitting) == 1 else plain

    def name(self, key: str) -> str:
        """The name as it is written."""
        return self.names.get(key, key)

    def is_known(self, name: str) -> bool:
        """Whether it is one of the people, and not a group or nobody in particular."""
        return self.key(name) in self.keys

    def words(self, key: str) -> frozenset[str]:
        """Every word by which the person may be named."""
        named = (known for known, of in self.keys.items() if of == key)
        return frozenset(word for known in (*named, key) for word in tokens_of(known))

    def own_words(self, key: str, common: frozenset[str] = frozenset()) -> frozenset[str]:
        """Words by which a person and nobody else may be named: not a name of the whole family, and
        not "the" of "The Admiral", which is one of the common ones. All where none is left.
        """
        words = self.words(key)
        theirs = {w for k, of in self.keys.items() if of != key for w in tokens_of(k)}
        return (words - theirs - common) or (words - common) or words


def _is_name(folded_name: str) -> bool:
    """Whether it is not a name of somebody else by them: "Ann's mother" is not "Ann"."""
    return "'s " not in folded_name


def is_a_name(text: str) -> bool:
    """Whether each word of it is written like a name: "Ann Lee", not "the passengers"."""
    return all(word[:1].isupper() or not word[:1].isalpha() for word in text.split())


def is_everyone(target: str, people: People) -> bool:
    """Whether something is hidden from all others, and not from a person of the story."""
    plain = folded(target)
    return bool(plain) and (
        plain in COLLECTIVES
        or plain.partition(" ")[2] in COLLECTIVES
        or not people.is_known(target)
    )


def is_same(
    one: str, other: str, wording: Wording = NO_WORDING, vectors: Vectors = NO_VECTORS
) -> bool:
    """Whether two texts say the same, by the limits of `verify_epistemic`."""
    if _plain(one) == _plain(other):
        return True
    if not vectors.score(one, other).reaches(EPISTEMIC_SAME):
        return False
    return wording.read(one).mismatch(wording.read(other)) is None


_plain = lru_cache(maxsize=4096)(normalised)  # each text is held against all others


def is_contrary(
    one: str, other: str, wording: Wording = NO_WORDING, vectors: Vectors = NO_VECTORS
) -> bool:
    """Whether one text denies what the other says."""
    if not vectors.score(one, other).reaches(CONTRARY):
        return False
    first, second = wording.read(one), wording.read(other)
    if Mismatch.NEGATION not in (first.mismatch(second), second.mismatch(first)):
        return False
    return denies(one, other, wording)


def denies(one: str, other: str, wording: Wording) -> bool:
    """Whether one text, and only one, says that something is not so of which the other speaks."""
    if wording.read(one).is_negated == wording.read(other).is_negated:
        return False
    denying, said = (one, other) if wording.read(one).is_negated else (other, one)
    common = frozenset[str]().union(*(pack.stopwords for pack in wording.packs))
    spoken = content_words(said, common)
    names = frozenset(word[:STEM] for word in wording.names)
    for negated in wording.negated_in(denying):
        behind, before = (content_words(" ".join(words), common) for words in negated)
        words = behind or before
        # Of whom it is said is no part of it, where anything else is.
        if not words or spoken & ((words - names) or words):
            return True
    return False


@lru_cache(maxsize=4096)
def content_words(text: str, stopwords: frozenset[str]) -> frozenset[str]:
    """The beginnings of the words that say something; two letters at least, or one sign of a script
    without spaces.
    """
    return frozenset(
        word[:STEM]
        for word in tokens_of(normalised(text))
        if word not in stopwords and (len(word) > 1 or not word.isascii())
    )


def is_alike(one: str, other: str, stopwords: frozenset[str]) -> bool:
    """Whether two texts may be shown as one proposition; looser than `is_same`, to group only."""
    left, right = content_words(one, stopwords), content_words(other, stopwords)
    common = len(left & right)
    if common < 2:
        return bool(left) and left == right
    return common >= ALIKE * len(left | right) and common >= ALIKE_PART * min(len(left), len(right))


@dataclass(frozen=True, slots=True)
class Reading:
    """How entries are read that are held against each other.

    words: of all names -> key of the person. common: words that say nothing.
    """

    people: People
    wording: Wording = NO_WORDING
    vectors: Vectors = NO_VECTORS
    words: Mapping[str, str] = field(default_factory=dict)
    common: frozenset[str] = frozenset()

    @classmethod
    def of(cls, people: People, wording: Wording, vectors: Vectors) -> Reading:
        """For the people of a story, in the languages of its wording."""
        words = {word: key for key in people.keys.values() for word in people.words(key)}
        common = frozenset[str]().union(*(pack.stopwords for pack in wording.packs))
        return cls(people, wording, vectors, words, common)

    def is_learned(self, entry: Memory, learned: Memory, *, is_opposite: bool = False) -> bool:
        """Whether what somebody has learned is the proposition of an entry, in whatever words.

        is_opposite: whether it is the opposite instead. The same content words, nobody else in it,
        no other number, and "not" in both or in neither.
        """
        if not is_opposite and _plain(entry.text) == _plain(learned.text):
            return True
        old, new = self.wording.read(entry.text), self.wording.read(learned.text)
        if (old.is_negated != new.is_negated) is not is_opposite:
            return False
        if is_opposite and not denies(entry.text, learned.text, self.wording):
            return False
        if old.numbers - new.numbers and new.numbers - old.numbers:
            return False
        ours, theirs = self._named(entry.text, old.names), self._named(learned.text, new.names)
        is_implied = entry.type == "hiding" and not ours
        if is_implied:
            ours = [self.people.key(entry.subject)]  # "that she took it": whoever hides it
        if _are_others(ours, theirs):
            return False
        told = self.people.key(learned.told_by) if learned.told_by else ""
        from_keeper = entry.type == "hiding" and told == self.people.key(entry.subject)
        if not (is_implied or from_keeper or set(ours) <= set(theirs)):
            return False  # less than the proposition: not that it was they
        if not is_opposite and is_same(entry.text, learned.text, self.wording, self.vectors):
            return True
        if not self.common:
            return False
        limits, least = LEARNED, LEAST_LEARNED
        if from_keeper:
            limits = (*LEARNED, *LEARNED_FROM_KEEPER)
        elif is_implied and not theirs:
            limits, least = LEARNED_OF_NOBODY, LEAST_LEARNED + 1  # who did it may be the secret
        names = frozenset(word[:STEM] for word in self.words)
        mine, told_of = (content_words(m.text, self.common) - names for m in (entry, learned))
        if mine and mine == told_of and set(ours) == set(theirs):
            return True
        return _is_shared(mine, told_of, least, limits)

    def _named(self, text: str, names: Sequence[str]) -> list[str]:
        """Keys of who is named, and other names, in their order."""
        tokens = [word.removesuffix("'s") for word in tokens_of(normalised(text))]
        # Where all nouns are written like names, those count that the story is known to have.
        found = names or [word for word in tokens if word in self.wording.names]
        people = (word for word in tokens if word in self.words)
        return list(dict.fromkeys(self.words.get(name, name) for name in (*people, *found)))


def _are_others(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether each names somebody whom the other does not, or the same in other parts."""
    both = set(ours) & set(theirs)
    if set(ours) - both and set(theirs) - both:
        return True
    return [key for key in ours if key in both] != [key for key in theirs if key in both]


def _is_shared(
    one: frozenset[str],
    other: frozenset[str],
    least: float,
    limits: Sequence[tuple[float, float]],
) -> bool:
    """Whether two texts have enough of their content words in common, see LEARNED."""
    shared = _weight(one & other)
    return shared >= least and any(
        shared >= part * min(_weight(one), _weight(other))
        and shared >= of_all * _weight(one | other)
        for part, of_all in limits
    )


def _weight(words: frozenset[str]) -> float:
    return sum(0.5 if len(word) == 1 else 1.0 for word in words)
