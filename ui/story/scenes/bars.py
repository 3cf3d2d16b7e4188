"""Tokens and states of all messages as arrays: what strip and scene ticks are drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from operator import attrgetter, is_not

import numpy as np
from numpy.typing import NDArray

from app.prompt.reach import Reach, Reached
from app.story.inclusion import Inclusion, InclusionState
from app.story.story import Story

# From harmless to worst. Where one column stands for many messages the worst is shown, so that a
# failure never vanishes; what is only old must not hide what is wrong.
STALE = 6
BY_RANK = (
    InclusionState.NONE,
    InclusionState.INCLUDED,
    InclusionState.LONG_TERM,
    InclusionState.LAGGING,
    InclusionState.EXCLUDED,
    InclusionState.OUT_OF_BUDGET,
    None,  # stale, whatever the state below it
    InclusionState.FAILED,
)
REACHES = len(BY_RANK)  # where ranks of a Reach begin
DRAWN = (*BY_RANK, *Reach)
# By the stored word: hashing an enum member runs Python code, 100,000 times for a long chat.
_STATE_WORD, _IS_STALE = attrgetter("state._value_"), attrgetter("is_stale")
_RANKS = {state.value: rank for rank, state in enumerate(BY_RANK) if state is not None}


@dataclass(frozen=True, slots=True)
class Bars:
    """One entry per message. tokens: int32. ranks: uint8, places in BY_RANK. base: uint8, rank of
    the state under a stale mark."""

    tokens: NDArray[np.int32]
    ranks: NDArray[np.uint8]
    base: NDArray[np.uint8]

    @property
    def count(self) -> int:
        return len(self.tokens)


def no_bars() -> Bars:
    """The bars of no story."""
    empty = np.zeros(0, np.uint8)
    return Bars(np.zeros(0, np.int32), empty, empty)


def bars_of(story: Story, before: Bars, old: Story) -> Bars:
    """Bars of a story, taking over what did not change since `old`, whose bars are `before`."""
    count = len(story.messages)
    kept = min(_same_head(story.inclusion, old.inclusion), count, before.count)
    fresh = story.inclusion[kept:count]
    base = np.zeros(count, np.uint8)
    base[:kept] = before.base[:kept]
    words = map(_RANKS.__getitem__, map(_STATE_WORD, fresh))
    base[kept : kept + len(fresh)] = np.fromiter(words, np.uint8, len(fresh))
    ranks = base.copy()
    ranks[:kept] = before.ranks[:kept]
    stale = kept + np.flatnonzero(np.fromiter(map(_IS_STALE, fresh), np.bool_, len(fresh)))
    ranks[stale] = np.maximum(ranks[stale], STALE)
    return Bars(_tokens_of(story, before, old, count), ranks, base)


def reach_bars(reach: Reached, bars: Bars) -> Bars:
    """Bars of how messages reach the prompt; tokens are those of `bars`. What came since is sent
    word for word, as the newest messages are.
    """
    codes = np.full(bars.count, Reach.VERBATIM, np.uint8)
    known = np.frombuffer(reach.codes, np.uint8)[: bars.count]
    codes[: len(known)] = known
    codes += REACHES
    return Bars(bars.tokens, codes, codes)


@dataclass(frozen=True, slots=True)
class Amount:
    """How many messages, and tokens of theirs."""

    messages: int
    tokens: int


def amounts_by_reach(bars: Bars) -> dict[Reach, Amount]:
    """How much of the story reaches the prompt in each way; bars as of `reach_bars`."""
    counted = np.bincount(bars.base, minlength=len(DRAWN))
    tokens = np.bincount(bars.base, bars.tokens, len(DRAWN))
    return {
        reach: Amount(int(counted[REACHES + reach]), int(tokens[REACHES + reach]))
        for reach in Reach
    }


def of_reach(bars: Bars, reach: Reach) -> list[int]:
    """Indexes of the messages that reach the prompt in one way."""
    return [int(index) for index in np.flatnonzero(bars.base == REACHES + reach)]


def _tokens_of(story: Story, before: Bars, old: Story, count: int) -> NDArray[np.int32]:
    new, known = story.message_tokens[:count], old.message_tokens
    kept = before.count if len(known) == before.count and new[: len(known)] == known else 0
    tokens = np.zeros(count, np.int32)
    tokens[:kept] = before.tokens[:kept]
    tokens[kept : len(new)] = np.fromiter(new[kept:], np.int32, len(new) - kept)
    return tokens


def _same_head(new: tuple[Inclusion, ...], old: tuple[Inclusion, ...]) -> int:
    """How many entries at the head are the same objects."""
    shorter = min(len(new), len(old))
    different = compress(range(shorter), map(is_not, new, old))
    return next(different, shorter)


def bucketed(
    values: NDArray[np.int32], ranks: NDArray[np.uint8], columns: int
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Squeeze messages into `columns` columns: the largest value and the worst rank of each.

    columns: 1 to len(values).
    """
    starts = (np.arange(columns, dtype=np.int64) * len(values)) // columns
    return np.maximum.reduceat(values, starts), np.maximum.reduceat(ranks, starts)


def counts_by_state(bars: Bars) -> dict[InclusionState, int]:
    """How many messages are in each state, stale ones by the state they are based on."""
    counted = np.bincount(bars.base, minlength=len(BY_RANK))
    return {state: int(counted[rank]) for rank, state in enumerate(BY_RANK) if state is not None}


def stale_count(bars: Bars) -> int:
    return int(np.count_nonzero(bars.ranks == STALE))


def next_of(bars: Bars, state: InclusionState | None, after: int) -> int | None:
    """The next message in a state behind `after`, from the first again behind the last one.

    state: None for messages that changed since their recap. None where there is none.
    """
    wanted = bars.ranks == STALE if state is None else bars.base == BY_RANK.index(state)
    found = np.flatnonzero(wanted)
    if not len(found):
        return None
    return int(found[int(np.searchsorted(found, after, side="right")) % len(found)])
