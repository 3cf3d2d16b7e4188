"""Measures, and prints one table: `python -m tests.bench [--quick] [NAME ...]`.

A module bench_NAME.py of this folder takes part when it has a `measure` that needs no argument and
gives rows. One with a `report`, which prints figures of another kind, runs when it is named. Each
runs in a process of its own, so that none leaves a heap or a cache to the next.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.bench.running import run
from tests.bench.table import QUICK_VARIABLE, Row, as_text

MOST_SAID = 300
# Qt's offscreen platform says of every window that it has no manager of windows.
SILENT = ("QT_LOGGING_RULES", "default.warning=false")


def main(arguments: list[str]) -> int:
    """Run the modules named (without "bench_"), or all that give rows; 1 when one broke."""
    if "--quick" in arguments:
        os.environ[QUICK_VARIABLE] = "1"
    os.environ.setdefault(*SILENT)
    names = [argument for argument in arguments if not argument.startswith("-")]
    rows: list[Row] = []
    is_whole = True
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        name = path.stem.removeprefix("bench_")
        if names and name not in names:
            continue
        began = time.monotonic()
        print(f"{name} ...", end=" ", file=sys.stderr, flush=True)  # noqa: T201
        try:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                rows += process.submit(run, path.stem, is_named=bool(names)).result()
        except Exception as error:  # noqa: BLE001 - the others' figures are still wanted
            said = " ".join(str(error).split())[:MOST_SAID]  # of a command, its whole program
            rows.append(Row(name, missing=f"It broke: {type(error).__name__}: {said}"))
            is_whole = False
        print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)  # noqa: T201
    print(as_text(rows), _surroundings(), sep="\n\n")  # noqa: T201
    return 0 if is_whole else 1


def _surroundings() -> str:
    """What the figures were taken beside."""
    processors = os.cpu_count() or 1
    load = f", load {os.getloadavg()[1]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"Medians. Where both sides compute, the processor's time of each, in turns. {processors} "
        f"processors{load}: what is taken by the clock (windows, SillyTavern) grows with the load."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
