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
    """Shortest of some runs in milliseconds; the first one only warms up."""
    work()
    times = []
    for _ in range(rounds):
        gc.collect()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1000


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
