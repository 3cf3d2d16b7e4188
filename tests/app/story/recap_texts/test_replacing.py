"""Words are found as they stand, and what is put in stands as it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.story.recap_texts.replacing import LONGEST, Wording


@pytest.mark.parametrize(
    ("wording", "text", "found"),
    [
        (
            Wording("Ann", "Beth"),
            "Ann saw Annika, Ann's aunt.",
            ("Beth saw Annika, Beth's aunt.", 2),
        ),
        (Wording("ann", "Beth"), "Ann saw Annika.", ("Ann saw Annika.", 0)),
        (Wording("ann", "Beth", is_cased=False), "Ann saw Annika.", ("Beth saw Annika.", 1)),
        (Wording("Ann", "Beth", is_word=False), "Annika", ("Bethika", 1)),
        (Wording("(old)", ""), "The (old) mill", ("The  mill", 1)),
        (Wording("a.c", "x"), "abc a.c", ("abc x", 1)),
        (Wording("雪", "雨", is_word=False), "白雪", ("白雨", 1)),
        (Wording("", "x"), "abc", ("abc", 0)),
        (Wording("x" * (LONGEST + 1), "y"), "x" * 500, ("x" * 500, 0)),
    ],
)
def test_what_is_found_and_put(wording: Wording, text: str, found: tuple[str, int]) -> None:
    assert wording.in_text(text) == found


@pytest.mark.weakness(22)
@given(st.text(max_size=20))
def test_what_is_put_is_no_template(put: str) -> None:
    assert Wording("Ann", put).in_text("Ann.") == (f"{put}.", 1)


def test_a_recap_of_an_extension_keeps_its_form() -> None:
    stored = json.dumps({"Ann": ['Ann "waits"', 3, None, {"k": "Ann"}]})
    made = json.loads(Wording("Ann", 'B"\n').in_json(stored))
    assert made == {"Ann": ['B"\n "waits"', 3, None, {"k": 'B"\n'}]}
    assert Wording("Ann", "B").in_json("no json {") == ""
