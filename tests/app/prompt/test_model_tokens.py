"""Counts of the model in use: its own where they are known, else ours times a factor."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from app.llm.tokenizer import KNOWN_RANKS, counter_for
from app.prompt.model_tokens import (
    LEAST_FACTOR,
    MARGIN,
    MEASURES,
    MOST_FACTOR,
    PROBES,
    KnownTokenizer,
    ModelCounter,
    measured,
)
from app.prompt.tokens import EstimatingCounter
from app.story.messages import digest

OURS = counter_for()
ENCODINGS = [counter_for(name) for name in KNOWN_RANKS]
TEXT = "The well under the chapel is deep, and nobody knows who dug it."


def told(count: object, overhead: int) -> list[int]:
    return [count(text) + overhead for text in (*MEASURES, *PROBES)]  # type: ignore[operator]


def test_a_tokenizer_that_counts_as_one_of_ours_is_recognised() -> None:
    for counter in ENCODINGS:
        found = measured("page", told(counter.count, 7), ENCODINGS, OURS)
        assert (found.encoding, found.overhead) == (counter.encoding, 7)


def test_another_tokenizer_is_not() -> None:
    found = measured("page", told(EstimatingCounter().count, 0), ENCODINGS, OURS)
    assert found.encoding == ""


def test_without_a_model_all_is_counted_as_ever() -> None:
    counter = ModelCounter(OURS)
    assert counter.count(TEXT) == OURS.count(TEXT)
    assert counter.is_exact
    assert not counter.needs(TEXT)


def test_what_the_model_has_counted_counts_so_and_all_else_by_the_factor() -> None:
    counter = ModelCounter(OURS)
    counter.use(KnownTokenizer("page", "", 0, 1.5, 500), OURS)
    assert counter.needs(TEXT)
    assert counter.count(TEXT) == math.ceil(OURS.count(TEXT) * 1.5 * MARGIN)
    counter.learn({digest(TEXT): 99})
    assert counter.count(TEXT) == 99
    assert not counter.needs(TEXT)
    assert counter.count("") == 0
    assert not counter.is_exact
    counter.use(KnownTokenizer("other", "o200k_base"), counter_for("o200k_base"))
    assert counter.count(TEXT) == counter_for("o200k_base").count(TEXT)
    assert counter.is_exact


@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 50_000)), max_size=20))
def test_a_learned_factor_stays_within_bounds(samples: list[tuple[int, int]]) -> None:
    known = KnownTokenizer("page")
    for ours, theirs in samples:
        known = known.learned(ours, theirs)
        assert LEAST_FACTOR <= known.factor <= MOST_FACTOR


def test_a_factor_settles_and_then_stays() -> None:
    known = KnownTokenizer("page")
    for _ in range(30):
        known = known.learned(1000, 1250)
    assert known.factor == 1.25
    assert known.learned(1000, 1260).factor == 1.25
