"""Lines on open threads (spec/smart-memory.md §8.6, §25)."""

from __future__ import annotations

import pytest

from app.memory.reading.answers import read_answer
from app.memory.tiers.claims import Mention


@pytest.mark.parametrize(
    ("content", "is_read"),
    [("short", False), ("x" * 15, False), ("x" * 16, True), ("Will <A> find <thing>?", False)],
)
@pytest.mark.pitfall(55)
def test_a_thread_is_more_than_a_word(content: str, is_read: bool) -> None:
    assert bool(read_answer(f"[arc] {content}").claims) is is_read


def test_a_thread_may_say_whom_it_is_about() -> None:
    (arc,) = read_answer("[arc:characters=Kael,Ann:sources=2] Will they find the way?").claims
    assert arc.entities == (Mention("Kael", "character"), Mention("Ann", "character"))
    assert arc.sources == (2,)


@pytest.mark.parametrize(
    ("line", "numbers", "how"),
    [
        ("[resolved:sources=9] 2 | Ann gave it back", (2,), "Ann gave it back"),
        ("[resolved] 2", (2,), ""),
        ("[resolved] #2 | he was found", (2,), "he was found"),
        ("[resolved] arc 2 | he was found", (2,), "he was found"),
        ("[resolved] 1, 3 | both were found", (1, 3), "both were found"),
        ("[resolved] 2: he was found", (2,), "he was found"),
        ("[resolved] 2. he was found", (2,), "he was found"),
        ("[resolved] 2 - he was found", (2,), "he was found"),
        ("[resolved:2] he was found", (2,), "he was found"),
        ("[resolved:2:sources=1] he was found", (2,), "he was found"),
    ],
)
def test_a_resolved_thread_is_named_by_number(
    line: str, numbers: tuple[int, ...], how: str
) -> None:
    (end,) = read_answer(line).ends
    assert (end.numbers, end.text, end.resolution) == (numbers, "", how)


@pytest.mark.parametrize(
    ("line", "text", "how"),
    [
        ("[resolved] the missing heir was found", "the missing heir was found", ""),
        ("[resolved] The missing heir | he was found", "The missing heir", "he was found"),
        ("[resolved] 12 men were lost at sea", "12 men were lost at sea", ""),
    ],
)
def test_a_resolved_thread_may_be_named_in_words(line: str, text: str, how: str) -> None:
    (end,) = read_answer(line).ends
    assert (end.numbers, end.text, end.resolution) == ((), text, how)


@pytest.mark.parametrize("line", ["[resolved]", "[resolved] |", "[resolved] 2 | <A> gave <thing>"])
def test_nothing_is_resolved_by_an_empty_line(line: str) -> None:
    assert not read_answer(line).ends
