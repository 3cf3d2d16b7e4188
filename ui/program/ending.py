"""The end of the program comes in time, whatever the orderly one waits for."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)

RUNNING_SECONDS = 5.0  # that a piece of work is given which runs when the window closes
LONGEST_ENDING = 30.0  # seconds; with thousands of messages on a slow computer it takes 20


class Deadline:
    """Ends the process for good where that takes too long: a program that nobody sees goes on
    asking a model, and its folder stays locked. What is kept is kept as after a crash.

    seconds: from `begin` on. end: what ends the process at once; called in a thread of its own.
    """

    def __init__(self, end: Callable[[], None], seconds: float = LONGEST_ENDING) -> None:
        self._end = end
        self._seconds = seconds
        self._timer: threading.Timer | None = None

    def begin(self) -> None:
        """The window closes; further calls change nothing."""
        if self._timer is None:
            self._timer = threading.Timer(self._seconds, self._on_over)
            self._timer.daemon = True  # it waits for nobody, and nobody for it
            self._timer.start()

    def over(self) -> None:
        """All has ended."""
        if self._timer is not None:
            self._timer.cancel()

    def _on_over(self) -> None:
        log.warning("The program has not ended in %s s, and is ended now", self._seconds)
        self._end()


def end_at_once() -> None:
    """End the process without waiting for threads or tasks."""
    os._exit(1)
