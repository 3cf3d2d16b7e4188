"""A lorebook file: what SillyTavern needs of an entry, and nothing that it would run."""

from __future__ import annotations

import json
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from app.sillytavern.world_info import world_info
from app.story.lore_entries.lore import LoreEntry


def entries(*lore: LoreEntry) -> list[dict[str, object]]:
    book = json.loads(world_info(lore))
    assert list(book) == ["entries"]
    assert list(book["entries"]) == [str(entry["uid"]) for entry in book["entries"].values()]
    return list(book["entries"].values())


def test_entries_stand_by_name_with_the_fields_of_the_spec() -> None:
    mill = LoreEntry("place", "Mill", ("wheel", "MILL", "the burnt mill"), ("Burnt.", "Cold."))
    rule = LoreEntry("Rule", "blind night", (), ("No lamps.",))
    night, burnt = entries(mill, rule)
    assert (night["comment"], night["constant"], night["order"]) == ("Rule-blind night", True, 1000)
    assert (burnt["comment"], burnt["constant"], burnt["order"]) == ("place-Mill", False, 999)
    assert burnt["key"] == ["MILL", "wheel", "the burnt mill"]
    assert burnt["content"] == "Burnt.\nCold."
    assert burnt["sticky"] == 4
    assert burnt["ignoreBudget"] is True
    assert burnt["keysecondary"] == []


def test_nothing_in_an_entry_is_a_macro_a_decorator_or_an_expression() -> None:
    bad = LoreEntry("x", "/.*/i", ("/a/", "{{user}}"), ("@@activate", "{{setvar::a::b}}"))
    [entry] = entries(bad)
    assert entry["content"] == "activate\n{ {setvar::a::b}}"
    assert entry["key"] == [".*/i", "a", "{ {user}}"]


LETTERS = st.sampled_from('ab{@/ \n"') | st.characters(exclude_categories=["Cs"])
WORDS = st.text(LETTERS, max_size=9)


@given(st.lists(st.builds(LoreEntry, WORDS, WORDS, st.tuples(WORDS), st.tuples(WORDS))))
def test_any_lore_makes_a_file_in_which_nothing_runs(lore: list[LoreEntry]) -> None:
    found = entries(*lore)
    assert len(found) == len(lore)
    for entry in found:
        assert "{{" not in str(entry["content"])
        assert not any(line.startswith("@@") for line in str(entry["content"]).split("\n"))
        assert all(
            key and not str(key).startswith("/") for key in cast("list[object]", entry["key"])
        )
