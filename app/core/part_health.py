"""What the status bar says: each part of the program, good or bad, in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.core.translation import tr

COPIES = "copies"  # cause: a chat lost something of which there is a copy
PARTS = ("sillytavern", "bridge", "reading", "queue", "backend")


class Light(StrEnum):
    """How a part is doing."""

    GOOD = "good"
    IDLE = "idle"
    WORKING = "working"
    BAD = "bad"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class HealthItem:
    """One part. name: sillytavern, bridge, reading, queue or backend.

    cause: by which what mends it is chosen, "" where the light says enough.
    """

    name: str
    light: Light
    sentence: str
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    """All parts."""

    sillytavern: HealthItem
    bridge: HealthItem
    reading: HealthItem
    queue: HealthItem
    backend: HealthItem


def about(seconds: float) -> str:
    """A time that is only expected: "about 40 s", "about 12 min", "about 2 h 10 min"."""
    if seconds < 55:
        return tr("about {n} s", n=max(5, round(seconds / 5) * 5))
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return tr("about {n} min", n=minutes)
    hours, minutes = divmod(round(minutes / 5) * 5, 60)
    if minutes:
        return tr("about {hours} h {minutes} min", hours=hours, minutes=minutes)
    return tr("about {n} h", n=hours)
