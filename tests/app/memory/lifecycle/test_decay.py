"""How sure memories are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.memory.lifecycle.decay import after_pass, aged, confirmed
from app.memory.records import Memory, Tier

FACT = Memory("m", 1, Tier.LONG_TERM, "fact", "Kael keeps bees", last_confirmed=5.0)


def test_what_is_said_again_is_surer_but_never_more_than_sure() -> None:
    surer = confirmed(replace(FACT, unconfirmed_passes=7), 9.0)
    assert (surer.confidence, surer.unconfirmed_passes, surer.last_confirmed) == (0.75, 0, 9.0)
    assert confirmed(replace(FACT, confidence=0.98), 9.0).confidence == 1.0


@pytest.mark.parametrize(
    ("passes", "before", "after"),
    [(0, 0.7, 0.7), (8, 0.7, 0.7), (9, 0.7, 0.68), (30, 0.31, 0.3), (30, 0.3, 0.3), (30, 0.2, 0.2)],
)
def test_doubt_begins_at_the_tenth_pass_and_has_a_floor(
    passes: int, before: float, after: float
) -> None:
    older = aged(replace(FACT, unconfirmed_passes=passes, confidence=before))
    assert (older.confidence, older.unconfirmed_passes) == (after, passes + 1)
    assert older.importance == FACT.importance


def test_a_pass_confirms_what_it_said_again_and_ages_the_rest() -> None:
    other = replace(FACT, id="other", unconfirmed_passes=3)
    first, second = after_pass([FACT, other], {"m"}, 9.0)
    assert (first.confidence, first.unconfirmed_passes) == (0.75, 0)
    assert (second.confidence, second.unconfirmed_passes) == (0.7, 4)
    assert after_pass([], {"m"}, 9.0) == ()
