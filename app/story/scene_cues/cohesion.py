"""How much the words before and behind a place in the story have in common."""

from __future__ import annotations

from collections import Counter, deque
from math import fsum, log

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

LEFT = 6  # messages before a place that are compared
RIGHT = 4  # with those from it on
NEIGHBOURS = 3  # places on either side that a dip is measured against
_MEMORY = 60  # messages that tell how rare a word is
_BAND = LEFT + RIGHT

Floats = npt.NDArray[np.float64]


def similarities(common: Common) -> Floats:
    """Cosine between the LEFT messages before each place and the RIGHT ones from it on.

    Words count by their rarity in the messages so far. Entry 0 is 0; at the end of the story the
    right window is shorter.
    """
    size = len(common.rows)
    # Rows of nothing on both ends, so that every window has its full width.
    dots = np.zeros((LEFT + size + RIGHT, _BAND))
    if size:
        dots[LEFT : LEFT + size] = common.rows
    offsets = range(-LEFT, RIGHT)
    both = sum(_pairs(dots, size, i, j) for i in offsets if i < 0 for j in offsets if j >= 0)
    left = sum(_pairs(dots, size, i, j) for i in offsets if i < 0 for j in offsets if j < 0)
    right = sum(_pairs(dots, size, i, j) for i in offsets if i >= 0 for j in offsets if j >= 0)
    own = np.asarray(left) * np.asarray(right)
    similar = np.zeros(size)
    np.divide(both, np.sqrt(own), out=similar, where=own > 0)
    return similar


def _pairs(dots: Floats, size: int, one: int, other: int) -> Floats:
    """For each place, what the messages at two offsets from it have in common."""
    low, high = min(one, other), max(one, other)
    begin = LEFT + low
    return dots[begin : begin + size, high - low]


def depths(similar: Floats) -> Floats:
    """How deep each place lies below the higher places on both sides of it (TextTiling)."""
    size = len(similar)
    if size < 2:
        return np.zeros(size)
    inside = similar[1:]
    beyond = np.full(NEIGHBOURS, -np.inf)
    windows = sliding_window_view(np.concatenate((beyond, inside, beyond)), NEIGHBOURS + 1)
    highest = windows.max(axis=1)
    left, right = highest[: size - 1], highest[NEIGHBOURS:]
    return np.concatenate(([0.0], left + right - 2 * inside))


class Common:
    """What each message has in common with the next ones, of a story that goes on.

    rows: rows[i][d], weight of the words that message i shares with message i + d.
    """

    def __init__(self) -> None:
        self.rows: list[list[float]] = []
        self._used: Counter[str] = Counter()
        self._recent: deque[frozenset[str]] = deque()
        self._weights: list[float] = []  # of a word, by how many of the messages have it

    def add(self, words: frozenset[str]) -> None:
        """The stems of one message more."""
        rows, used, recent = self.rows, self._used, self._recent
        recent.append(words)
        used.update(words)
        if len(recent) > _MEMORY:
            used.subtract(recent.popleft())
        if len(self._weights) <= len(recent):
            total = len(recent) + 20  # so that the first messages of a story have rare words, too
            self._weights = [0.0, *(log(total / n) ** 2 for n in range(1, len(recent) + 1))]
        weights = {word: self._weights[used[word]] for word in words}
        rows.append([0.0] * _BAND)
        for apart in range(min(_BAND, len(recent))):
            common = words & recent[-1 - apart]
            # Exact, since words come in another order in each process, and a sum must not.
            rows[-1 - apart][apart] = fsum([weights[word] for word in common])
