"""Turns as rows of a list, newest first, under the prompt that is still to come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.prompt.turns import SentTurn
from app.translation import number, tr
from ui.budgets.words import TURN_WORDS
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
    coming = TurnRow(COMING, "", 0.0, "", tr("As it stands now"), name=tr("Next prompt"))
    has_names = len({turn.responder for turn in turns}) > 1
    return (coming, *(_row(turn, has_names=has_names) for turn in turns))


def _row(turn: SentTurn, *, has_names: bool) -> TurnRow:
    """has_names: not all are for the same one."""
    kind = tr(TURN_WORDS[turn.kind]) if turn.kind is not None else tr("Sent")
    why = turn.responder or tr("Nobody named") if has_names else kind
    if turn.cut_tokens:
        why = tr("{kind}, {cut} cut", kind=why, cut=number(turn.cut_tokens))
    return TurnRow(turn.id, "", turn.moment, turn.responder, why, name=generation_words(turn))
