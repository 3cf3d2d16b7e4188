"""Which message recaps would count under other budgets, while somebody drags a slider. Pure.

A recap's place in the joined text costs what it takes with the separator behind it, since a
tokenizer begins anew after a line end; so a step of the slider is a look-up in sums, and asks for
no count of the whole text. What `inclusion.include` decides when the slider is let go is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.story.inclusion import SEPARATOR, InclusionState
from app.story.story import Story

_CANDIDATES = frozenset(
    {InclusionState.INCLUDED, InclusionState.LONG_TERM, InclusionState.OUT_OF_BUDGET}
)
_COUNTED_AHEAD = 64  # recaps

Indexes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Counted:
    """Indexes of messages by what becomes of their recaps. tokens: of those that count."""

    included: Indexes
    long_term: Indexes
    out: Indexes
    tokens: int = 0


class InclusionPreview:
    """The recaps of a story that stand or fall with the budgets, newest first.

    with_prefill, skip_oversized: as in InclusionRules. count: tokens of a text.
    """

    def __init__(
        self,
        story: Story,
        count: Callable[[str], int],
        *,
        with_prefill: bool = False,
        skip_oversized: bool = False,
    ) -> None:
        found = [i for i, one in enumerate(story.inclusion) if one.state in _CANDIDATES]
        found.reverse()
        self._story = story
        self._count = count
        self._with_prefill = with_prefill
        self._skips = skip_oversized
        self.places: Indexes = np.array(found, np.int64)
        self._alone = np.array([story.inclusion[i].tokens for i in found], np.int64)
        self._remembered = np.array([self._is_remembered(i) for i in found], np.bool_)
        self._joined = np.zeros(len(found), np.int64)  # with the separator behind

    def __len__(self) -> int:
        return len(self.places)

    @property
    def tokens(self) -> int:
        """Of all these recaps together."""
        return int(self._alone.sum())

    def under(self, limit: int, long_term: int) -> Counted:
        """What counts within two budgets, in tokens."""
        order = np.arange(len(self.places))
        short = self._fitting(order, limit)
        kept = order[self._remembered & ~_among(order, short)]
        long = self._fitting(kept, long_term)
        is_short = _among(order, short)
        is_long = _among(order, long) | (is_short & self._remembered)
        is_out = ~(is_short | is_long)
        inside = is_short | is_long
        return Counted(
            self.places[is_short & ~self._remembered],
            self.places[is_long],
            self.places[is_out],
            int(self._alone[inside].sum()),
        )

    def text(self, counted: Counted) -> str:
        """What counts, oldest first, a line each."""
        inside = np.sort(np.concatenate([counted.included, counted.long_term]))
        return "\n".join(" ".join(self._text(int(index)).split()) for index in inside)

    def _fitting(self, order: Indexes, limit: int) -> Indexes:
        """Those of the candidates that fit, as one joined text."""
        if not len(order):
            return order
        return self._stepped(order, limit) if self._skips else self._cut(order, limit)

    def _cut(self, order: Indexes, limit: int) -> Indexes:
        """As many of the first as fit."""
        ahead = _COUNTED_AHEAD
        while True:
            ahead = min(ahead, len(order))
            self._join(order[:ahead])
            before = np.concatenate([[0], np.cumsum(self._joined[order[: ahead - 1]])])
            fits = before + self._alone[order[:ahead]] <= limit
            if ahead == len(order) or not fits.all():
                return order[: int(np.argmin(fits)) if not fits.all() else ahead]
            ahead *= 4

    def _stepped(self, order: Indexes, limit: int) -> Indexes:
        """The first, then each that still fits."""
        alone = self._alone[order]
        least = np.minimum.accumulate(alone[::-1])[::-1]
        taken: list[int] = []
        used = 0
        for place, size in enumerate(alone.tolist()):
            if used + least[place] > limit:
                break
            if used + size <= limit:
                taken.append(place)
                self._join(order[place : place + 1])
                used += int(self._joined[order[place]])
        return order[taken]

    def _join(self, order: Indexes) -> None:
        """Count what these take with a separator behind, each once."""
        for place in order[self._joined[order] == 0].tolist():
            self._joined[place] = self._count(self._text(int(self.places[place])) + SEPARATOR)

    def _text(self, index: int) -> str:
        recap = self._story.message_recaps[self._story.messages[index].anchor]
        return recap.shown_text(with_prefill=self._with_prefill)

    def _is_remembered(self, index: int) -> bool:
        return self._story.message_recaps[self._story.messages[index].anchor].is_remembered


def _among(order: Indexes, chosen: Indexes) -> NDArray[np.bool_]:
    marks = np.zeros(len(order), np.bool_)
    marks[chosen] = True
    return marks
