"""A text that the user has begun and not kept yet."""

from __future__ import annotations

from dataclasses import dataclass

RUNNING_RECAP = "running recap"
SCENE_RECAP = "scene recap"


@dataclass(frozen=True, slots=True)
class Draft:
    """kind: RUNNING_RECAP or SCENE_RECAP. anchor: message that closes the scene, "" for the
    running recap. base: number of the version it began from, None for none. saved: seconds since
    the epoch.
    """

    kind: str
    anchor: str
    text: str
    base: int | None = None
    saved: float = 0.0
