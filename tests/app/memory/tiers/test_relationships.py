"""Lines on how characters feel toward each other (spec/smart-memory.md §8.4, §25)."""

from __future__ import annotations

import pytest

from app.memory.reading.answers import read_answer


def felt(text: str) -> dict[tuple[str, str, str], str]:
    return {(c.subject, c.target, c.text): c.magnitude for c in read_answer(text).claims}


def test_attitudes_have_magnitudes_and_some_are_taken_back() -> None:
    answer = read_answer("Senjin -> Asher: warm(high), very cautious, !hostile")
    assert [(c.text, c.magnitude) for c in answer.claims] == [
        ("warm", "high"),
        ("cautious", "high"),
    ]
    assert [(e.subject, e.target, e.text) for e in answer.ends] == [("Senjin", "Asher", "hostile")]


def test_of_an_attitude_said_twice_the_higher_counts() -> None:
    assert felt("A -> B: slightly nervous, nervous(medium)") == {("A", "B", "nervous"): "medium"}
    assert felt("A -> B: nervous(high), nervous") == {("A", "B", "nervous"): "high"}


def test_a_bare_magnitude_is_no_attitude() -> None:
    assert felt("A->B: high, low") == {}


@pytest.mark.parametrize("name", ["Jean-Luc", "Ysolde of Marn", "O'Hara", "Мария"])
@pytest.mark.pitfall(44)
def test_names_may_hold_more_than_letters(name: str) -> None:
    assert felt(f"{name} -> Bob: warm") == {(name, "Bob", "warm"): "medium"}
    assert felt(f"Bob -> {name}: warm") == {("Bob", name, "warm"): "medium"}


@pytest.mark.parametrize("arrow", ["->", "→", "=>", "-->", "⇒"])
@pytest.mark.parametrize("tag", ["", "[feels:sources=3] ", "[feels] ", "- ", "1. "])
def test_arrows_of_all_kinds_with_and_without_a_tag(tag: str, arrow: str) -> None:
    assert felt(f"{tag}Ann {arrow} Bob: warm(low)") == {("Ann", "Bob", "warm"): "low"}


@pytest.mark.parametrize(
    ("said", "word", "magnitude"),
    [
        ("warm( medium )", "warm", "medium"),
        ("warm (HIGH)", "warm", "high"),
        ("warm: high", "warm", "high"),
        ("warm[low]", "warm", "low"),
        ("warm(strong)", "warm", "high"),
        ("still warm", "warm", "medium"),
        ("increasingly warm", "warm", "medium"),
        ("even more warm(high)", "warm", "high"),
        ("a little warm", "warm", "low"),
        ("somewhat warm", "warm", "low"),
        ("mildly warm", "warm", "low"),
        ("profoundly warm", "warm", "high"),
        ("still very warm", "warm", "high"),
        ("very warm(low)", "warm", "low"),
        ("Ill-at-ease", "ill-at-ease", "medium"),
        ("warm*", "warm", "medium"),
    ],
)
def test_hedges_and_transitions_become_magnitudes(said: str, word: str, magnitude: str) -> None:
    assert felt(f"Ann -> Bob: {said}") == {("Ann", "Bob", word): magnitude}


@pytest.mark.parametrize(
    "line",
    [
        "Ann -> Bob:",
        "Ann -> Bob: none",
        "Ann -> Bob: has come to see him with other eyes",
        "Ann -> Ann: proud",
        "she -> Bob: warm",
        "everyone -> Bob: warm",
        "<A> -> <B>: grateful(high)",
        "Ann -> Bob: 42",
    ],
)
def test_what_is_no_feeling_is_left_out(line: str) -> None:
    assert felt(line) == {}


def test_several_pairs_may_share_a_line() -> None:
    assert felt("[feels:sources=3] Ann -> Bob: warm; Bob -> Ann: wary, cold(low)") == {
        ("Ann", "Bob", "warm"): "medium",
        ("Bob", "Ann", "wary"): "medium",
        ("Bob", "Ann", "cold"): "low",
    }


def test_a_mutual_feeling_is_two() -> None:
    assert set(felt("Ann <-> Bob: warm")) == {("Ann", "Bob", "warm"), ("Bob", "Ann", "warm")}


def test_sources_go_to_every_attitude_and_end() -> None:
    answer = read_answer("[feels:sources=3,4] Ann -> Bob: warm, !cold")
    assert {one.sources for one in answer.claims} | {one.sources for one in answer.ends} == {(3, 4)}


def test_a_feeling_under_the_tag_of_a_memory_is_a_feeling() -> None:
    assert felt("[relationship:2:sources=3] Ann -> Bob: warm(high)") == {
        ("Ann", "Bob", "warm"): "high"
    }
