"""A scene that is too long for a model is told to it in parts."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.llm.writers.transcript import BETWEEN, entry, parts_of
from app.story.messages import Message, digest

ROOM = 60


def words(text: str) -> int:
    return len(text.split())


def message(number: int, text: str) -> Message:
    return Message(f"m{number}", digest(text), "Ann", text)


def scene(lengths: list[int]) -> list[Message]:
    return [message(n, " ".join(f"w{n}" for _ in range(size))) for n, size in enumerate(lengths)]


def longest(messages: list[Message], cuts: tuple[int, ...]) -> int:
    """Tokens of the longest part where a scene is cut before these messages."""
    costs = [words(entry(one)) + BETWEEN for one in messages]
    edges = (0, *cuts, len(costs))
    return max(sum(costs[a:b]) for a, b in pairwise(edges))


@given(st.lists(st.integers(1, 40), min_size=1, max_size=9))
def test_parts_are_as_few_and_as_even_as_can_be(lengths: list[int]) -> None:
    messages = scene(lengths)
    parts = parts_of(messages, ROOM, words)
    assert "\n\n".join(parts) == "\n\n".join(map(entry, messages))
    places = range(1, len(messages))
    for count in range(len(parts) - 1):
        assert all(longest(messages, cuts) > ROOM for cuts in combinations(places, count))
    best = min(longest(messages, cuts) for cuts in combinations(places, len(parts) - 1))
    held = max(words(part) + part.count("[") * BETWEEN for part in parts)
    assert held == best <= ROOM


def test_a_last_message_is_no_part_of_its_own() -> None:
    parts = parts_of(scene([25, 25, 5]), ROOM, words)
    assert [part.count("w0") > 0 for part in parts] == [True, False]
    assert "w1" in parts[1]
    assert "w2" in parts[1]
