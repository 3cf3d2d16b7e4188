"""Reading what BakemonoMemory keeps in a chat's metadata, in the shapes of its public code."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sillytavern.extensions.bakemono_memory import summaries_of
from app.sillytavern.extensions.ranged_recaps import RangedRecaps
from app.views.findings import Omission
from tests.app.sillytavern.extensions.test_memory_books import ODD, ranges
from tests.extension_data import bakemono_summary as summary

FAR = 9007199254740991  # what the extension writes where it knows no message


def read(length: int = 40, **held: Any) -> RangedRecaps:
    return summaries_of({"bakemonoMemory": held}, length)


def test_a_summary_becomes_a_recap_without_its_wrapping() -> None:
    found = read(storySummaries=[summary("story", 1, [3, 1, 2])], configInitialized=True)
    (recap,) = found.recaps
    assert (recap.first, recap.last, recap.name) == (1, 3, "story 1")
    assert recap.text == "Plot\nTold story 1."
    assert recap.created == datetime(2026, 5, 1, 10, tzinfo=UTC).timestamp()
    assert found.made_by == "BakemonoMemory"


def test_a_stage_counts_where_no_summary_of_its_messages_is_left() -> None:
    found = read(
        storySummaries=[summary("story", 1, [0, 1]), summary("story", 2, [2, 3])],
        stageSummaries=[
            summary("stage", 1, [0, 1, 2, 3]),
            summary("stage", 2, [], sourceStart=10, sourceEnd=19),
        ],
        epicSummaries=[summary("epic", 1, [0, 19])],
    )
    assert ranges(found) == [(0, 1), (2, 3), (10, 19)]
    assert found.left_out == {Omission.HIGHER: 2}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"sourceMessageIds": []}, Omission.NO_RANGE),
        ({"sourceMessageIds": [FAR]}, Omission.NO_RANGE),
        ({"sourceMessageIds": ["1"]}, Omission.NO_RANGE),
        ({"sourceMessageIds": [1, 90]}, Omission.BEHIND_END),
        ({"content": "<bakemono></bakemono>"}, Omission.EMPTY),
        ({"content": "x" * 1_000_000}, Omission.TOO_LONG),
    ],
)
def test_what_cannot_be_taken_is_counted(fields: dict[str, Any], why: Omission) -> None:
    assert read(storySummaries=[summary("story", 1, [0, 1]) | fields]).left_out == {why: 1}


@given(ODD)
def test_odd_metadata_are_no_summaries(odd: Any) -> None:
    assert not summaries_of({"bakemonoMemory": odd}, 40).recaps


@given(st.lists(st.dictionaries(st.sampled_from(list(summary("story", 1, []))), ODD), max_size=6))
def test_no_summary_is_of_messages_that_are_not_there(odd: list[dict[str, Any]]) -> None:
    entries = [summary("story", 1, [0, 1]) | one for one in odd]
    for first, last in ranges(read(5, storySummaries=entries, stageSummaries=entries)):
        assert 0 <= first <= last < 5
