"""The text of a stored recap, by the precedence of spec/auto-recap.md §5."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sillytavern.extensions.stored_recap import display_text

STAGE_1 = {"sn": "The ford", "extracted": ["They came.", "They went."]}
STAGE_2 = {"recap": {"outcomes": "They won.", "threads": ["The spy"], "state": ""}}
STAGE_3 = {"developments": ["They won."], "open": ["Who is the spy?"], "state": [], "resolved": []}


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        (
            {"stage1": STAGE_1, "stage2": STAGE_2, "stage3": STAGE_3},
            "DEVELOPMENTS\nThey won.\n\nOPEN\nWho is the spy?",
        ),
        ({"stage3": {"rc": "All of it."}, "stage1": STAGE_1}, "All of it."),
        ({"stage3": {"recap": STAGE_3}}, "DEVELOPMENTS\nThey won.\n\nOPEN\nWho is the spy?"),
        ({"stage1": STAGE_1, "stage2": STAGE_2}, "OUTCOMES\nThey won.\n\nTHREADS\nThe spy"),
        ({"stage2": {"plot": "A plot."}}, "A plot."),
        ({"stage1": STAGE_1}, "They came.\nThey went."),
        (STAGE_3, "DEVELOPMENTS\nThey won.\n\nOPEN\nWho is the spy?"),
        ({"recap": STAGE_3}, "DEVELOPMENTS\nThey won.\n\nOPEN\nWho is the spy?"),
        # The extension shows nothing for what follows; it is kept here none the less.
        (
            {"recap": STAGE_3, "entities": []},
            "DEVELOPMENTS\nThey won.\n\nOPEN\nWho is the spy?",
        ),
        ({"stage1": ["They came.", "They went."]}, "They came.\nThey went."),
        ({"stage1": {"sn": "x", "chronological_items": ["They came."]}}, "They came."),
        (
            {"stage1": {"goals": ["Win."], "quotes": [{"who": "Mira", "what": "Never."}]}},
            "GOALS\nWin.\n\nQUOTES\nMira: Never.",
        ),
        ({"stage1": {"tone": "grim"}, "stage3": {"developments": []}}, "TONE\ngrim"),
        ({"sn": "x", "extracted": ["They came."]}, "They came."),
        ({"sn": "x", "reveals": "He is the spy."}, "REVEALS\nHe is the spy."),
        ({"scene_name": "x", "recap": "## Situation\nAt sea."}, "## Situation\nAt sea."),
        ({"plot": "P", "rc": "R"}, "P"),
        ({"rc": "R"}, "R"),
        ({"stage1": {"plot": "Only a plot."}}, "Only a plot."),
        ({"stage3": {**STAGE_3, "open": "Who?"}}, "DEVELOPMENTS\nThey won.\n\nOPEN\nWho?"),
        ({"unknown": 1}, ""),
        ({}, ""),
    ],
)
@pytest.mark.weakness(27, 28)
def test_what_is_shown_of_each_format(stored: dict[str, Any], shown: str) -> None:
    assert display_text(json.dumps(stored)) == shown


@pytest.mark.parametrize("text", ["", "She came.", "{ not JSON", "[1, 2]", "17", '"quoted"'])
def test_plain_text_is_its_own(text: str) -> None:
    assert display_text(text) == text


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["stage1", "stage2", "stage3", "recap", "rc", "plot", "extracted", "open"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_nothing_stored_makes_it_fail(stored: Any) -> None:
    assert isinstance(display_text(json.dumps(stored)), str)


def test_deep_nesting_is_shown_as_it_is() -> None:
    deep = "[" * 100_000
    assert display_text(deep) == deep
