"""Reading what MemoryBooks wrote into lorebooks, in the shapes of its public code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sillytavern.extensions.memory_books import book_names, find_memory_books, memories_of
from app.sillytavern.extensions.ranged_recaps import LONGEST_RECAP, RangedRecaps, name_of
from app.views.findings import Omission
from tests.extension_data import memory_entry, without, write_lorebook

BOUND = {"world_info": "Harbour memories"}


def read(*entries: Any, length: int = 40, others: tuple[str, ...] = ()) -> RangedRecaps:
    return memories_of(entries, "Harbour", length, lambda name: name in others)


def ranges(found: RangedRecaps) -> list[tuple[int, int]]:
    return [(recap.first, recap.last) for recap in found.recaps]


def test_entries_become_recaps_with_their_messages_and_names(tmp_path: Path) -> None:
    note = {"uid": 9, "comment": "The quay", "content": "A place.", "stmemorybooks": False}
    write_lorebook(
        tmp_path, "Harbour memories", memory_entry(2, 10, 19), note, memory_entry(1, 0, 9)
    )
    found = find_memory_books(tmp_path, BOUND, "Harbour", 40, lambda _: False)
    assert ranges(found) == [(0, 9), (10, 19)]
    assert [recap.name for recap in found.recaps] == ["Scene 1", "Scene 2"]
    assert found.recaps[0].text == "What happened in scene 1."
    assert (found.made_by, found.left_out) == ("MemoryBooks", {})


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (without(memory_entry(1, 0, 9), "STMB_start", "STMB_end"), Omission.NO_RANGE),
        (memory_entry(1, "0", "9"), Omission.NO_RANGE),
        (memory_entry(1, 9, 0), Omission.NO_RANGE),
        (memory_entry(1, -3, 4), Omission.NO_RANGE),
        (memory_entry(1, 0.5, 4), Omission.NO_RANGE),
        (memory_entry(1, 0, True), Omission.NO_RANGE),
        (memory_entry(1, 30, 40), Omission.BEHIND_END),
        (memory_entry(1, 0, 9, content="  "), Omission.EMPTY),
        (memory_entry(1, 0, 9, content="x" * (LONGEST_RECAP + 1)), Omission.TOO_LONG),
        (memory_entry(1, 0, 9, disable=True), Omission.OFF),
        (memory_entry(1, 0, 9, stmbSummary=True, stmbSummaryTier=1), Omission.HIGHER),
        (memory_entry(1, 0, 9, stmbArc=True), Omission.HIGHER),
        (memory_entry(1, 0, 9, type="Chapter"), Omission.HIGHER),
        (memory_entry(1, 0, 9, chat="Another chat"), Omission.OTHER_CHAT),
    ],
)
def test_what_cannot_be_taken_is_counted_with_its_reason(entry: Any, why: Omission) -> None:
    kept = memory_entry(2, 20, 29)
    found = read(entry, kept)
    assert ranges(found) == [(20, 29)]
    assert found.left_out == {why: 1}


def test_an_entry_that_a_summary_switched_off_still_tells_its_scene() -> None:
    found = read(memory_entry(1, 0, 9, disable=True, disabledBySummaryId="7"))
    assert ranges(found) == [(0, 9)]


def test_a_copy_for_a_members_lorebook_is_passed_over() -> None:
    found = read(memory_entry(1, 0, 9, STMB_canonical=True), memory_entry(1, 0, 9), memory_entry(
        1, 0, 9, content="Of one member.", STMB_canonical=False))  # fmt: skip
    assert [recap.text for recap in found.recaps] == ["What happened in scene 1."]
    assert found.left_out == {}


def test_of_two_that_overlap_one_counts_and_of_the_same_messages_all_do() -> None:
    again = memory_entry(3, 0, 9, content="Told again.")
    found = read(memory_entry(1, 0, 9), memory_entry(2, 5, 14), again, memory_entry(4, 15, 19))
    assert ranges(found) == [(0, 9), (0, 9), (15, 19)]
    assert found.left_out == {Omission.OVERLAP: 1}


def test_a_renamed_chats_entries_are_its_own_and_those_of_another_chat_are_not() -> None:
    old = memory_entry(1, 0, 9, chat="Old name")
    assert ranges(read(old)) == [(0, 9)]
    assert ranges(read(old, others=("Old name",))) == []
    # Where two names have no chat any more, nobody can say which was this one's.
    assert ranges(read(old, memory_entry(2, 10, 19, chat="Older name"))) == []
    assert ranges(read(old, memory_entry(2, 10, 19))) == [(10, 19)]


def test_entries_of_before_chats_were_named_are_of_the_chat_that_has_the_lorebook() -> None:
    assert ranges(read(without(memory_entry(1, 0, 9), "STMB_chatId"))) == [(0, 9)]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("[001] - The Quay", "The Quay"),
        ("(12) The Quay", "The Quay"),
        ("#003: The Quay", "The Quay"),
        ("004 - The Quay", "The Quay"),
        ("1999 was long ago", "1999 was long ago"),
        ("The Quay [7]", "The Quay [7]"),
        ("[007]", ""),
        ("", ""),
    ],
)
def test_a_title_gives_the_name_without_its_number(title: str, name: str) -> None:
    assert name_of(title) == name


def test_only_the_chats_own_lorebooks_are_opened_and_none_elsewhere(tmp_path: Path) -> None:
    metadata = {
        "world_info": "../settings",
        "STMemoryBooks": {
            "manualLorebook": "Chosen",
            "manualCharacterLorebooks": {"mira.png": "Mira's", "odd": 7, "dot": ".hidden"},
        },
    }
    assert book_names(metadata) == ("Chosen", "Mira's")
    (tmp_path / "settings.json").write_text(json.dumps({"entries": {"0": memory_entry(1, 0, 9)}}))
    (tmp_path / "worlds").mkdir()
    assert not find_memory_books(tmp_path, metadata, "Harbour", 40, lambda _: False)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
FIELDS = [
    *("comment", "content", "disable", "stmemorybooks", "STMB_start", "STMB_end", "STMB_chatId"),
    *("stmbSummary", "type", "disabledBySummaryId", "STMB_canonical"),
]


@given(
    st.lists(st.dictionaries(st.sampled_from(FIELDS), ODD), max_size=8),
    st.integers(min_value=0, max_value=50),
)
def test_no_entry_makes_a_recap_of_messages_that_are_not_there(
    odd: list[dict[str, Any]], length: int
) -> None:
    entries = [memory_entry(1, 0, 3) | one for one in odd]
    found = memories_of(entries, "Harbour", length, lambda _: False)
    behind = -1
    for first, last in dict.fromkeys(ranges(found)):
        assert behind < first <= last < length
        behind = last


@given(ODD, ODD, ODD)
def test_odd_metadata_names_no_file_elsewhere(one: Any, other: Any, third: Any) -> None:
    own = {"manualLorebook": other, "manualCharacterLorebooks": third}
    for metadata in ({"world_info": one, "STMemoryBooks": own}, {"STMemoryBooks": one}):
        for name in book_names(metadata):
            assert Path("worlds", f"{name}.json").name == f"{name}.json"


def test_a_lorebook_that_is_no_lorebook_holds_nothing(tmp_path: Path) -> None:
    path = write_lorebook(tmp_path, "Harbour memories")
    for content in (b"", b"[]", b"{", b'{"entries": 7}', b'{"entries": [null, 7]}', b"\xff" * 9):
        path.write_bytes(content)
        assert not find_memory_books(tmp_path, BOUND, "Harbour", 40, lambda _: False)
