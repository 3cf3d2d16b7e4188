"""Decision trees that tests/scenes/fit.py grew on novels: what evidence says in prose, together.

Each tree asks about one piece of evidence after the other and ends in a number; a score is the sum
over all trees (gradient boosting, Friedman 2001).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from app.core.resources import RESOURCES

_FILE = RESOURCES / "scene_trees.json"
_AT_ONCE = 512  # places, so that a long chat takes little memory

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """All nodes of all trees, one behind the other.

    names: of the evidence. asked: for each node the number of what it asks about. most: the node
    goes on to `low` for a value up to this, to `high` else; an end goes on to itself. ends: what a
    node adds to the score. roots: the first node of each tree. depth: questions on the longest
    way. bias: what is added to the sum.
    """

    names: tuple[str, ...]
    asked: Numbers
    most: Floats
    low: Numbers
    high: Numbers
    ends: Floats
    roots: Numbers
    depth: int
    bias: float

    def scores(self, entries: Sequence[Mapping[str, float]]) -> Floats:
        """Log-odds for each entry of evidence; what it does not hold is 0."""
        found = [
            self._scores(entries[at : at + _AT_ONCE]) for at in range(0, len(entries), _AT_ONCE)
        ]
        return np.concatenate(found) if found else np.zeros(0)

    def _scores(self, entries: Sequence[Mapping[str, float]]) -> Floats:
        values = np.array([[entry.get(name, 0.0) for name in self.names] for entry in entries])
        rows = np.arange(len(entries))[:, None]
        nodes = np.broadcast_to(self.roots, (len(entries), len(self.roots)))
        for _ in range(self.depth):
            is_low = values[rows, self.asked[nodes]] <= self.most[nodes]
            nodes = np.where(is_low, self.low[nodes], self.high[nodes])
        return np.asarray(self.ends[nodes].sum(axis=1) + self.bias)


def parse_trees(text: str) -> Trees:
    """Trees from the JSON that tests/scenes/fit.py writes. Raises ValueError or KeyError.

    A tree is a list of questions, the first of them first: what is asked about, the most, and
    where it goes on for low and high. From 0 on that is a question of the same tree, below 0 an
    end: -1 is the first.
    """
    data = json.loads(text)
    asked: list[int] = []
    most: list[float] = []
    low: list[int] = []
    high: list[int] = []
    ends: list[float] = []
    roots: list[int] = []
    depth = 0
    for tree in data["trees"]:
        root, questions = len(asked), tree["questions"]
        roots.append(root)
        depth = max(depth, _depth(questions, 0) if questions else 0)

        def node(number: int, root: int = root, count: int = len(questions)) -> int:
            return root + (number if number >= 0 else count - 1 - number)

        for about, limit, *ways in questions:
            asked.append(about)
            most.append(limit)
            low.append(node(ways[0]))
            high.append(node(ways[1]))
            ends.append(0.0)
        for value in tree["ends"]:
            low.append(len(asked))
            high.append(len(asked))
            asked.append(0)
            most.append(0.0)
            ends.append(value)
    return Trees(
        names=tuple(data["names"]),
        asked=np.array(asked, np.intp),
        most=np.array(most, float),
        low=np.array(low, np.intp),
        high=np.array(high, np.intp),
        ends=np.array(ends, float),
        roots=np.array(roots, np.intp),
        depth=depth,
        bias=data["bias"],
    )


def _depth(questions: Sequence[Sequence[float]], at: int) -> int:
    if at < 0:
        return 0
    return 1 + max(_depth(questions, int(way)) for way in questions[at][2:])


@cache
def learned_trees() -> Trees:
    """The trees of the program, read when the first prose is weighed: many a start needs none."""
    return parse_trees(_FILE.read_text(encoding="utf-8"))
