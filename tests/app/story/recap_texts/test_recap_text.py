"""Recaps as text go both ways, and are cut in the right order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.story.recap_texts.recap_text import Recap, clean_items, fitted, parse_recap

ITEMS = st.lists(st.text(min_size=1, max_size=40), max_size=6).map(clean_items)
RECAPS = st.builds(Recap, ITEMS, ITEMS, ITEMS, ITEMS)


@given(RECAPS)
def test_what_is_written_is_read_back(recap: Recap) -> None:
    assert parse_recap(recap.render()) == recap


def test_blocks_are_headed_and_apart() -> None:
    recap = Recap(("A.", "B."), (), ("C.",))
    assert recap.render() == "DEVELOPMENTS\nA.\nB.\n\nSTATE\nC."


def test_text_without_headings_is_all_developments() -> None:
    assert parse_recap("One.\n\n- Two.").developments == ("One.", "Two.")


def test_a_sentence_that_begins_like_a_heading_is_none() -> None:
    assert parse_recap("STATE secrets were sold.").developments == ("STATE secrets were sold.",)


def test_the_oldest_developments_go_first_then_the_open_and_the_state_stays() -> None:
    recap = Recap(("d1", "d2", "d3"), ("o1", "o2"), ("s1", "s2"))
    count = len
    assert fitted(recap, 1000, count) == recap
    full = len(recap.render())
    assert fitted(recap, full - 1, count) == Recap(("d2", "d3"), ("o1", "o2"), ("s1", "s2"))
    without = Recap((), ("o1", "o2"), ("s1", "s2"))
    assert fitted(recap, len(without.render()), count) == without
    assert fitted(recap, len(without.render()) - 1, count) == Recap((), ("o2",), ("s1", "s2"))
    assert fitted(recap, 0, count) == Recap((), (), ("s1", "s2"))


@pytest.mark.real_model(1)
def test_no_part_crowds_out_the_others() -> None:
    many = {name: tuple(f"{name[0]}{n:02}" for n in range(40)) for name in ("open", "state")}
    recap = Recap(tuple(f"d{n:02}" for n in range(40)), many["open"], many["state"])
    cut = fitted(recap, 150, len)
    assert [len(cut.developments), len(cut.open), len(cut.state)] == [19, 6, 6]
    assert (cut.developments[-1], cut.open[-1], cut.state[-1]) == ("d39", "o39", "s39")


@given(RECAPS, st.integers(0, 300))
def test_a_cut_recap_fits_or_holds_the_state_alone(recap: Recap, tokens: int) -> None:
    cut = fitted(recap, tokens, len)
    assert cut.state == recap.state
    assert len(cut.render()) <= tokens or cut == Recap(state=recap.state)


@given(RECAPS, st.integers(0, 200), st.integers(0, 100))
def test_more_room_never_shows_less(recap: Recap, tokens: int, more: int) -> None:
    small, large = fitted(recap, tokens, len), fitted(recap, tokens + more, len)
    assert set(small.developments) <= set(large.developments)
    assert set(small.open) <= set(large.open)


def test_a_date_at_the_beginning_of_an_entry_is_no_bullet() -> None:
    dated = ("12. März: Lene kam an.", "14. März: Lene ging.")
    assert clean_items(dated) == dated
    assert clean_items(("1. Lene kam an.", "2) Lene ging.")) == ("Lene kam an.", "Lene ging.")


def test_markdown_of_earlier_recaps_becomes_entries_under_their_headings() -> None:
    recap = parse_recap(
        "## Current situation\nAnn is at the **inn**.\n\n## Key developments\n- **Ann** met Bo.\n"
        "* It rained.\n**Tone & style:**\nGrim.\n### Unresolved threads\n1. Who took it?"
    )
    assert recap.developments == ("Ann met Bo.", "It rained.")
    assert recap.open == ("Who took it?",)
    assert recap.state == ("Ann is at the inn.", "Grim.")


def test_a_bold_word_at_the_beginning_of_an_entry_is_no_heading() -> None:
    recap = parse_recap("**Ann** left the open door.\n**Bo**\nResolved matters stay.")
    assert recap.developments == ("Ann left the open door.", "Bo", "Resolved matters stay.")
