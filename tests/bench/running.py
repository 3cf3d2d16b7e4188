"""Runs one module of measurements, in the process that was made for it."""

from __future__ import annotations

import importlib
import inspect

import app  # noqa: F401 - first, as in the program: it sets how numpy is loaded
from tests.bench.table import Row


def run(module_name: str, *, is_named: bool) -> list[Row]:
    """The rows of one module; its report is printed when it was asked for by name."""
    module = importlib.import_module(f"tests.bench.{module_name}")
    report, measure = getattr(module, "report", None), getattr(module, "measure", None)
    if report is not None and is_named:
        report()
    if measure is None or inspect.signature(measure).parameters:
        return []
    return list(measure())
