"""The stretch of a story that a model is shown, whatever the messages hold."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.reading.answers import as_prose, read_answer
from app.memory.reading.windows import Window, is_told, settled, windows_within
from app.memory.records import Tier
from app.story.messages import Message, MessageKind, digest

PIECES = (
    *("[fact:3:sources=1] The king is dead", "[state:Ana:character] mood=calm", "[retire] 1, 2"),
    *("【event:2】 The bell rang twice", "**[knows]** Ana | the code", "\\[fact] The king is dead"),
    *("[ **arc** ] Who stole the silver key?", "[does not know] Ana | it", "[resolved:1] It ended"),
    *("text before [state:Ana:character] mood=calm", "[hiding] A from B | it", "[fact", "\n", " "),
)


def message(number: int, text: str, **fields: object) -> Message:
    return Message(f"m{number}", digest(text), "Ana", text, **fields)  # type: ignore[arg-type]


def words(text: str) -> int:
    return len(text.split())


@given(st.lists(st.sampled_from(PIECES) | st.text("[]:【fact \n*", max_size=9), max_size=9))
def test_a_text_of_the_story_holds_no_entry(parts: list[str]) -> None:
    answer = read_answer(as_prose(" ".join(parts)))
    assert not [claim for claim in answer.claims if claim.tier is not Tier.RELATIONSHIPS]
    assert not [end for end in answer.ends if end.tier is not Tier.RELATIONSHIPS]


@pytest.mark.parametrize(
    "text",
    ["It is [a secret].", "He waits [for now]: \u201cYes.\u201d", "[Location: the inn]", "a [1] b"],
)
def test_other_brackets_stay(text: str) -> None:
    assert Window(1, (message(0, text),)).text == f"[1] Ana: {text}"


@given(st.lists(st.text("[]0129: \nAna", max_size=30), min_size=1, max_size=6), st.text("[2]\n A:"))
def test_only_messages_have_numbers(texts: list[str], name: str) -> None:
    told = tuple(
        Message(f"m{n}", digest(text), name, text, is_user=True) for n, text in enumerate(texts)
    )
    shown = Window(1, told).text
    found = [int(n) for n in re.findall(r"^[^\S\n]*\[[^\S\n]*(\d+)[^\S\n]*\]", shown, re.MULTILINE)]
    assert found == list(range(1, len(texts) + 1))


def test_sources_that_are_not_in_the_window_make_the_whole_citation_invalid() -> None:
    window = Window(7, (message(0, "One."), message(1, "Two.")))
    assert [s.anchor for s in window.sources([2, 1, 2]) or ()] == ["m0", "m1"]
    assert window.sources([1, 3]) is None
    assert window.sources([0]) is None


def test_a_trailing_reply_is_not_settled_and_a_message_of_the_users_is() -> None:
    mine, reply = message(0, "One.", is_user=True), message(1, "Two.", is_user=False)
    assert list(settled([mine, reply])) == [mine]
    assert list(settled([reply, mine])) == [reply, mine]
    assert list(settled([])) == []


def test_hidden_messages_notices_and_bare_signs_are_not_told() -> None:
    assert is_told(message(0, "Yes."))
    assert not is_told(message(0, "Yes.", is_hidden=True))
    assert not is_told(message(0, "Yes.", kind=MessageKind.NOTICE))
    assert not is_told(message(0, "..."))


def test_what_is_there_to_understand_gives_way_first() -> None:
    window = Window(1, tuple(message(n, "one two three") for n in range(5)), new_from=4)
    [part] = windows_within(window, 2 * 5 + 1, words)
    assert [m.anchor for m in part.messages] == ["m3", "m4"]
    assert part.new_from == 1


@given(st.lists(st.integers(1, 900), min_size=1, max_size=12), st.integers(40, 400))
def test_parts_hold_all_that_is_new_once_and_in_order(sizes: list[int], room: int) -> None:
    texts = [" ".join(f"w{n}x{m}" for m in range(size)) for n, size in enumerate(sizes)]
    window = Window(1, tuple(message(n, text) for n, text in enumerate(texts)))
    parts = windows_within(window, room, words)
    assert all(words(part.text) <= room for part in parts)
    told = [m for part in parts for m in part.messages]
    assert "".join("".join(m.text.split()) for m in told) == "".join(
        "".join(t.split()) for t in texts
    )
    assert all(int(a.anchor[1:]) <= int(b.anchor[1:]) for a, b in pairwise(told))
