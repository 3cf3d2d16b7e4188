"""Longer answers are freed of what models put around them, and of nothing else."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.reading.prose import (
    cleaned,
    heading,
    invented_names,
    is_unchanged,
    is_unknown,
    newest_within,
    prose,
    sections,
    within,
)

NAMES = {"one": "one", "second part": "two"}


def count(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("```text\nThey met.\n```", "They met."),
        ("<p>They met.</p><p>They left.</p>", "They met.\nThey left."),
        ("Here is the recap you asked for:\n\nThey met.", "They met."),
        ("They &amp; we.\n\n\n\nLater.", "They & we.\n\nLater."),
        ("<A> met 3 < 4 people.", "<A> met 3 < 4 people."),
        ("Here: they met.", "Here: they met."),
    ],
)
def test_dress_is_taken_off(answer: str, told: str) -> None:
    assert cleaned(answer) == told


def test_prose_has_no_headings_and_no_quotes_around_it() -> None:
    assert prose('## Recap\n"They **met**."') == "They met."
    assert prose("“One.” “Two.”") == "“One.” “Two.”"
    assert prose("None.") == ""


@pytest.mark.parametrize(
    "line",
    [
        "[One]",
        "<one>",
        "# One",
        "## **One**",
        "1. One:",
        "**One:**",
        "ONE:",
        "- One:",
        "**1. One**",
    ],
)
def test_a_heading_is_known_in_every_dress(line: str) -> None:
    assert heading(line, NAMES) == ("one", "", False)


@pytest.mark.parametrize("line", ["One of them left.", "Nobody:", "[two]", "one two", "1. x", ""])
def test_a_sentence_is_no_heading(line: str) -> None:
    assert heading(line, NAMES) is None


def test_a_section_ends_where_the_next_begins_or_its_mark_closes_it() -> None:
    text = "before\n[one] a\nb\n[/one]\nbetween\nSecond_part: c\nOne: d"
    assert sections(text, NAMES) == {"one": "a\nb\nd", "two": "c"}


@pytest.mark.parametrize("text", ["Unknown.", "none", "-", "N/A", "not mentioned in the notes"])
def test_words_for_nothing_are_known(text: str) -> None:
    assert is_unknown(text)


def test_words_for_nothing_within_a_sentence_say_something() -> None:
    assert not is_unknown("None of them came.")
    assert not is_unchanged("The same as before the war.")
    assert is_unchanged("Same as before.")


def test_lines_are_kept_from_either_end() -> None:
    lines = ["a a", "b b", "c c"]
    assert within(lines, 6, count) == ["a a", "b b"]
    assert newest_within(lines, 6, count) == ["b b", "c c"]
    assert within(lines, 0, count) == []


def test_a_name_that_stands_nowhere_is_invented() -> None:
    evidence = "Ann-Lee told Bo's brother of the ring, and he went down to the old harbour."
    assert invented_names("Then she told Bo, and Ann and the brother.", evidence) == frozenset()
    assert invented_names("Then Ann met Lord Ravenholm.", evidence) == {"Lord", "Ravenholm"}
    assert invented_names("Then they met. Later it rained.", evidence) == frozenset()


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert isinstance(prose(text), str)
    sections(cleaned(text), NAMES)


@pytest.mark.parametrize("part", ["<", "[", "**", "a ", "# One ", "\n \n", "</a", "One: ", "1. "])
def test_a_huge_answer_takes_no_time(part: str) -> None:
    text = part * (400_000 // len(part))
    began = time.process_time()
    sections(prose(text), NAMES)
    invented_names(text[:100_000], text[:100_000])
    assert time.process_time() - began < 2
