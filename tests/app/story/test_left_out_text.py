"""What the user leaves out of messages is found by its ends, however rules lie over another."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.story.left_out_text import (
    LONGEST_RULE,
    messages_as_read,
    read_rules,
    spans_left_out,
    text_as_read,
)
from app.story.messages import Message


@pytest.mark.parametrize(
    ("rules", "text", "told"),
    [
        ("<status>…</status>", "A.\n<status>HP 3\nMP 4</status>\n\n\nB.", "A.\n\nB."),
        ("<status>...</status>", "<STATUS>x</Status>B <status>y</status>", "B"),
        ("OOC: …", "He waits.\nOOC: brb\nShe goes.", "He waits.\n\nShe goes."),
        ("OOC: …", "He waits. ooc: to the end", "He waits."),
        ("[img]", "A [img] B [IMG] C", "A  B  C"),
        ("<a>…</a>", "open <a> but not closed", "open <a> but not closed"),
        ("<a>…<b>…</a>", "1 <a>x<b>y</a> 2 <a>z</a> 3", "1  2 <a>z</a> 3"),
        ("# <a>…</a>", "<a>x</a>", "<a>x</a>"),
        ("…\n\n   ", "all of it", "all of it"),
        ("x" * (LONGEST_RULE + 1), "x" * 1000, "x" * 1000),
    ],
)
def test_a_rule_leaves_out_what_it_names(rules: str, text: str, told: str) -> None:
    assert text_as_read(text, read_rules(rules)) == told


@pytest.mark.weakness(48)
def test_rules_that_lie_over_another_take_one_piece_out() -> None:
    rules = read_rules("<a>…</a>\n<b>…</b>\nx…y")
    assert text_as_read("1<a>x<b></a>y2</b>3", rules) == "13"


@given(st.text(alphabet="ab<>…\n", max_size=40), st.text(alphabet="ab<>…\n", max_size=30))
def test_spans_are_in_order_and_apart(text: str, rules: str) -> None:
    spans = spans_left_out(text, read_rules(rules))
    assert all(start < end for start, end in spans)
    assert all(one[1] < other[0] for one, other in pairwise(spans))


@pytest.mark.weakness(48)
def test_a_long_text_that_a_pattern_would_never_end_with_is_read() -> None:
    assert text_as_read("(" * 200_000, read_rules("(…(…(…)")) == "(" * 200_000


def test_messages_stay_who_they_are() -> None:
    one = Message("m1", "hash", "Mira", "A <s>x</s> B")
    (told,) = messages_as_read([one], read_rules("<s>…</s>"))
    assert (told.anchor, told.content_hash, told.text) == ("m1", "hash", "A  B")
    assert messages_as_read([one], ())[0] is one
