"""Whether two entries on who knows what speak of the same person, and of the same matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from app.memory.identity import EPISTEMIC_SAME
from app.memory.names import COLLECTIVES, folded
from app.memory.similarity import NO_VECTORS, Limit, Vectors, normalised
from app.memory.state_change import Mismatch, Wording
from app.memory.verification import NO_WORDING
from app.story.scene_cues.language import tokens_of

CONTRARY = Limit(0.80, 0.50)  # alike enough for "not" to make one the opposite of the other
ALIKE = 0.40  # Jaccard of content words, for what is shown as one matter
ALIKE_PART = 0.60  # of the content words of the shorter of both
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
            wider = [other for other, theirs in full.items() if words and words < theirs]
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
    return Mismatch.NEGATION in (first.mismatch(second), second.mismatch(first))


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
    """Whether two texts may be shown as one matter; looser than `is_same`, for grouping only."""
    left, right = content_words(one, stopwords), content_words(other, stopwords)
    common = len(left & right)
    if common < 2:
        return bool(left) and left == right
    return common >= ALIKE * len(left | right) and common >= ALIKE_PART * min(len(left), len(right))
