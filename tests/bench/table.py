"""The table that all measurements go into."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of work: our time, that of a rival doing the same, and what we aim at."""

    work: str
    ours_ms: float
    rival: str = ""
    rival_ms: float | None = None
    aim: str = ""

    @property
    def ratio(self) -> float | None:
        """Our time by the rival's; below 1 we are faster."""
        return self.ours_ms / self.rival_ms if self.rival_ms else None


def best_ms(work: Callable[[], object], *, rounds: int = 5) -> float:
    """Shortest of some runs in milliseconds, behind one that warms up."""
    work()
    return min(_once_ms(work) for _ in range(rounds))


def best_of_each_ms(
    ours: Callable[[], object], rival: Callable[[], object], *, rounds: int = 7
) -> tuple[float, float]:
    """Shortest runs of both, taken in turns: what else the machine does then hits both alike."""
    ours(), rival()
    times = [(_once_ms(ours), _once_ms(rival)) for _ in range(rounds)]
    return min(time for time, _ in times), min(time for _, time in times)


def _once_ms(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def as_text(rows: Iterable[Row]) -> str:
    """The rows under headings, in columns."""
    cells = [("work", "ours", "rival", "its time", "ratio", "aim")]
    for row in rows:
        rival_ms = "" if row.rival_ms is None else f"{row.rival_ms:.2f} ms"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        cells.append((row.work, f"{row.ours_ms:.2f} ms", row.rival, rival_ms, ratio, row.aim))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )
