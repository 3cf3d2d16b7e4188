"""A prompt as it was sent, beside the one before."""

from __future__ import annotations

from dataclasses import dataclass

from app.prompt.prefix import PrefixBreak
from app.prompt.turns import SentTurn


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn with its prompt, and how it compares with the one before. break_: None where the
    whole prompt of before stands in it unchanged, or where there is none before.
    """

    turn: SentTurn
    before: SentTurn | None
    break_: PrefixBreak | None
