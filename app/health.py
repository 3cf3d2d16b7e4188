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
