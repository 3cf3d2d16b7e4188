"""Merges what is asked for many times in a row: it is done once, when no more is asked for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class _Waiting:
    """What is to be done for a chat, and when that was asked for first (monotonic seconds)."""

    timer: asyncio.TimerHandle
    do: Callable[[], None]
    first: float


class Bursts:
    """Waits for a chat's burst to end.

    longest: seconds after which a burst that does not end is answered all the same.
    """

    def __init__(self, longest: float) -> None:
        self._longest = longest
        self._waiting: dict[Path, _Waiting] = {}
        self._is_closed = False

    def after(self, seconds: float, path: Path, do: Callable[[], None]) -> None:
        """Do this for the chat when nothing was asked for it for so long; the last one counts."""
        if self._is_closed:
            return
        now = first = time.monotonic()
        waiting = self._waiting.get(path)
        if waiting is not None:
            waiting.timer.cancel()
            first = waiting.first
            seconds = min(seconds, max(0.0, first + self._longest - now))
        timer = asyncio.get_running_loop().call_later(seconds, self._on_due, path)
        self._waiting[path] = _Waiting(timer, do, first)

    def flush(self) -> None:
        """Do everything that waits, now."""
        for path, waiting in tuple(self._waiting.items()):
            waiting.timer.cancel()
            self._on_due(path)

    def close(self) -> None:
        """Do nothing any more, also of what waits."""
        self._is_closed = True
        for waiting in self._waiting.values():
            waiting.timer.cancel()
        self._waiting.clear()

    def _on_due(self, path: Path) -> None:
        self._waiting.pop(path).do()
