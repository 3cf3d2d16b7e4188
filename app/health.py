"""What the status bar says: each part of the program, good or bad, in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Light(StrEnum):
    """How a part is doing."""

    GOOD = "good"
    IDLE = "idle"
    WORKING = "working"
    BAD = "bad"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class HealthItem:
    """One part. name: sillytavern, bridge, reading, queue or backend."""

    name: str
    light: Light
    sentence: str


@dataclass(frozen=True, slots=True)
class Health:
    """All parts."""

    sillytavern: HealthItem
    bridge: HealthItem
    reading: HealthItem
    queue: HealthItem
    backend: HealthItem


def count_of(number: int, noun: str) -> str:
    """ "1 chat", "2 chats"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def about(seconds: float) -> str:
    """A time that is only expected: "about 40 s", "about 12 min", "about 2 h 10 min"."""
    if seconds < 55:
        return f"about {max(5, round(seconds / 5) * 5)} s"
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return f"about {minutes} min"
    hours, minutes = divmod(round(minutes / 5) * 5, 60)
    return f"about {hours} h {minutes} min" if minutes else f"about {hours} h"
