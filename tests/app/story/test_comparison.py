"""Comparing two texts: nothing is lost, words are marked, and hostile texts cost no minutes."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.story.comparison import (
    Block,
    BlockKind,
    Choice,
    Passage,
    chosen_text,
    compare,
    matching_runs,
)

_lines = st.lists(
    st.sampled_from(["Dov", "Dov sold it.", "Dov gave it away.", "", " ", "A: b", "\r", "他来了"])
    | st.text(max_size=12),
    max_size=8,
)
_texts = _lines.map("\n".join)


def marked(passage: Passage | None) -> list[str]:
    assert passage is not None
    return [passage.text[start:end] for start, end in passage.marked]


def kinds(blocks: tuple[Block, ...]) -> list[str]:
    return [block.kind.value for block in blocks]


@given(left=_texts, right=_texts)
def test_taking_one_side_throughout_gives_that_text_exactly(left: str, right: str) -> None:
    blocks = compare(left, right)
    assert chosen_text(blocks, [Choice.LEFT] * len(blocks)) == left
    assert chosen_text(blocks, [Choice.RIGHT] * len(blocks)) == right


@given(left=_texts, right=_texts, data=st.data())
def test_no_choice_glues_two_lines_or_loses_a_chosen_word(
    left: str, right: str, data: st.DataObject
) -> None:
    blocks = compare(left, right)
    choices = [data.draw(st.sampled_from(Choice)) for _ in blocks]
    lines = {line.rstrip() for line in chosen_text(blocks, choices).split("\n")}
    for block, choice in zip(blocks, choices, strict=True):
        for side, passage in ((Choice.LEFT, block.left), (Choice.RIGHT, block.right)):
            is_taken = block.kind is not BlockKind.EQUAL and choice in (side, Choice.BOTH)
            if passage is not None and is_taken:
                own = {line.rstrip() for line in passage.text.split("\n")}
                assert own <= lines


@given(left=_texts, right=_texts)
def test_marks_lie_in_order_inside_their_text_and_only_where_the_sides_differ(
    left: str, right: str
) -> None:
    for block in compare(left, right):
        for passage in (block.left, block.right):
            if passage is None:
                continue
            ends = [position for mark in passage.marked for position in mark]
            assert ends == sorted(set(ends))
            assert all(0 <= position <= len(passage.text) for position in ends)
            if block.kind is BlockKind.EQUAL:
                assert not passage.marked


@given(text=_texts)
def test_a_text_equals_itself(text: str) -> None:
    assert set(kinds(compare(text, text))) <= {"equal"}


@given(st.lists(st.integers(0, 3)), st.lists(st.integers(0, 3)))
def test_runs_are_shared_and_in_order(left: list[int], right: list[int]) -> None:
    at = other_at = 0
    for start, other, size in matching_runs(left, right):
        assert start >= at
        assert other >= other_at
        assert left[start : start + size] == right[other : other + size]
        at, other_at = start + size, other + size


def test_words_and_signs_are_marked_one_by_one_and_neighbours_together() -> None:
    left = "Dov cut the key and sold it. Henrike does not believe it."
    right = "Dov cut the key and gave it! Henrike knows."
    [block] = compare(left, right)
    assert block.kind is BlockKind.CHANGED
    assert marked(block.left) == ["sold", ".", "does not believe it"]
    assert marked(block.right) == ["gave", "!", "knows"]


def test_a_sentence_put_in_is_marked_with_its_own_stop() -> None:
    [block] = compare("He is lost on the Night.", "He is gone since the Night. Joost knows.")
    assert marked(block.left) == ["lost on"]
    assert marked(block.right) == ["gone since", "Joost knows."]


def test_an_appended_paragraph_leaves_the_others_as_they_are() -> None:
    left = "Dov\nHe sold it.\n\nThe crew\nThey wait."
    right = left + "\n\nThe Feast\nThe lamps go out."
    blocks = compare(left, right)
    assert kinds(blocks) == ["equal", "only right"]
    assert blocks[1].heading == "The Feast"


def test_a_paragraph_is_known_again_by_its_heading() -> None:
    left = "Midge\nShe climbs.\n\nAnnelies\nA veiled person pawned it."
    right = "Annelies\nShe wrote the letter.\n\nThe Feast\nThe lamps go out."
    blocks = compare(left, right)
    assert [(block.kind.value, block.heading) for block in blocks] == [
        ("only left", "Midge"),
        ("changed", "Annelies"),
        ("only right", "The Feast"),
    ]


def test_a_line_that_moves_up_under_its_heading_is_known_again() -> None:
    left = "Ombermeer\nA letter comes.\nThe city gets ready.\nMidge sits on the roof."
    right = "Ombermeer\nThe city gets ready.\nMidge climbs down."
    blocks = compare(left, right)
    assert kinds(blocks) == ["only left", "changed", "changed"]
    assert marked(blocks[1].left) == []
    assert marked(blocks[1].right) == ["Ombermeer"]


def test_white_space_alone_is_no_difference() -> None:
    left, right = "One.\nTwo.\n", "  One.\n\n\nTwo."
    blocks = compare(left, right)
    assert kinds(blocks) == ["equal"]


def test_each_line_of_a_long_block_is_a_difference_of_its_own() -> None:
    left = "STATE\nThe door is shut.\nThe lamp burns.\nIt rains."
    right = "STATE\nThe door is open.\nThe lamp burns.\nIt snows."
    assert kinds(compare(left, right)) == ["changed", "equal", "changed"]


def test_both_takes_one_after_the_other_on_lines_of_their_own() -> None:
    blocks = compare("He sold it.", "He gave it.")
    assert chosen_text(blocks, [Choice.BOTH]) == "He sold it.\n\nHe gave it."
    headed = compare("Dov\nHe sold it.", "Dov\nHe gave it.")
    assert chosen_text(headed, [Choice.BOTH]) == "Dov\nHe sold it.\nHe gave it."
    dropped = compare("Gone.\n\nStays.", "Stays.")
    assert chosen_text(dropped, [Choice.RIGHT, Choice.LEFT]) == "Stays."


def test_scripts_without_spaces_are_compared_sign_by_sign() -> None:
    [block] = compare("他把钥匙卖了", "他把钥匙送了")
    assert marked(block.left) == ["卖"]
    assert marked(block.right) == ["送"]


def hostile(kind: str, size: int, seed: int) -> str:
    draw = random.Random(seed)
    if kind == "two words":
        return " ".join(draw.choice("ab") for _ in range(size))
    if kind == "two lines":
        return "\n".join(draw.choice("ab") for _ in range(size))
    if kind == "shuffled":
        return "\n".join(str(draw.randrange(size)) + " x" for _ in range(size))
    return "(" * size + str(seed)


@pytest.mark.parametrize("kind", ["two words", "two lines", "shuffled", "one sign"])
def test_hostile_texts_take_time_in_proportion(kind: str) -> None:
    def seconds(size: int) -> float:
        left, right = hostile(kind, size, 1), hostile(kind, size, 2)
        start = time.process_time()
        blocks = compare(left, right)
        spent = time.process_time() - start
        assert chosen_text(blocks, [Choice.LEFT] * len(blocks)) == left
        return spent

    # What else the machine does may hold up a single run.
    small, large = max(seconds(2_000) for _ in range(3)), min(seconds(16_000) for _ in range(2))
    assert large < 8 * 4 * max(small, 0.02)
    assert large < 5
