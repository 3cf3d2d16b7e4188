"""Turns as rows of a list, newest first, under the prompt that is still to come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.prompt.turns import SentTurn
from ui.prompt.words import generation_words
from ui.recaps.version_rows import VersionRow

COMING = 0  # number of the row of the prompt to come; turns count from 1


@dataclass(frozen=True)
class TurnRow(VersionRow):
    """One turn. name: what the row is called."""

    name: str = ""

    @property
    def word(self) -> str:
        return self.name


def turn_rows(turns: Sequence[SentTurn]) -> tuple[TurnRow, ...]:
    """The rows; turns come newest first."""
    coming = TurnRow(COMING, "", 0.0, "", "As it stands now", name="Next prompt")
    has_names = len({turn.responder for turn in turns}) > 1
    return (coming, *(_row(turn, has_names=has_names) for turn in turns))


def _row(turn: SentTurn, *, has_names: bool) -> TurnRow:
    """has_names: not all are for the same one."""
    kind = turn.kind.value.capitalize() if turn.kind is not None else "Sent"
    why = turn.responder or "Nobody named" if has_names else kind
    if turn.cut_tokens:
        why += f", {turn.cut_tokens:,} cut"
    return TurnRow(turn.id, "", turn.moment, turn.responder, why, name=generation_words(turn))
