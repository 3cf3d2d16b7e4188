"""Which words may be a name (spec/smart-memory.md §8.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.names import folded, name_in, party_in


@pytest.mark.parametrize(
    "raw",
    [
        *("", " ", "...", "-", "?!", "0", "12", "1-3", "3,4", "a1234", "№ 5"),
        *("none", "NULL", "unknown", "n/a", "sources", "sources=2", "entity", "character", "high"),
        *("everyone", "the group", "The others", "both", "they", "nobody", "all", "someone"),
        *("she", "I", "him", "NPC", "side character", "the protagonist", "Guard 2", "NPC #3"),
        *("<A>", "<name>", "{{user}}", "[Name]", "x" * 81, "x" * 100_000, "\x00"),
    ],
)
def test_what_is_no_name_is_refused(raw: str) -> None:
    assert name_in(raw) == ""


@pytest.mark.parametrize(
    "raw",
    [
        *("Kael", "Jean-Luc", "O'Hara", "D.P.", "A", "the Iron Vault", "Agent 47", "K-9", "李明"),
        *(
            "Mr. Fox",
            "Ysolde of Marn",
            "The Owls",
            "Nan",
            "Will",
            "User",
            "Assistant",
            "museum box",
        ),
    ],
)
def test_a_name_stays_as_it_is(raw: str) -> None:
    assert name_in(raw) == raw


@pytest.mark.parametrize("raw", ["**Kael**", ' "Kael" ', "Kael,", "(Kael)", "Kael.", "_Kael_"])
def test_what_stands_around_a_name_goes(raw: str) -> None:
    assert name_in(raw) == "Kael"


@pytest.mark.parametrize("raw", ["everyone", "the others", "the passengers"])
def test_a_secret_may_be_kept_from_many(raw: str) -> None:
    assert party_in(raw) == raw


def test_a_secret_is_not_kept_from_a_pronoun() -> None:
    assert party_in("him") == ""


def test_apostrophes_and_case_make_no_other_name() -> None:
    assert folded("O’Hara") == folded("o'hara") == folded(" OʼHARA ")


@given(st.text(max_size=100))
def test_a_name_that_is_read_again_stays(raw: str) -> None:
    name = name_in(raw)
    assert name_in(name) == name
