"""What another wording would change in all that was written of a story."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Part(StrEnum):
    """What a wording is looked for in."""

    MESSAGES = "messages"  # recaps of single ones
    SCENES = "scenes"
    RUNNING = "running"
    MEMORIES = "memories"


ALL_PARTS = frozenset(Part)


@dataclass(frozen=True, slots=True)
class Example:
    """A text that would change. index: of a message, None for the running recap and memories.
    before, after: what stands around the first find.
    """

    part: Part
    index: int | None
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Finds:
    """How many texts of each part hold the wording, and how they would read."""

    texts: Mapping[Part, int] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def count(self) -> int:
        return sum(self.texts.values())
