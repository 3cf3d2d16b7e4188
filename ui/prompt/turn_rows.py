"""Turns as rows of a list, newest first, under the prompt that is still to come."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from app.core.translation import number, tr
from app.prompt.turns import SentTurn
from app.story.story import Story
from ui.budgets.words import TURN_WORDS
from ui.memories.words import excerpt
from ui.prompt.words import generation_words
from ui.recaps.version_rows import VersionRow

REACH = 1000  # newest messages among which those before the kept turns are looked for
COMING = 0  # number of the row of the prompt to come; turns count from 1


@dataclass(frozen=True)
class TurnRow(VersionRow):
    """One turn. name: what the row is called."""

    name: str = ""

    @property
    def word(self) -> str:
        return self.name


def turn_rows(turns: Sequence[SentTurn], story: Story | None = None) -> tuple[TurnRow, ...]:
    """The rows; turns come newest first. story: tells which message each turn went on from."""
    moments = sent_moments(story) if story is not None else ()
    coming = TurnRow(COMING, "", 0.0, "", tr("As it is now"), name=tr("Next prompt"))
    has_names = len({turn.responder for turn in turns}) > 1
    rows = []
    for turn in turns:
        index = last_before(moments, turn.moment)
        message = story.messages[index] if story is not None and index is not None else None
        row = _row(turn, has_names=has_names)
        if message is not None and index is not None:
            words = tr("after #{index}", index=index)
            why = tr("{after}, {kind}", after=words, kind=row.why) if row.why else words
            quote = f"{message.name}: {excerpt(message)}" if message.name else excerpt(message)
            row = replace(row, why=why, quote=quote)
        rows.append(replace(row, told=row.why))  # in full, where the list has no room for it
    return (coming, *rows)


def sent_moments(story: Story) -> tuple[float, ...]:
    """When each message was sent, in seconds since the epoch; a date that only people can read
    counts as that of the message before, and those far back are not looked at.
    """
    moments = [math.inf] * max(0, len(story.messages) - REACH)
    for message in story.messages[len(moments) :]:
        try:
            sent = datetime.fromisoformat(message.sent)
        except ValueError:
            moments.append(moments[-1] if moments else math.inf)
            continue
        moments.append((sent if sent.tzinfo else sent.replace(tzinfo=UTC)).timestamp())
    return tuple(moments)


def last_before(moments: Sequence[float], moment: float) -> int | None:
    """The newest message that was there at that moment; None where that is not known."""
    return next((i for i in range(len(moments) - 1, -1, -1) if moments[i] <= moment), None)


def _row(turn: SentTurn, *, has_names: bool) -> TurnRow:
    """has_names: not all are for the same one."""
    why = tr(TURN_WORDS[turn.kind]) if turn.kind is not None else ""
    if not turn.total_tokens:
        why = tr("without memory")
    elif has_names:
        why = turn.responder or tr("Nobody named")
    if turn.cut_tokens:
        cut = tr("{cut} cut", cut=number(turn.cut_tokens))
        why = tr("{kind}, {cut}", kind=why, cut=cut) if why else cut
    return TurnRow(turn.id, "", turn.moment, turn.responder, why, name=generation_words(turn))
