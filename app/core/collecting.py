"""Garbage of a long chat: what has outlived a full collection is seldom looked through again.

A chat of 100,000 messages is some hundred thousand objects that stay. To look through them all
takes a tenth of a second, and finds nothing; meanwhile nothing else goes on.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

FULL_EVERY = 32  # of Python's collections of the oldest objects, one looks through all
YOUNG = 50_000  # objects made before the youngest are looked through; one message makes thousands


@contextmanager
def sparing_the_old() -> Iterator[None]:
    """While it lasts, what is old is set aside, in this whole process."""
    threshold, *others = before = gc.get_threshold()
    gc.set_threshold(max(threshold, YOUNG), *others)
    sparing = _Sparing()
    gc.callbacks.append(sparing)
    try:
        yield
    finally:
        gc.callbacks.remove(sparing)
        gc.unfreeze()
        gc.set_threshold(*before)


class _Sparing:
    """Hears of each collection."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, phase: str, told: Mapping[str, int]) -> None:
        if told["generation"] < 2:
            return
        if phase == "stop":
            gc.freeze()
            return
        self._count += 1
        if self._count % FULL_EVERY == 0:
            gc.unfreeze()
