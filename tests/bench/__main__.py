"""Runs every bench_*.py of this folder and prints one table: `python -m tests.bench [NAME ...]`.

A module takes part when it has a `measure` that needs no argument and returns rows, or a `report`
that prints figures of another kind.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path

from tests.bench.table import Row, as_text


def main(names: list[str]) -> None:
    """Run the modules named (without "bench_"), or all."""
    rows: list[Row] = []
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        if names and path.stem.removeprefix("bench_") not in names:
            continue
        module = importlib.import_module(f"tests.bench.{path.stem}")
        report = getattr(module, "report", None)
        if report is not None:
            report()
        measure = getattr(module, "measure", None)
        if measure is None or any(
            parameter.default is parameter.empty
            for parameter in inspect.signature(measure).parameters.values()
        ):
            continue
        print(f"{path.stem} ...", file=sys.stderr)  # noqa: T201
        rows += measure()
    print(as_text(rows))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
