"""Slots: the named extension prompts that Tavernkeep fills in SillyTavern."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

RUNNING_RECAP_KEY = "auto_recap_memory_scene"
MESSAGE_RECAPS_KEY = "auto_recap_memory_short"


class Position(IntEnum):
    """SillyTavern's extension_prompt_types, tested on 1.13.5 to 1.19.0 (spec/sillytavern.md §3)."""

    NONE = -1
    IN_PROMPT = 0
    IN_CHAT = 1
    BEFORE_PROMPT = 2


class Role(IntEnum):
    """SillyTavern's extension_prompt_roles."""

    SYSTEM = 0
    USER = 1
    ASSISTANT = 2


@dataclass(frozen=True, slots=True)
class Slot:
    """One extension prompt as it will be set.

    depth: messages from the end, only used IN_CHAT. tokens: of `text`; full_tokens: of what it
    would be without the budget; budget: tokens it may take.
    """

    key: str
    position: Position
    depth: int
    role: Role
    scan: bool
    text: str
    tokens: int
    budget: int
    full_tokens: int


@dataclass(frozen=True, slots=True)
class SlotSet:
    """The slots of one turn of one chat. revision grows with each change."""

    slots: tuple[Slot, ...] = ()
    revision: int = 0

    @property
    def total_tokens(self) -> int:
        return sum(slot.tokens for slot in self.slots)
