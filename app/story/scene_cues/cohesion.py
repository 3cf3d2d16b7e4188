"""How much the words before and behind a place in the story have in common."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from math import log

import numpy as np
import numpy.typing as npt

LEFT = 6  # messages before a place that are compared
RIGHT = 4  # with those from it on
NEIGHBOURS = 3  # places on either side that a dip is measured against
_MEMORY = 60  # messages that tell how rare a word is
_BAND = LEFT + RIGHT

Floats = npt.NDArray[np.float64]


def similarities(stems: Sequence[frozenset[str]]) -> Floats:
    """Cosine between the LEFT messages before each place and the RIGHT ones from it on.

    Words count by their rarity in the messages so far. Entry 0 is 0; at the end of the story the
    right window is shorter.
    """
    size = len(stems)
    # Rows of nothing on both ends, so that every window has its full width.
    dots = np.zeros((LEFT + size + RIGHT, _BAND))
    dots[LEFT : LEFT + size] = _banded_dots(stems)
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
    result = np.zeros(len(similar))
    for at in range(1, len(similar)):
        left = similar[max(1, at - NEIGHBOURS) : at + 1].max()
        right = similar[at : at + NEIGHBOURS + 1].max()
        result[at] = left + right - 2 * similar[at]
    return result


def _banded_dots(stems: Sequence[frozenset[str]]) -> Floats:
    """dots[i, d]: weight of what message i has in common with message i + d."""
    size = len(stems)
    dots = np.zeros((size, _BAND))
    used: Counter[str] = Counter()
    recent: deque[frozenset[str]] = deque()
    for later, words in enumerate(stems):
        recent.append(words)
        used.update(words)
        if len(recent) > _MEMORY:
            used.subtract(recent.popleft())
        total = len(recent) + 20  # so that the first messages of a story have rare words, too
        weights = {word: log(total / used[word]) ** 2 for word in words}
        for apart in range(min(_BAND, later + 1)):
            common = words & stems[later - apart]
            dots[later - apart, apart] = sum([weights[word] for word in common])
    return dots
