"""Likeness of texts: words, vectors, and never the one held against the limits of the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.similarity import (
    NO_VECTORS,
    PROFILE_A,
    PROFILE_B,
    Limit,
    Score,
    Vectors,
    jaccard,
    overlap,
    scores,
    scores_near,
    word_list,
    words,
)

TEXTS = st.lists(st.text("abc de.,'’ ü猫", max_size=12), max_size=8)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("The cat sat.", "the cat sat", 1.0),
        ("The cat sat.", "“The cat, sat!”", 1.0),
        ("ﬁre", "fire", 1.0),
        ("Mara’s", "Mara's", 1.0),
        ("one two", "one three", 1 / 3),
        ("the missing heir was found", "The missing heir must be found", 4 / 7),
        ("", "", 0.0),
        ("...", "one", 0.0),
        ("猫が好き", "猫が嫌い", 1 / 3),
    ],
)
def test_jaccard_is_the_share_of_common_words(one: str, other: str, expected: float) -> None:
    assert jaccard(one, other) == pytest.approx(expected)


def test_the_overlap_goes_by_the_longer_text() -> None:
    assert overlap("a b", "a b c d") == 0.5
    assert overlap("", "a") == 0.0


def test_only_edges_lose_their_signs() -> None:
    assert word_list("(well-known) 'Jean-Luc's ship'") == ("well-known", "jean-luc's", "ship")


def test_a_cosine_needs_both_vectors() -> None:
    vectors = Vectors.of({"a b": [1.0, 0.0], "c d": [0.0, 2.0]})
    assert vectors.score("a b", "c d") == Score(0.0, is_cosine=True)
    score = vectors.score("a b", "a x")
    assert score.value == pytest.approx(1 / 3)
    assert not score.is_cosine


def test_broken_vectors_count_as_none() -> None:
    vectors = Vectors.of(
        {"ok": [3.0, 4.0], "zero": [0, 0], "nan": [float("nan"), 1], "long": [1, 2, 3], "empty": []}
    )
    assert list(vectors.row_of) == ["ok"]
    assert np.linalg.norm(vectors.matrix[0]) == pytest.approx(1.0)
    assert Vectors.of({"zero": [0.0]}).row_of == {}


@pytest.mark.parametrize("profile", [PROFILE_A, PROFILE_B])
@pytest.mark.parametrize("name", ["duplicate", "cross", "topic"])
@pytest.mark.pitfall(56)
def test_a_limit_is_reached_at_its_edge_and_by_its_own_measure(profile: object, name: str) -> None:
    limit: Limit = getattr(profile, name)
    for is_cosine, edge in ((True, limit.cosine), (False, limit.jaccard)):
        assert Score(float(np.float32(edge)), is_cosine).reaches(limit)
        assert not Score(edge - 1e-4, is_cosine).reaches(limit)
        assert not Score(float(np.float32(edge)), is_cosine).exceeds(limit)
        assert Score(edge + 1e-4, is_cosine).exceeds(limit)
    between = (limit.cosine + limit.jaccard) / 2
    assert Score(between, is_cosine=False).reaches(limit)
    assert not Score(between, is_cosine=True).reaches(limit)


@given(TEXTS, TEXTS, st.integers(0, 8))
def test_the_table_of_scores_is_that_of_single_pairs(
    texts: list[str], others: list[str], with_vectors: int
) -> None:
    rng = np.random.default_rng(3)
    known = list(dict.fromkeys([*texts, *others]))[:with_vectors]
    vectors = Vectors.of({text: rng.standard_normal(4, np.float32) for text in known})
    table = scores(texts, others, vectors)
    for line, text in enumerate(texts):
        for column, other in enumerate(others):
            single, found = vectors.score(text, other), table.score(line, column)
            assert found.is_cosine == single.is_cosine
            assert found.value == pytest.approx(single.value, abs=1e-5)


@given(TEXTS, TEXTS, st.integers(0, 8), st.integers(0, 40), st.sampled_from([-1.1, 0.2, 0.8]))
def test_what_comes_near_is_all_of_the_table_that_reaches_the_limit(
    texts: list[str], others: list[str], with_vectors: int, beside: int, least: float
) -> None:
    rng = np.random.default_rng(3)
    known = list(dict.fromkeys([*texts, *others]))[:with_vectors]
    known += [f"not compared {number}" for number in range(beside)]
    vectors = Vectors.of({text: rng.standard_normal(3, np.float32) for text in known})
    table = scores(texts, others, vectors)
    limit = Limit(cosine=least, jaccard=least)
    places, found = scores_near(texts, others, vectors, limit)
    reaching = {
        column
        for line in range(len(texts))
        for column in range(len(others))
        if table.score(line, column).reaches(limit)
    }
    assert reaching <= set(places)
    for line in range(len(texts)):
        for place, column in enumerate(places):
            near, there = found.score(line, place), table.score(line, column)
            assert near.is_cosine == there.is_cosine
            assert near.value == pytest.approx(there.value, abs=1e-5)
    if least > 0 and texts and others:
        far = set(range(len(others))) - reaching
        assert all(max(found.values[:, places.index(c)]) > least - 0.01 for c in far & {*places})


def test_more_rows_than_are_multiplied_at_once_are_all_compared() -> None:
    rng = np.random.default_rng(5)
    made = {f"text {number}": rng.standard_normal(8, np.float32) for number in range(2_500)}
    vectors = Vectors.of(made)
    others = list(made)[::-1]
    table = scores(["text 3", "text 2400"], others, vectors)
    whole = vectors.matrix[[3, 2400]] @ vectors.matrix[::-1].T
    assert np.allclose(table.values, whole, atol=1e-5)
    places, found = scores_near(["text 3", "text 2400"], others, vectors, Limit(0.9, 0.9))
    assert {others[place] for place in places} >= {"text 3", "text 2400"}
    assert np.allclose(found.values, whole[:, places], atol=1e-5)


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_mutual_and_a_share(one: str, other: str) -> None:
    assert 0.0 <= jaccard(one, other) == jaccard(other, one) <= overlap(one, other) <= 1.0
    assert not words(one) or NO_VECTORS.score(one, one).value == 1.0
