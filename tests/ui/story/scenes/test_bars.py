"""Bars of the strip: worst state wins, and nothing is computed twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.story.inclusion import Inclusion, InclusionState
from tests.ui.samples import message, story, with_states
from ui.story.messages.message_model import empty_story
from ui.story.scenes.bars import (
    BY_RANK,
    STALE,
    bars_of,
    bucketed,
    counts_by_state,
    no_bars,
    stale_count,
)

FAILED = BY_RANK.index(InclusionState.FAILED)


def test_a_failure_outranks_everything() -> None:
    assert max(range(len(BY_RANK))) == FAILED
    assert STALE == FAILED - 1


def test_a_failure_never_vanishes_in_a_bucket() -> None:
    ranks = np.zeros(100_000, np.uint8)
    ranks[54_321] = FAILED
    tokens = np.ones(100_000, np.int32)
    _, shown = bucketed(tokens, ranks, 640)
    assert (shown == FAILED).sum() == 1


@given(st.lists(st.integers(0, 7), min_size=1, max_size=300), st.data())
def test_buckets_hold_the_worst_and_the_highest(values: list[int], data: st.DataObject) -> None:
    columns = data.draw(st.integers(1, len(values)))
    ranks, tokens = np.array(values, np.uint8), np.array(values, np.int32)
    high, worst = bucketed(tokens, ranks, columns)
    assert len(high) == len(worst) == columns
    assert high.max() == max(values)
    assert worst.max() == max(values)


def test_states_are_counted_as_the_legend_shows_them() -> None:
    told = with_states(story(60, (9, 19)))
    bars = bars_of(told, no_bars(), empty_story())
    counted = counts_by_state(bars)
    assert sum(counted.values()) == 60
    for state in InclusionState:
        assert counted[state] == sum(i.state is state for i in told.inclusion)
    assert stale_count(bars) == sum(i.is_stale for i in told.inclusion)


@pytest.mark.parametrize("first", [0, 30, 60])
def test_taking_over_gives_the_same_as_beginning_anew(first: int) -> None:
    old = with_states(story(60, (9, 19)))
    before = bars_of(old, no_bars(), empty_story())
    changed = tuple(
        i if n < first else Inclusion(InclusionState.LONG_TERM, "", is_stale=n == 40)
        for n, i in enumerate(old.inclusion)
    )
    new = replace(
        old,
        messages=(*old.messages, message(60)),
        inclusion=(*changed, Inclusion(InclusionState.NONE, "")),
        message_tokens=(*old.message_tokens, 9),
    )
    taken, anew = bars_of(new, before, old), bars_of(new, no_bars(), empty_story())
    assert taken.ranks.tolist() == anew.ranks.tolist()
    assert taken.base.tolist() == anew.base.tolist()
    assert taken.tokens.tolist() == anew.tokens.tolist()


def test_a_story_without_tokens_or_inclusion_has_bars_of_nothing() -> None:
    bare = replace(story(5, ()), inclusion=(), message_tokens=())
    bars = bars_of(bare, no_bars(), empty_story())
    assert bars.count == 5
    assert bars.tokens.sum() == 0
