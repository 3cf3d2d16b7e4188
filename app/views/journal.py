"""What the user did to a chat, as a list of steps that can be taken back."""

from __future__ import annotations

from dataclasses import dataclass

AT_FIRST = 0  # stands for the state before the oldest action that is kept


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One action. when: epoch seconds it was done at. is_undone: it can be done again."""

    id: int
    label: str
    when: float
    is_undone: bool
