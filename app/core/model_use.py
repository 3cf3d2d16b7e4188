"""What models were asked for, by day and task: sums, prices and the cap of a day. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TypeVar

from app.core.translation import N_, trn

MILLION = 1_000_000
CAPPED = N_("Waits until midnight because of today's limit.")  # of one operation
TRIAL = "trial"  # a task that is no kind of operation

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Prices:
    """What the user pays for a million tokens, in whatever they pay in; 0 for nothing."""

    prompt: float = 0.0
    output: float = 0.0

    def of(self, prompt_tokens: int, output_tokens: int) -> float | None:
        """The price of these tokens, None where the user set no price."""
        if not self.prompt and not self.output:
            return None
        return (prompt_tokens * self.prompt + output_tokens * self.output) / MILLION


NO_PRICES = Prices()


@dataclass(frozen=True, slots=True)
class Spent:
    """Requests and their tokens. estimated: how many of the requests had tokens that no backend
    told, so that they were counted here.
    """

    requests: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    estimated: int = 0

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.prompt_tokens + self.output_tokens

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.output_tokens + other.output_tokens,
            self.estimated + other.estimated,
        )


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What one backend was asked on one day for one task.

    day: local date. task: an operation's kind, `away` for what happened before, `trial` for tests
    of a model. backend: its name for people.
    """

    day: date
    task: str
    backend: str
    spent: Spent


@dataclass(frozen=True, slots=True)
class Tariff:
    """What the user pays to each backend. of_all: to those without prices of their own."""

    of_all: Prices = NO_PRICES
    own: Mapping[str, Prices] = field(default_factory=dict)

    def of(self, backend: str) -> Prices:
        """The prices of one backend, by its name for people."""
        return self.own.get(backend, self.of_all)

    @property
    def has_any(self) -> bool:
        """Whether the user set a price at all."""
        return any(prices != NO_PRICES for prices in (self.of_all, *self.own.values()))

    def price(self, uses: Iterable[ModelUse]) -> float | None:
        """The price of all of it, None where nothing has one."""
        found = [
            self.of(use.backend).of(use.spent.prompt_tokens, use.spent.output_tokens)
            for use in uses
        ]
        told = [price for price in found if price is not None]
        return sum(told) if told else None


def total(uses: Iterable[ModelUse]) -> Spent:
    """All of it together."""
    return sum((use.spent for use in uses), Spent())


def by_task(uses: Sequence[ModelUse]) -> tuple[tuple[str, Spent], ...]:
    """Each task with what it took, the most tokens first."""
    return _most_first(uses, lambda use: use.task)


def by_backend(uses: Sequence[ModelUse]) -> tuple[tuple[str, Spent], ...]:
    """Each backend with what it took, the most tokens first."""
    return _most_first(uses, lambda use: use.backend)


def by_day(uses: Sequence[ModelUse], first: date, last: date) -> tuple[tuple[date, Spent], ...]:
    """Every day from first to last, both among them, the days without any use too."""
    sums: dict[date, Spent] = {}
    for use in uses:
        sums[use.day] = sums.get(use.day, Spent()) + use.spent
    count = (last - first).days + 1
    days = (first + timedelta(days=number) for number in range(max(0, count)))
    return tuple((day, sums.get(day, Spent())) for day in days)


def _most_first(
    uses: Sequence[ModelUse], key: Callable[[ModelUse], str]
) -> tuple[tuple[str, Spent], ...]:
    sums: dict[str, Spent] = {}
    for use in uses:
        sums[key(use)] = sums.get(key(use), Spent()) + use.spent
    return tuple(sorted(sums.items(), key=lambda pair: (-pair[1].tokens, pair[0])))


@dataclass(frozen=True, slots=True)
class DayCap:
    """How much a model may be asked on one day. unit: "requests" or "tokens"; limit: 0 for none.
    before: what the day had taken when the limit was set.

    What is begun is finished, so a day may end somewhat beyond its cap.
    """

    limit: int = 0
    unit: str = "requests"
    spent: Spent = Spent()
    is_lifted: bool = False  # the user wants to go on today
    before: Spent = Spent()

    @property
    def used(self) -> int:
        """In the unit of the cap."""
        return self._in_unit(self.spent)

    @property
    def used_before(self) -> int:
        """Of that, what the day had taken when the limit was set."""
        return min(self.used, self._in_unit(self.before))

    def _in_unit(self, spent: Spent) -> int:
        return spent.tokens if self.unit == "tokens" else spent.requests

    @property
    def is_reached(self) -> bool:
        """Whether today's work is at the cap, and the user said nothing against it."""
        return 0 < self.limit <= self.used and not self.is_lifted

    @property
    def sentence(self) -> str:
        """Why work waits, "" while it does not."""
        if not self.is_reached:
            return ""
        if self.unit == "requests":
            return trn(
                "Today's limit of {n} request is reached. Work continues at midnight.",
                "Today's limit of {n} requests is reached. Work continues at midnight.",
                self.limit,
            )
        return trn(
            "Today's limit of {n} token is reached. Work continues at midnight.",
            "Today's limit of {n} tokens is reached. Work continues at midnight.",
            self.limit,
        )
