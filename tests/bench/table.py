"""The table that all measurements go into."""

from __future__ import annotations

import gc
import os
import statistics
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

QUICK_VARIABLE = "TAVERNKEEP_BENCH_QUICK"
# Smaller sizes and fewer runs: whether something broke, not how fast it is.
IS_QUICK = bool(os.environ.get(QUICK_VARIABLE))
FRAME_MS = 1000 / 60
WIDTH = 110  # of a reason beneath a row
MOST_WIDE = (48, 11, 22, 11, 8, 14, 5)  # of each column; what is longer goes on in the next line
HEADINGS = ("work", "measured", "rival or limit", "its own", "ratio", "aim", "holds")


@dataclass(frozen=True, slots=True)
class Aim:
    """What a row is to reach. times: of the rival, at most; most: in the row's own unit; more: than
    the rival, in that unit. All that are given have to hold.
    """

    times: float | None = None
    most: float | None = None
    more: float | None = None

    def holds(self, ours: float, rival: float | None) -> bool:
        """Whether the figures of a row reach it. A rival is needed for `times` and `more`."""
        held = [] if self.most is None else [ours <= self.most]
        if rival is not None:
            held += [] if self.times is None else [ours <= self.times * rival]
            held += [] if self.more is None else [ours <= self.more + rival]
        return all(held)

    def text(self, unit: str) -> str:
        """As the table says it."""
        parts = [] if self.times is None else [f"{self.times:g}x"]
        parts += [] if self.most is None else [f"{self.most:,.4g} {unit}"]
        parts += [] if self.more is None else [f"+{self.more:,.4g} {unit}"]
        return " and ".join(parts)


NO_AIM = Aim()


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of work: our figure, that of a rival doing the same or of a limit, and our aim.

    why: the reason that stands beside an aim which is not reached. missing: why nothing was
    measured, "" when it was.
    """

    work: str
    ours: float = 0.0
    rival: str = ""
    rivals: float | None = None
    aim: Aim = NO_AIM
    why: str = ""
    unit: str = "ms"
    missing: str = ""

    @property
    def ratio(self) -> float | None:
        """Our figure by the rival's; below 1 we take less."""
        return self.ours / self.rivals if self.rivals else None

    @property
    def holds(self) -> bool | None:
        """Whether the aim is reached; None where there is none, or nothing was measured."""
        if self.missing or self.aim == NO_AIM:
            return None
        return self.aim.holds(self.ours, self.rivals)


def medians_ms(
    *works: Callable[[], object],
    rounds: int = 9,
    clock: Callable[[], float] = time.process_time,
) -> tuple[float, ...]:
    """Median of each work in milliseconds of the processor, behind a run that warms up.

    They take turns, and only what they use of the processor counts: what else the machine does
    then hits all alike, or not at all.
    """
    for work in works:
        work()
    rounds = 3 if IS_QUICK else rounds
    times = [[_once_ms(work, clock) for work in works] for _ in range(rounds)]
    return tuple(statistics.median(column) for column in zip(*times, strict=True))


def median_ms(work: Callable[[], object], *, rounds: int = 9) -> float:
    """The same for one."""
    return medians_ms(work, rounds=rounds)[0]


def _once_ms(work: Callable[[], object], clock: Callable[[], float]) -> float:
    gc.collect()
    start = clock()
    work()
    return (clock() - start) * 1000


def as_text(rows: Iterable[Row]) -> str:
    """The rows under headings, in columns, and beneath a row why it is as it is."""
    told = [*_lines(HEADINGS)]
    for row in rows:
        told += (*_lines(_cells(row)), *_reason(row))
    return "\n".join(told)


def _lines(cells: Iterable[str]) -> Iterator[str]:
    columns = [textwrap.wrap(cell, width) for cell, width in zip(cells, MOST_WIDE, strict=True)]
    for line in zip_longest(*columns, fillvalue=""):
        padded = (cell.ljust(width) for cell, width in zip(line, MOST_WIDE, strict=True))
        yield "  ".join(padded).rstrip()


def _cells(row: Row) -> tuple[str, ...]:
    ours = "-" if row.missing else _figure(row.ours, row.unit)
    rivals = "" if row.rivals is None else _figure(row.rivals, row.unit)
    ratio = "" if row.ratio is None or row.missing else f"{row.ratio:.3g}x"
    verdict = {True: "yes", False: "no", None: ""}[row.holds]
    return row.work, ours, row.rival, rivals, ratio, row.aim.text(row.unit), verdict


def _figure(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if value >= 1000 else f"{value:.3g} {unit}"


def _reason(row: Row) -> Iterator[str]:
    reason = row.missing or (row.why if row.holds is False else "")
    yield from textwrap.wrap(reason, WIDTH, initial_indent="    ", subsequent_indent="    ")
