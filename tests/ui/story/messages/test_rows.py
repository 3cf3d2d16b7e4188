"""Rows of a story: which row shows what, and by which rows two states differ."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.story.messages import Message
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from tests.ui.samples import message, story
from ui.story.messages.rows import RowKind, RowLayout, change_between


def test_a_scene_is_a_divider_and_its_messages() -> None:
    layout = RowLayout(story(6, (2,)).scenes)
    kinds = [layout.place(row).kind.value[0] for row in range(layout.count)]
    assert "".join(kinds) == "dmmmdmmm"


def test_a_folded_scene_is_one_row_and_hides_its_messages() -> None:
    layout = RowLayout(story(6, (2,), folded=(2,)).scenes)
    assert layout.place(0).kind is RowKind.FOLDED
    assert layout.row_of_message(1) == 0
    assert layout.row_of_message(3) == 2


def test_every_row_finds_its_way_back() -> None:
    layout = RowLayout(story(40, (9, 19, 29), folded=(19,)).scenes)
    for row in range(layout.count):
        place = layout.place(row)
        if place.kind is RowKind.MESSAGE:
            assert layout.row_of_message(place.message) == row
        else:
            assert layout.row_of_scene(place.scene) == row


@pytest.mark.parametrize("row", [-1, 8])
def test_rows_outside_raise(row: int) -> None:
    with pytest.raises(IndexError):
        RowLayout(story(6, (2,)).scenes).place(row)


def layout_of(messages: tuple[Message, ...], ends: set[int], folded: set[int]) -> RowLayout:
    """ends and folded: numbers of anchors, so that they mean the same in both states."""
    marks = {
        m.anchor: SceneBreak(m.anchor, BreakOrigin.HAND, is_collapsed=int(m.anchor[1:]) in folded)
        for m in messages
        if int(m.anchor[1:]) in ends
    }
    return RowLayout(scenes_of(messages, marks))


def keys(layout: RowLayout, messages: tuple[Message, ...]) -> list[str]:
    """Who each row is."""
    return [
        ("" if place.kind is RowKind.MESSAGE else "scene ") + messages[place.message].anchor
        for place in map(layout.place, range(layout.count))
    ]


NUMBERS = st.sets(st.integers(0, 14))


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.booleans())
def test_a_change_turns_the_old_rows_into_the_new_ones(
    was: set[int],
    now: set[int],
    old_ends: set[int],
    new_ends: set[int],
    old_folded: set[int],
    new_folded: set[int],
    knows_where: bool,
) -> None:
    old_messages = tuple(message(i) for i in sorted(was))
    new_messages = tuple(message(i) for i in sorted(now))
    old = layout_of(old_messages, old_ends, old_folded)
    new = layout_of(new_messages, new_ends, new_folded)
    same = 0
    for a, b in zip(old_messages, new_messages, strict=False):
        if a.anchor != b.anchor:
            break
        same += 1
    change = change_between(
        old, new, old_messages, new_messages, first_changed=same if knows_where else None
    )
    before, after = keys(old, old_messages), keys(new, new_messages)
    inserted = after[change.first : change.first + change.inserted]
    before[change.first : change.first + change.removed] = inserted
    assert before == after


def test_an_append_is_one_inserted_row() -> None:
    short, long = story(40, (9,)), story(41, (9,))
    change = change_between(
        RowLayout(short.scenes),
        RowLayout(long.scenes),
        short.messages,
        long.messages,
        first_changed=40,
    )
    assert (change.first, change.removed, change.inserted) == (42, 0, 1)


def test_a_new_break_is_one_inserted_row() -> None:
    joined, cut = story(40, (9, 29)), story(40, (9, 19, 29))
    change = change_between(
        RowLayout(joined.scenes), RowLayout(cut.scenes), joined.messages, joined.messages
    )
    assert (change.removed, change.inserted) == (0, 1)


def test_folding_takes_only_that_scenes_messages() -> None:
    plain, shut = story(40, (9, 19, 29)), story(40, (9, 19, 29), folded=(19,))
    change = change_between(
        RowLayout(plain.scenes), RowLayout(shut.scenes), plain.messages, replace(shut).messages
    )
    assert (change.first, change.removed, change.inserted) == (12, 10, 0)
