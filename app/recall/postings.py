"""Which texts hold which terms, and how much they are about what is looked for (BM25). Pure."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]
Flags = NDArray[np.bool_]

# How soon a term that comes again adds no more, and how much a long text counts against itself
# (Robertson and Zaragoza 2009, chapter 3). For turns of a chat, which differ more in length than in
# what they are about, both are lower than for pages.
K1, B = 0.9, 0.4
MOST_ASKED = 64  # terms; of a longer text those that say most
_MOST_COUNTED = 255


class Postings:
    """Texts are only added; one that is gone is asked for no more. Not for several threads.

    lengths: how many terms each text has.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._holders: list[array[int]] = []
        self._counts: list[array[int]] = []
        self.lengths = array("I")
        self._total = 0

    @classmethod
    def of(cls, texts: Iterable[Iterable[str]]) -> Postings:
        """Of the terms of some texts."""
        postings = cls()
        for terms in texts:
            postings.add(terms)
        return postings

    def __len__(self) -> int:
        return len(self.lengths)

    def add(self, terms: Iterable[str]) -> int:
        """Take in the terms of a text; gives its number."""
        number, length = len(self.lengths), 0
        for term, count in Counter(terms).items():
            length += count
            place = self._numbers.setdefault(term, len(self._holders))
            if place == len(self._holders):
                self._holders.append(array("I"))
                self._counts.append(array("B"))
            self._holders[place].append(number)
            self._counts[place].append(min(count, _MOST_COUNTED))
        self.lengths.append(length)
        self._total += length
        return number

    def holding(self, term: str) -> int:
        """How many texts hold a term."""
        place = self._numbers.get(term)
        return 0 if place is None else len(self._holders[place])

    def rarity(self, term: str) -> float:
        """How much it says that a text holds a term; 0 for one that no text holds."""
        place = self._numbers.get(term)
        if place is None:
            return 0.0
        held = len(self._holders[place])
        return math.log(1 + (len(self) - held + 0.5) / (held + 0.5))

    @property
    def rarest(self) -> float:
        """How much a term says that one text alone holds."""
        return math.log(1 + (len(self) - 0.5) / 1.5)

    def weights(self, asked: Mapping[str, float]) -> dict[str, float]:
        """What each term that is looked for may add, the most telling ones only."""
        found = {term: weight * self.rarity(term) for term, weight in asked.items()}
        telling = sorted(filter(found.get, found), key=lambda term: -found[term])
        return {term: found[term] for term in telling[:MOST_ASKED]}

    def scores(self, asked: Mapping[str, float]) -> Floats:
        """How much each text is about it. asked: terms with what each weighs, 1 for what is
        usual.
        """
        total = np.zeros(len(self))
        if not self._total:
            return total
        lengths = np.array(self.lengths, dtype=np.float64)
        damping = K1 * (1 - B + B * len(self) / self._total * lengths)
        for term, weight in self.weights(asked).items():
            place = self._numbers[term]
            holders = np.array(self._holders[place], dtype=np.intp)
            counts = np.array(self._counts[place], dtype=np.float64)
            total[holders] += weight * (K1 + 1) * counts / (counts + damping[holders])
        return total


def best_first(scores: Floats, most: int) -> Numbers:
    """Places of the best scores above 0, of equal ones the first first."""
    if len(scores) > most:
        least = np.partition(scores, -most)[-most]
        places = np.flatnonzero(scores >= max(least, np.nextafter(0, 1)))
    else:
        places = np.flatnonzero(scores > 0)
    found: Numbers = places[np.argsort(-scores[places], kind="stable")][:most]
    return found
