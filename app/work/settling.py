"""Settles what was claimed: what is new, what is known, what replaces what, what becomes one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.llm.asking import Spent
from app.llm.writer import KeptAnswers, RecapWriter
from app.memory.records import Memory, MemoryChange


@dataclass(frozen=True, slots=True)
class Settling:
    """What is to be settled.

    claimed: in the order of the answer. known: what holds. places: message index by id, of both.
    kept, spent: for the questions to the model.
    """

    claimed: tuple[Memory, ...]
    known: Sequence[Memory]
    places: Mapping[str, int]
    settings: Mapping[str, Any]
    writer: RecapWriter
    kept: KeptAnswers
    spent: Spent


class Settler:
    """Decides with code, and asks the model only the small closed questions that are left."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self.count = count

    async def settle(self, settling: Settling) -> MemoryChange:
        """The change that the claims make."""
        return MemoryChange(settling.claimed)
