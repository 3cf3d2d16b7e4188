"""Which message recaps go into the prompt, and why the others do not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class InclusionState(StrEnum):
    """Where a message's recap goes; the words and colours of look.md §2.3."""

    INCLUDED = "included"
    LONG_TERM = "long-term"
    OUT_OF_BUDGET = "out of budget"
    EXCLUDED = "excluded"
    LAGGING = "lagging"
    FAILED = "failed"
    NONE = "none"  # no recap yet


@dataclass(frozen=True, slots=True)
class Inclusion:
    """What became of one message.

    reason: one sentence. tokens: of the recap, 0 when there is none. is_stale: the text changed
    since the recap was made. is_edited: the recap was written by hand.
    """

    state: InclusionState
    reason: str
    tokens: int = 0
    is_stale: bool = False
    is_edited: bool = False
