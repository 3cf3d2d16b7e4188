"""What a story's requests cost: how many, how long, how much of them a cache has seen before."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

Count = Callable[[str], int]
SHORTEST = 200  # characters of a beginning that a cache keeps


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer. task: its kind. prompt: all its messages, one after another."""

    task: str
    prompt: str
    answer: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What the requests of a kind cost; tokens. repeated: of the prompt, what it shares with the
    beginning of an earlier request of the same kind.
    """

    requests: int = 0
    prompt: int = 0
    repeated: int = 0
    answer: int = 0

    def plus(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(
            self.requests + other.requests,
            self.prompt + other.prompt,
            self.repeated + other.repeated,
            self.answer + other.answer,
        )


def costs_of(exchanges: Iterable[Exchange], count: Count) -> dict[str, Cost]:
    """The cost of each kind of request, in the order in which they first came."""
    costs: dict[str, Cost] = {}
    before: dict[str, list[str]] = defaultdict(list)  # sorted: the likest stand beside each other
    for one in exchanges:
        known = before[one.task]
        at = bisect_left(known, one.prompt)
        likest = known[max(0, at - 1) : at + 1]
        shared = max((_shared(one.prompt, other) for other in likest), default=0)
        insort(known, one.prompt)
        repeated = count(one.prompt[:shared]) if shared > SHORTEST else 0
        cost = Cost(1, count(one.prompt), repeated, count(one.answer))
        costs[one.task] = costs.get(one.task, Cost()).plus(cost)
    return costs


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin alike with, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def cost_lines(costs: dict[str, Cost], messages: int) -> Iterator[str]:
    """A table of what 100 messages cost, by kind and of all together."""
    yield f"    {'per 100 messages':18} {'requests':>8} {'prompt':>8} {'repeated':>8} {'answer':>8}"
    whole = Cost()
    for cost in costs.values():
        whole = whole.plus(cost)
    for name, cost in [*costs.items(), ("all", whole)]:
        share = cost.repeated / max(1, cost.prompt)
        part = 100 / max(1, messages)
        yield (
            f"    {name:18} {cost.requests * part:8.1f} {cost.prompt * part:8.0f} "
            f"{share:8.0%} {cost.answer * part:8.0f}"
        )
