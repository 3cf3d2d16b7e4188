"""How far the work on a chat is, on one line of a terminal that is written over again and again."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from app.companion import Companion
from app.core.operations import FINISHED, Operation, OperationStatus
from app.core.part_health import about
from app.core.translation import retold, tr
from app.views.catch_up import CatchUpPlan

CLEARED = "\r\x1b[K"


class ProgressLine:
    """Counts what ends from its making on. Nothing of the story is shown."""

    def __init__(
        self, companion: Companion, path: Path, *, until: int | None = None, out: TextIO
    ) -> None:
        self._companion = companion
        self._path = path
        self._until = until
        self._out = out
        self._begun = time.time()
        self._ended: set[int] = set()

    def show(self, operations: tuple[Operation, ...]) -> None:
        """Write the line anew."""
        self._ended |= {
            operation.id
            for operation in operations
            if operation.status in FINISHED and (operation.finished or 0.0) >= self._begun
        }
        running = next((op for op in operations if op.status is OperationStatus.RUNNING), None)
        if running is None:
            return
        left = self._companion.work.left(self._path, until=self._until)
        seconds = time.time() - self._begun
        line = line_of(running.spec.label, len(self._ended), left, seconds)
        width = shutil.get_terminal_size().columns - 1
        self._out.write(CLEARED + line[:width])
        self._out.flush()

    def clear(self) -> None:
        """Leave the terminal as it was."""
        self._out.write(CLEARED)
        self._out.flush()


def line_of(label: str, ended: int, left: CatchUpPlan | None, seconds: float) -> str:
    """What runs, how far all of it is, how long it took so far, and how long it goes on."""
    minutes, rest = divmod(int(seconds), 60)
    parts = [retold(label)]
    if left is not None:
        parts.append(tr("{n} of {all} done", n=ended, all=ended + left.operations))
    parts.append(f"{minutes}:{rest:02}")
    if left is not None and left.seconds is not None:
        parts.append(tr("{time} left", time=about(left.seconds)))
    return ", ".join(parts)


@contextmanager
def progress_shown(
    companion: Companion, path: Path, *, until: int | None = None, out: TextIO | None = None
) -> Iterator[None]:
    """While this lasts, a terminal at `out` (stderr) is told how far the work is."""
    out = out or sys.stderr
    if not out.isatty():
        yield
        return
    line = ProgressLine(companion, path, until=until, out=out)
    companion.operations_changed.connect(line.show)
    try:
        yield
    finally:
        companion.operations_changed.disconnect(line.show)
        line.clear()
