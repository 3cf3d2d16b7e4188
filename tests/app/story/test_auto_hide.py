"""Auto-hide: the golden numbers of spec/auto-recap.md §12, and never more than the memory tells."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from app.story.auto_hide import (
    OFF,
    HideState,
    covered_end,
    first_visible,
    plan_hiding,
    ranges_of,
)
from app.story.messages import Message, MessageKind
from app.story.recaps import RunningRecap, RunningVersion

BREAKS = (10, 30, 50, 70, 90)
ALL = 100


def chat(*, hidden: tuple[int, ...] = (), notices: tuple[int, ...] = ()) -> list[Message]:
    messages = [Message(str(n), "", "Mira", "text", is_hidden=n in hidden) for n in range(ALL)]
    for index in notices:
        messages[index] = structs.replace(messages[index], kind=MessageKind.NOTICE)
    return messages


def after_hiding(messages: list[Message], ranges: tuple[tuple[int, int], ...]) -> list[Message]:
    gone = {index for first, last in ranges for index in range(first, last + 1)}
    return [structs.replace(m, is_hidden=m.is_hidden or i in gone) for i, m in enumerate(messages)]


@pytest.mark.parametrize(
    ("newest", "breaks", "first"),
    [(2, BREAKS, 71), (1, BREAKS, 91), (5, BREAKS, 11), (6, BREAKS, 0), (0, (), 0), (0, BREAKS, 0),
     (OFF, BREAKS, 0), (1, (), 0)],
)  # fmt: skip
def test_golden_numbers(newest: int, breaks: tuple[int, ...], first: int) -> None:
    assert first_visible(breaks, newest) == first
    plan = plan_hiding(chat(), breaks, newest, ALL, {})
    assert plan.hide == (((0, first - 1),) if first else ())
    assert plan.unhide == ()


@pytest.mark.weakness(16)
def test_nothing_is_hidden_that_the_memory_does_not_tell() -> None:
    assert plan_hiding(chat(), BREAKS, 2, 31, {}).hide == ((0, 30),)
    assert not plan_hiding(chat(), BREAKS, 2, 0, {})


def test_the_memory_ends_where_the_injected_version_ends() -> None:
    versions = tuple(
        RunningVersion(number, "text", number, "", anchor, "built-in", 0.0)
        for number, anchor in enumerate(("10", "30", "gone"))
    )
    positions = {m.anchor: index for index, m in enumerate(chat())}
    assert covered_end(RunningRecap(versions, 1), positions) == 31
    assert covered_end(RunningRecap(versions, 2), positions) == 31
    assert covered_end(RunningRecap(versions, 0), positions) == 11
    assert covered_end(RunningRecap(), positions) == 0
    assert covered_end(RunningRecap(versions[2:], 2), positions) == 0


@pytest.mark.weakness(35, 57)
def test_what_the_user_hid_is_never_shown_and_remarks_are_never_hidden() -> None:
    messages = chat(hidden=(3, 80), notices=(5,))
    plan = plan_hiding(messages, BREAKS, 2, ALL, {})
    assert plan.hide == ((0, 2), (4, 4), (6, 70))
    assert not {"3", "80", "5"} & set(plan.states)
    off = plan_hiding(after_hiding(messages, plan.hide), BREAKS, OFF, ALL, plan.states)
    assert off.unhide == plan.hide
    assert off.hide == ()


def test_what_the_user_shows_again_stays_shown_until_auto_hide_lets_go() -> None:
    asked = plan_hiding(chat(), BREAKS, 1, ALL, {})
    hidden = after_hiding(chat(), asked.hide)
    seen = plan_hiding(hidden, BREAKS, 1, ALL, asked.states)
    assert not seen
    assert set(seen.states.values()) == {HideState.HIDDEN}
    hidden[7] = structs.replace(hidden[7], is_hidden=False)
    shown = plan_hiding(hidden, BREAKS, 1, ALL, seen.states)
    assert not shown
    assert shown.states["7"] is HideState.RELEASED
    off = plan_hiding(hidden, BREAKS, OFF, ALL, shown.states)
    assert off.unhide == ((0, 6), (8, 90))
    assert "7" not in off.states
    again = plan_hiding(chat(), BREAKS, 1, ALL, {})
    assert again.hide == ((0, 90),)


def test_what_was_asked_and_did_not_happen_is_asked_again() -> None:
    asked = plan_hiding(chat(), BREAKS, 1, ALL, {})
    assert plan_hiding(chat(), BREAKS, 1, ALL, asked.states) == asked


@given(
    st.lists(st.integers(0, ALL - 1), unique=True).map(sorted),
    st.integers(-1, 8),
    st.integers(0, ALL),
    st.sets(st.integers(0, ALL - 1)),
)
@pytest.mark.weakness(31)
def test_hiding_done_is_hiding_settled(
    breaks: list[int], newest: int, covered: int, by_user: set[int]
) -> None:
    messages = chat(hidden=tuple(by_user))
    plan = plan_hiding(messages, breaks, newest, covered, {})
    hidden = after_hiding(messages, plan.hide)
    assert all(last < covered for _, last in plan.hide)
    assert not plan_hiding(hidden, breaks, newest, covered, plan.states)
    off = plan_hiding(hidden, breaks, OFF, covered, plan.states)
    assert off.unhide == plan.hide


@given(st.sets(st.integers(0, 50)))
def test_ranges_hold_exactly_the_indexes(indexes: set[int]) -> None:
    ranges = ranges_of(sorted(indexes))
    assert {i for first, last in ranges for i in range(first, last + 1)} == indexes
    assert all(a[1] + 1 < b[0] for a, b in pairwise(ranges))
