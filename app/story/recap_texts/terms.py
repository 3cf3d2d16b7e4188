"""The terms of sentences and what they weigh, by statistics alone, so in any language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

WORD = re.compile(r"\w+(?:['’-]\w+)*")
# Scripts that write without spaces: their words are taken as pairs of signs.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
SHORT_WORD = 3  # letters; the shorter a word the more common, in every language
NAME_FACTOR = 2.5
NUMBER_FACTOR = 1.6
SHORT_FACTOR = 0.3

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def words_of(text: str) -> list[str]:
    """Words as they are written; of unspaced scripts each pair of neighbouring signs."""
    words: list[str] = []
    for word in WORD.findall(text):
        if UNSPACED.search(word) is None:
            words.append(word)
            continue
        for run in UNSPACED.findall(word):
            words.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        words.extend(part for part in UNSPACED.split(word) if part)
    return words


def names_in(sentences: Sequence[str]) -> frozenset[str]:
    """Casefolded words that are written with a capital inside of sentences, and mostly so.

    In languages that write all nouns so, these are the nouns, which serves as well.
    """
    return _names([terms_in(sentence) for sentence in sentences])


def _names(sentences: Sequence[_Words]) -> frozenset[str]:
    capital = Counter(chain.from_iterable(words.capital for words in sentences))
    small = Counter(chain.from_iterable(words.small for words in sentences))
    return frozenset(word for word, count in capital.items() if count > small[word])


@dataclass(frozen=True, slots=True)
class _Words:
    """Casefolded words of a sentence. terms: each once; capital: written so inside of it."""

    terms: tuple[str, ...]
    capital: tuple[str, ...]
    small: tuple[str, ...]


# A message more leaves those before it as they are.
@lru_cache(maxsize=8192)
def terms_in(sentence: str) -> _Words:
    """What a sentence says, word by word."""
    capital: list[str] = []
    small: list[str] = []
    for position, match in enumerate(WORD.finditer(sentence)):
        word = match[0]
        if word[0].islower():
            small.append(word.casefold())
        elif position and is_capital(word) and not _begins(sentence, match):
            capital.append(word.casefold())
    terms = dict.fromkeys(word.casefold() for word in words_of(sentence))
    return _Words(tuple(terms), tuple(capital), tuple(small))


def is_capital(word: str) -> bool:
    """Whether a word is written like a name; a single letter ("I", "I'm") is not."""
    return word[0].isupper() and word[1:2].isalpha()


def _begins(sentence: str, match: re.Match[str]) -> bool:
    """Whether the word opens a sentence or a speech inside of the sentence."""
    before = sentence[max(0, match.start() - 3) : match.start()].rstrip(" ")
    return bool(before) and before[-1] in "\"“„«‘'(:.!?…–—"


@dataclass(frozen=True, slots=True)
class TermTable:
    """Which terms each sentence has.

    terms: all sentences' distinct term numbers, one after the other; sentence i has those from
    starts[i] to starts[i + 1]. weights: by term number.
    """

    terms: Ints
    starts: Ints
    weights: Floats
    vocabulary: tuple[str, ...]

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    def of(self, sentence: int) -> Ints:
        return self.terms[self.starts[sentence] : self.starts[sentence + 1]]

    def sums(self, per_term: Floats) -> Floats:
        """For each sentence the sum of `per_term` over its terms."""
        running = np.concatenate(([0.0], np.cumsum(per_term[self.terms])))
        return np.asarray(running[self.starts[1:]] - running[self.starts[:-1]])


def term_table(sentences: Sequence[str], groups: Sequence[int]) -> TermTable:
    """Index sentences by their terms and weigh these.

    groups: for each sentence the number of the message or block it comes from, from 0 upwards.
    A term weighs more the rarer it is, the more often it comes back within a few groups, and
    when it is a name or a number; what stands in most groups weighs next to nothing.
    """
    read = [terms_in(sentence) for sentence in sentences]
    flat = list(chain.from_iterable(words.terms for words in read))
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(flat))}
    terms = np.fromiter(map(vocabulary.__getitem__, flat), np.int64, len(flat))
    bounds = np.zeros(len(read) + 1, dtype=np.int64)
    np.cumsum(np.array([len(words.terms) for words in read], dtype=np.int64), out=bounds[1:])
    words = tuple(vocabulary)
    weights = _weights(terms, bounds, words, groups) * _factors(words, _names(read))
    return TermTable(terms, bounds, weights, words)


def _weights(terms: Ints, starts: Ints, words: tuple[str, ...], groups: Sequence[int]) -> Floats:
    size = len(words)
    if not size:
        return np.zeros(0)
    sentence_count = len(starts) - 1
    in_sentences = np.bincount(terms, minlength=size)
    owner: npt.NDArray[Any] = np.repeat(np.asarray(groups, dtype=np.int64), np.diff(starts))
    group_count = max(groups) + 1
    pairs = np.unique(owner * size + terms)
    in_groups = np.bincount(pairs % size, minlength=size)
    rarity = np.log1p(sentence_count / in_sentences)
    return_factor = np.sqrt(np.minimum(in_sentences, 4))
    spread = in_groups / group_count if group_count > 2 else np.zeros(size)
    return np.asarray(rarity * return_factor * (1.0 - spread * 0.95) ** 2)


def _factors(words: tuple[str, ...], names: frozenset[str]) -> Floats:
    factors = np.fromiter(map(_factor, words), np.float64, len(words))
    for number, word in enumerate(words):
        if word in names and factors[number] != NUMBER_FACTOR:
            factors[number] = NAME_FACTOR
    return factors


@lru_cache(maxsize=16384)
def _factor(word: str) -> float:
    """What a word weighs by its form alone."""
    if any(sign.isdigit() for sign in word):
        return NUMBER_FACTOR
    return SHORT_FACTOR if len(word) <= SHORT_WORD and UNSPACED.match(word) is None else 1.0
