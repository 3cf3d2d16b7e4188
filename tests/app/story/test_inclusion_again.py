"""Deciding on what changed gives what deciding on everything gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.story.inclusion import Decided, InclusionRules, include
from app.story.messages import Message, MessageKind, MessageRecap, digest


def words(text: str) -> int:
    return len(text.split())


MESSAGES = st.builds(
    lambda number, is_user, kind: Message(
        str(number), digest(f"{number}"), "Name", "text", is_user=is_user, kind=kind
    ),
    st.integers(0, 30),
    st.booleans(),
    st.sampled_from([MessageKind.CHAT, MessageKind.NARRATOR]),
)
RECAPS = st.builds(
    MessageRecap,
    text=st.sampled_from(["", "one", "one two", "one two three four"]),
    is_remembered=st.booleans(),
    is_excluded=st.sampled_from([False, False, False, True]),
    error=st.sampled_from(["", "It failed."]),
)
RULES = st.builds(
    InclusionRules,
    limit_tokens=st.integers(0, 12),
    long_term_tokens=st.integers(0, 6),
    lag=st.integers(0, 3),
    include_user=st.booleans(),
    minimum_tokens=st.sampled_from([0, 0, 3]),
    skip_oversized=st.booleans(),
)
Step = tuple[int, list[Message], dict[str, MessageRecap], InclusionRules | None, int]
FIRST: Step = (12, [], {}, None, 4)
STEPS = st.tuples(
    st.integers(0, 12),  # so many messages stay
    st.lists(MESSAGES, max_size=4),
    st.dictionaries(st.integers(0, 30).map(str), RECAPS, max_size=5),
    st.none() | RULES,
    st.integers(1, 5),
)


@given(
    st.lists(MESSAGES, max_size=12, unique_by=lambda m: m.anchor),
    st.dictionaries(st.integers(0, 30).map(str), RECAPS, max_size=20),
    RULES,
    st.lists(STEPS, max_size=5),
)
def test_what_changed_decides_as_everything_does(
    messages: Sequence[Message],
    recaps: dict[str, MessageRecap],
    rules: InclusionRules,
    steps: list[Step],
) -> None:
    decided = Decided()
    for stay, new, changed, other_rules, tokens in [FIRST, *steps]:
        held = {message.anchor: message for message in [*messages[:stay], *new]}
        messages = tuple(held.values())
        recaps = {**recaps, **changed} if changed else recaps
        rules = other_rules or rules
        counts = tuple(tokens + index % 2 for index in range(len(messages)))
        known: dict[str, Any] = {"message_tokens": counts, "count": words}
        decided = decided.after(messages, recaps, rules, **known)
        assert decided.inclusions == include(messages, recaps, rules, **known)


def test_of_a_message_that_is_new_no_other_recap_is_counted_again() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return words(text)

    messages = tuple(Message(str(n), digest(str(n)), "Name", "text") for n in range(1000))
    recaps = {m.anchor: MessageRecap(f"recap {m.anchor}") for m in messages[:999]}
    rules = InclusionRules(6)
    known: dict[str, Any] = {"message_tokens": (1,) * 1000, "count": count}
    decided = Decided().after(messages[:999], recaps, rules, **known)
    asked.clear()
    decided = decided.after(messages, recaps, rules, **known)
    assert len(asked) < 5
    assert decided.inclusions == include(messages, recaps, rules, **known)
