"""Inclusion: the decision tree, and the same cut as recounting everything at each step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from app.llm.tokenizer import counter_for
from app.story.inclusion import (
    Inclusion,
    InclusionRules,
    InclusionState,
    include,
    limit_in_tokens,
)
from app.story.messages import Absence, Message, MessageKind, MessageRecap, digest

INCLUDED = InclusionState.INCLUDED
OUT = InclusionState.OUT_OF_BUDGET


def message(anchor: str, text: str = "text", **values: object) -> Message:
    return Message(anchor, digest(text), "Name", text, **values)  # type: ignore[arg-type]


def words(text: str) -> int:
    return len(text.split())


def decide(
    recaps: Sequence[str], limit: int, *, skip: bool = False, count: Callable[[str], int] = words
) -> list[InclusionState]:
    messages = [message(str(n)) for n in range(len(recaps))]
    found = include(
        messages,
        {str(n): MessageRecap(text=text) for n, text in enumerate(recaps)},
        InclusionRules(limit, skip_oversized=skip),
        message_tokens=[1] * len(messages),
        count=count,
    )
    return [inclusion.state for inclusion in found]


def one(recap: MessageRecap, rules: InclusionRules | None = None, **values: Any) -> Inclusion:
    return include(
        [message("a", **values)],
        {"a": recap},
        rules or InclusionRules(100),
        message_tokens=[5],
        count=words,
    )[0]


def test_ten_percent_of_8192_are_819_tokens() -> None:
    assert limit_in_tokens(10, "percent", 8192) == 819
    assert limit_in_tokens(700, "tokens", 8192) == 700


def test_a_recap_that_just_fits_is_in_and_one_token_more_is_out() -> None:
    assert decide(["one two", "three four"], 4) == [INCLUDED, INCLUDED]
    assert decide(["one two three", "four five"], 4) == [OUT, INCLUDED]


def test_behind_the_first_that_does_not_fit_nothing_older_is_counted() -> None:
    assert decide(["a", "b c d e f g", "h"], 3) == [OUT, OUT, INCLUDED]


@pytest.mark.weakness(24)
def test_on_wish_a_recap_that_is_too_long_is_stepped_over() -> None:
    assert decide(["a", "b c d e f g", "h"], 3, skip=True) == [INCLUDED, OUT, INCLUDED]


def test_each_excluded_message_says_why() -> None:
    recap = MessageRecap(text="recap")
    excluded = one(MessageRecap(text="recap", is_excluded=True))
    assert excluded.state is InclusionState.EXCLUDED
    assert "You left" in excluded.reason
    rules = InclusionRules(100, include_user=False, include_hidden=False, include_narrator=False)
    assert "your own" in one(recap, rules, is_user=True).reason
    assert "Hidden" in one(recap, rules, is_hidden=True).reason
    assert "narrator" in one(recap, rules, kind=MessageKind.NARRATOR).reason
    assert "notice" in one(recap, kind=MessageKind.NOTICE).reason
    assert "Shorter" in one(recap, InclusionRules(100, minimum_tokens=6)).reason


def test_the_first_reason_that_fits_is_said_in_the_order_of_the_decision_tree() -> None:
    """Spec §3.1: everything holds at once, and one after the other is lifted."""
    rules = InclusionRules(
        100,
        include_user=False,
        include_hidden=False,
        include_narrator=False,
        minimum_tokens=6,
        left_out=frozenset({"Name"}),
    )
    excluded, free = MessageRecap("recap", is_excluded=True), MessageRecap("recap")
    remembered = MessageRecap("recap", is_excluded=True, is_remembered=True)
    every = {"is_user": True, "is_hidden": True}
    notice, narrator, thought = MessageKind.NOTICE, MessageKind.NARRATOR, MessageKind.THOUGHT
    steps = [
        (one(remembered, rules, kind=notice, **every), "notice"),
        (one(excluded, rules, kind=thought, **every), "You left its recap out"),
        (one(free, rules, kind=thought, **every), "your own"),
        (one(free, rules, kind=thought, is_hidden=True), "thoughts"),
        (one(free, rules, kind=narrator, is_hidden=True), "Hidden"),
        (one(free, rules, kind=narrator), "narrator"),
        (one(free, rules), "Recaps of Name's messages"),
        (one(free, replace(rules, left_out=frozenset())), "Shorter than 6"),
    ]
    for found, words_of_it in steps:
        assert found.state is InclusionState.EXCLUDED
        assert words_of_it in found.reason
    assert one(free, replace(rules, left_out=frozenset(), minimum_tokens=5)).state is INCLUDED


@pytest.mark.weakness(47)
def test_a_character_is_left_out_by_name_or_by_card_and_the_user_never() -> None:
    recap, by_card = MessageRecap("recap"), InclusionRules(100, left_out=frozenset({"mira.png"}))
    assert one(recap, by_card, avatar="mira.png").state is InclusionState.EXCLUDED
    assert one(recap, by_card, avatar="tobias.png").state is INCLUDED
    by_name = InclusionRules(100, left_out=frozenset({"Name"}))
    assert one(recap, by_name).state is InclusionState.EXCLUDED
    assert one(recap, by_name, is_user=True).state is INCLUDED


def test_the_prefill_counts_only_where_it_is_read() -> None:
    recap = MessageRecap("two words", prefill="In this scene: ")
    assert one(recap, InclusionRules(100)).tokens == 2
    assert one(recap, InclusionRules(100, with_prefill=True)).tokens == 5
    assert one(recap, InclusionRules(4, with_prefill=True)).state is OUT
    assert recap.shown_text(with_prefill=True) == "In this scene: two words"
    assert MessageRecap(prefill="In this scene: ").shown_text(with_prefill=True) == ""


def test_no_recap_says_whether_it_is_still_to_come_says_nothing_or_was_removed() -> None:
    assert one(MessageRecap()).reason == "No recap yet."
    nothing = MessageRecap(source_hash=digest("text"), absence=Absence.NOTHING)
    assert one(nothing).reason == "It contains nothing of the story."
    assert one(structs.replace(nothing, source_hash="before")).reason == "No recap yet."
    assert one(MessageRecap(absence=Absence.REMOVED)).reason == "You removed its recap."


def test_what_is_remembered_is_counted_although_its_kind_is_switched_off() -> None:
    recap = MessageRecap(text="recap", is_remembered=True)
    found = one(recap, InclusionRules(100, include_user=False), is_user=True)
    assert found.state is InclusionState.LONG_TERM


def test_no_recap_and_a_failed_one_are_told_apart() -> None:
    assert one(MessageRecap()).state is InclusionState.NONE
    failed = one(MessageRecap(error="The model answered with nothing."))
    assert (failed.state, failed.reason) == (
        InclusionState.FAILED,
        "The model answered with nothing.",
    )


def test_a_recap_of_another_text_is_stale() -> None:
    assert one(MessageRecap(text="recap", source_hash=digest("before"))).is_stale
    assert not one(MessageRecap(text="recap", source_hash=digest("text"))).is_stale
    assert not one(MessageRecap(text="recap")).is_stale


def naive_cut(
    texts: Sequence[str], limit: int, count: Callable[[str], int]
) -> list[InclusionState]:
    """The loop of spec/auto-recap.md §3.2: the whole growing text is counted at each step."""
    states = [OUT] * len(texts)
    joined = ""
    for index in range(len(texts) - 1, -1, -1):
        candidate = f"{joined}\n{texts[index]}" if joined else texts[index]
        if count(candidate) > limit:
            break
        states[index] = INCLUDED
        joined = candidate
    return states


_recap = st.text(st.sampled_from('abc .,\n"*é漢🌙-0123'), min_size=1, max_size=40).filter(str.strip)


@given(texts=st.lists(_recap, max_size=20), limit=st.integers(0, 120))
@pytest.mark.weakness(57)
def test_the_cut_is_that_of_the_naive_loop(texts: list[str], limit: int) -> None:
    count = counter_for().count
    assert decide(texts, limit, count=count) == naive_cut(texts, limit, count)


@given(texts=st.lists(_recap, max_size=20), limit=st.integers(0, 60))
def test_the_cut_is_the_same_where_texts_take_less_together_than_alone(
    texts: list[str], limit: int
) -> None:
    """As where tokens are estimated: each text's last one is not full."""

    def estimated(text: str) -> int:
        return -(-len(text) // 7)

    assert decide(texts, limit, count=estimated) == naive_cut(texts, limit, estimated)


@pytest.mark.parametrize("size", [200, 2000])
@pytest.mark.weakness(29)
def test_each_recap_is_counted_once_and_the_joined_text_a_few_times(size: int) -> None:
    asked: list[int] = []

    def count(text: str) -> int:
        asked.append(len(text))
        return words(text)

    decide([f"recap number {n}" for n in range(size)], 300, count=count)
    joined = [length for length in asked if length > 100]
    assert len(asked) <= size + 8
    assert sum(joined) < 20_000


def test_what_is_remembered_goes_on_in_a_budget_of_its_own() -> None:
    messages = [message(str(n)) for n in range(4)]
    recaps = {
        "0": MessageRecap(text="a b c", is_remembered=True),
        "1": MessageRecap(text="d e", is_remembered=True),
        "2": MessageRecap(text="f g h"),
        "3": MessageRecap(text="i j"),
    }
    rules = InclusionRules(3, long_term_tokens=2)
    found = include(messages, recaps, rules, message_tokens=[1] * 4, count=words)
    assert [inclusion.state for inclusion in found] == [
        OUT,
        InclusionState.LONG_TERM,
        OUT,
        INCLUDED,
    ]
    assert "you keep" in found[0].reason


def test_the_newest_messages_keep_their_recaps_out_on_wish() -> None:
    messages = [message(str(n)) for n in range(3)]
    recaps = {str(n): MessageRecap(text="one two") for n in range(3)}
    rules = InclusionRules(2, lag=1)
    found = include(messages, recaps, rules, message_tokens=[1] * 3, count=words)
    assert [inclusion.state for inclusion in found] == [OUT, INCLUDED, InclusionState.LAGGING]


@given(texts=st.lists(_recap, max_size=15), limit=st.integers(0, 60))
def test_stepping_over_never_goes_over_the_budget(texts: list[str], limit: int) -> None:
    states = decide(texts, limit, skip=True, count=counter_for().count)
    kept = [text for text, state in zip(texts, states, strict=True) if state is INCLUDED]
    assert counter_for().count("\n".join(reversed(kept))) <= limit
