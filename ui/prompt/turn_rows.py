"""Turns as rows of a list, newest first, under the prompt that is still to come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.core.translation import number, tr
from app.prompt.turns import SentTurn
from ui.budgets.words import TURN_WORDS
from ui.memories.words import excerpt
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
    coming = TurnRow(COMING, "", 0.0, "", tr("As it is now"), name=tr("Next prompt"))
    has_names = len({turn.responder for turn in turns}) > 1
    return (coming, *(_row(turn, has_names=has_names) for turn in turns))


def _row(turn: SentTurn, *, has_names: bool) -> TurnRow:
    """has_names: not all are for the same one."""
    why = tr(TURN_WORDS[turn.kind]) if turn.kind is not None else ""
    if not turn.total_tokens:
        why = tr("without memory")
    elif has_names:
        why = turn.responder or tr("Nobody named")
    brief = why
    if turn.cut_tokens:
        cut = tr("{cut} cut", cut=number(turn.cut_tokens))
        why = tr("{kind}, {cut}", kind=why, cut=cut) if why else cut
    row = TurnRow(
        *(turn.id, "", turn.moment, turn.responder, why),
        brief=brief,
        name=generation_words(turn),
        told=why,
    )
    if turn.after < 0:
        return row
    after = tr("after #{index}", index=turn.after)
    told = tr("{after}, {kind}", after=after, kind=why) if why else after
    words = excerpt(turn.said)
    words = f"{turn.said_by}: {words}" if turn.said_by else words
    return replace(row, quote=f"#{turn.after} {words}", told=told)
