"""Where people and propositions stand on the map: the same for every moment of the story, so that
nothing jumps while it is replayed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from app.memory.epistemic.map_view import EpistemicMapView, Topic

Key = TypeVar("Key", bound=Hashable)
Other = TypeVar("Other", bound=Hashable)

SWEEPS = 6
WEIGHT_NOW = 3  # of what holds now, against what once held


@dataclass(frozen=True, slots=True)
class Layout:
    """row: place of each proposition, from the top; several that never hold at once may share one.
    now: how many rows, from the top, are of propositions that hold now. left, right: the ranks of
    people from the top, each with the mean row of its propositions.
    """

    row: Mapping[int, int] = field(default_factory=dict)
    now: int = 0
    left: Mapping[str, float] = field(default_factory=dict)
    right: Mapping[str, float] = field(default_factory=dict)


def lay_out(minds: EpistemicMapView, last: int) -> Layout:
    """Two ranks of people with the propositions between them. last: index of the newest message.

    Near their propositions, by turns: people at the mean of their propositions' places,
    propositions at the mean of their people's, which leaves few lines crossing.
    """
    ties = _ties(minds)
    back = [(proposition, person, weight) for person, proposition, weight in ties]
    now = [topic.number for topic in minds.topics if _end(topic, last) > last]
    for _ in range(SWEEPS):
        people = _means(ties, {number: float(n) for n, number in enumerate(now)})
        ranked = sorted(people, key=lambda key: (people[key], key))
        wanted = _means(back, {key: float(n) for n, key in enumerate(ranked)})
        now.sort(key=lambda number: (wanted.get(number, 0.0), number))
    row = rows(minds.topics, last, now)
    own = _means(ties, {number: float(n) for number, n in row.items()})
    ranked = sorted(own, key=lambda key: (own[key], key))
    left, right = ranked[0::2], ranked[1::2]
    shown = len(now) or max(row.values(), default=-1) + 1
    return Layout(row, shown, {key: own[key] for key in left}, {key: own[key] for key in right})


def rows(topics: Sequence[Topic], last: int, order: Sequence[int]) -> dict[int, int]:
    """Which row each proposition has. Those of `order` hold now: each has a row to itself from
    its beginning on. What ended shares rows with what came before or after it.
    """
    by_number = {topic.number: topic for topic in topics}
    found = {number: row for row, number in enumerate(order)}
    taken = [[(by_number[n].first, _end(by_number[n], last))] for n in order]
    for topic in sorted(topics, key=lambda t: (t.first, t.number)):
        if topic.number in found:
            continue
        first, end = topic.first, max(_end(topic, last), topic.first + 1)
        free = (
            row
            for row, spans in enumerate(taken)
            if all(end <= begun or over <= first for begun, over in spans)
        )
        row = next(free, len(taken))
        if row == len(taken):
            taken.append([])
        taken[row].append((first, end))
        found[topic.number] = row
    return found


def _end(topic: Topic, last: int) -> int:
    return last + 1 if topic.end is None else topic.end


def _ties(minds: EpistemicMapView) -> list[tuple[str, int, int]]:
    """Who has to do with what at any time, and how much that weighs."""
    return [
        (person, topic.number, WEIGHT_NOW if stretches[-1].end is None else 1)
        for topic in minds.topics
        for person, stretches in minds.stretches(topic.number).items()
    ]


def _means(
    ties: Iterable[tuple[Key, Other, int]], place: Mapping[Other, float]
) -> dict[Key, float]:
    """The weighted mean place of all that each is tied to; the top for who is tied to nothing."""
    sums: dict[Key, list[float]] = {}
    for key, other, weight in ties:
        own = sums.setdefault(key, [0.0, 0.0])
        if other in place:
            own[0] += weight * place[other]
            own[1] += weight
    return {key: total / weight if weight else 0.0 for key, (total, weight) in sums.items()}
