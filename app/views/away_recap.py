"""What happened before, for somebody who comes back to a story."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class AwayRecap:
    """What happened before in a chat. title: how long ago that was, for people; seconds: the same,
    -1 where it is not said.
    """

    path: Path
    title: str
    text: str
    seconds: float = field(default=-1, compare=False)
