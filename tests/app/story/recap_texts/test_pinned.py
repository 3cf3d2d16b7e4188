"""A pinned sentence comes through a rewrite, and stands where it stood."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.story.recap_texts.pinned import (
    Pin,
    holds,
    missing,
    pins_in,
    sentence_at,
    stored,
    with_pinned,
)

BEFORE = """DEVELOPMENTS
Ada found the key. She hid it well.
Bert left the town.

OPEN
Who wrote the letter?

STATE
Ada stands at the well."""
REWRITTEN = """DEVELOPMENTS
Ada has the key. Bert is gone.

OPEN
Who wrote it?

STATE
Ada stands at the well."""


def test_a_sentence_is_found_at_a_place_and_no_heading_is_one() -> None:
    def at(words: str, more: int = 0) -> str:
        place = BEFORE.index(words)
        return sentence_at(BEFORE, place, place + more)

    assert at("found") == "Ada found the key."
    assert at("hid") == "She hid it well."
    assert at("key. She", 12) == "Ada found the key. She hid it well."
    assert at("Bert") == "Bert left the town."
    assert at("DEVELOP") == ""
    assert sentence_at(BEFORE, len(BEFORE)) == "Ada stands at the well."
    assert sentence_at("- One thing. Another.", 3) == "One thing."
    assert sentence_at("", 0) == ""


def test_what_a_rewrite_leaves_out_comes_back_into_its_block() -> None:
    pins = [Pin("She hid it well."), Pin("Who wrote the letter?"), Pin("Ada stands at the well.")]
    assert missing(REWRITTEN, pins) == tuple(pins[:2])
    made = with_pinned(REWRITTEN, pins, BEFORE)
    blocks = [block.split("\n") for block in made.split("\n\n")]
    assert blocks[0][-1] == "She hid it well."
    assert blocks[1] == ["OPEN", "Who wrote it?", "Who wrote the letter?"]
    assert not missing(made, pins)
    assert with_pinned(made, pins, BEFORE) == made


def test_a_block_that_is_gone_is_opened_again() -> None:
    made = with_pinned("STATE\nAll is well.", [Pin("Who wrote the letter?")], BEFORE)
    assert made == "STATE\nAll is well.\n\nOPEN\nWho wrote the letter?"


def test_what_the_user_took_out_stays_out() -> None:
    assert with_pinned(REWRITTEN, [Pin("Nobody says this.")], BEFORE) == REWRITTEN


def test_a_plain_text_gets_it_as_its_last_line() -> None:
    assert with_pinned("- It rains.", [Pin("It snowed.")], "It snowed.") == (
        "- It rains.\n- It snowed."
    )


def test_pins_come_back_from_the_setting_and_nonsense_is_none() -> None:
    pins = (Pin("One.", "", "a"), Pin("Two.", "b"))
    assert pins_in(stored(pins)) == pins
    for nonsense in ("", "x", "[1]", '[["a"]]', "{}"):
        assert pins_in(nonsense) == ()


@given(st.text(max_size=300), st.text(max_size=300), st.integers(0, 400), st.integers(0, 60))
def test_whatever_is_pinned_of_any_text_is_held_by_any_rewrite(
    before: str, after: str, start: int, more: int
) -> None:
    said = sentence_at(before, min(start, len(before)), min(start + more, len(before)))
    assert "\n" not in said
    if said and holds(before, said):
        assert not missing(with_pinned(after, [Pin(said)], before), [Pin(said)])
