"""A clock that is set while the program runs, and files that bear the times of such a clock."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from time import struct_time
from typing import Any

import pytest


class SetClock:
    """What `time` says of the hour, once it was set; how time passes is another clock's."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        self._real = time.time
        self._localtime, self._strftime, self._replace = time.localtime, time.strftime, os.replace
        self.ahead = 0.0  # seconds
        for name in ("time", "time_ns", "localtime", "strftime"):
            patch.setattr(time, name, getattr(self, name))
        patch.setattr(os, "replace", self.replace)

    def set(self, ahead: float, zone: str) -> None:
        """Be so far ahead of the right time, in this zone."""
        self.ahead = ahead
        self._patch.setenv("TZ", zone)
        time.tzset()

    def time(self) -> float:
        return self._real() + self.ahead

    def time_ns(self) -> int:
        return int(self.time() * 1e9)

    def localtime(self, seconds: float | None = None) -> struct_time:
        return self._localtime(self.time() if seconds is None else seconds)

    def strftime(self, form: str, moment: Any = None) -> str:
        return self._strftime(form, self.localtime() if moment is None else moment)

    def replace(self, source: Any, target: Any, **how: Any) -> None:
        """What is put in its place whole bears the time that it is by this clock."""
        self._replace(source, target, **how)
        os.utime(target, (self.time(), self.time()))


@contextlib.contextmanager
def set_clock() -> Iterator[SetClock]:
    """For as long as it lasts; then both are right again."""
    try:
        with pytest.MonkeyPatch.context() as patch:
            yield SetClock(patch)
    finally:
        time.tzset()
