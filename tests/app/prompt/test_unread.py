"""What no model has read keeps room, and what fell out of the prompt is noted in few words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from app.memory.records import Entity
from app.memory.standing import Ground, standings
from app.prompt.assembly import Means, assembled
from app.prompt.occasion import Recollection
from app.prompt.slots import SlotName, SlotSet
from app.prompt.unread import (
    fallen_out,
    in_few_words,
    kept_for_messages,
    little_words,
    names_told,
    notes_of,
)
from tests.app.prompt.remembered import CHAT, COUNTER, PACKS, memory, settings, story, text_of

ENGLISH = [pack for pack in PACKS if pack.code == "en"]
LINES = tuple(
    f"There is a lamp with the number {n} in the tower, and it is not the keeper who lights it."
    for n in range(40)
)


def prompt(
    total: int, *, unread_from: int | None = 0, entities: tuple[Entity, ...] = ()
) -> SlotSet:
    of = story(*LINES)
    held = standings([memory("Odo has a key.", at=9)], Ground.of(CHAT, of.messages))
    told = Recollection(held, chat=CHAT, unread_from=unread_from)
    return assembled(of, settings(), Means(COUNTER.count, PACKS), told=told, total=total)


def test_few_words_keep_what_tells_something_and_what_turns_it_round() -> None:
    little = little_words(ENGLISH)
    assert in_few_words("It is *not* the keeper of the lamp.", little) == "not keeper lamp."
    assert in_few_words("灯台の光", little) == "灯台の光"


@given(st.text(max_size=200))
def test_few_words_are_words_of_the_text(text: str) -> None:
    little = little_words(ENGLISH)
    short = in_few_words(text, little)
    assert len(short) <= max(len(text), 0) + 1
    assert in_few_words(short, little) == short


def test_the_newest_messages_keep_a_part_of_the_total_until_a_model_has_read_them() -> None:
    told = story(*LINES)
    tokens = told.message_tokens[-1]
    assert kept_for_messages(told, None, 1000) == 0
    assert kept_for_messages(told, 39, 1000) == tokens
    assert kept_for_messages(told, 0, 500) == 200


@given(st.integers(0, 500), st.integers(0, 300))
def test_a_larger_total_leaves_slots_no_less(total: int, more: int) -> None:
    told = story(*LINES)
    small, large = total - kept_for_messages(told, 0, total), total + more
    assert small <= large - kept_for_messages(told, 0, large)


def test_a_story_that_fits_is_told_by_itself() -> None:
    told = story(*LINES)
    tokens = sum(told.message_tokens)
    assert kept_for_messages(told, 0, 2 * tokens) == tokens
    assert kept_for_messages(told, 0, tokens) == tokens * 2 // 5


def test_what_fits_the_prompt_has_not_fallen_out() -> None:
    told = story(*LINES)
    assert not fallen_out(told, None, 0, PACKS)
    assert not fallen_out(told, 0, 100_000, PACKS)
    assert fallen_out(told, 0, 3 * told.message_tokens[-1], PACKS).end == 37


def test_what_fell_out_is_noted_newest_first_and_only_what_no_model_read() -> None:
    text = text_of(prompt(600), SlotName.SHORT)
    assert "lamp number" in text
    assert "There is a" not in text
    noted = [n for n in range(40) if f"number {n} " in text]
    assert noted == list(range(noted[0], noted[-1] + 1))  # without a gap, up to what is visible
    assert not text_of(prompt(600, unread_from=None), SlotName.SHORT)
    assert not text_of(prompt(600, unread_from=38), SlotName.SHORT)


def test_names_are_told_that_the_visible_messages_do_not_say() -> None:
    vera, bram = (Entity(name, CHAT, name, "character") for name in ("Vera", "Bram"))
    (entry,) = names_told([vera, bram], story(*LINES).messages[-2:])
    assert entry.text == "Bram."
    assert not list(names_told([vera], story(*LINES).messages[-2:]))


@pytest.mark.parametrize("hidden", [True, False])
def test_messages_that_are_hidden_take_no_room(hidden: bool) -> None:
    told = story(*LINES)
    last = structs.replace(told.messages[-1], is_hidden=hidden)
    told = replace(told, messages=(*told.messages[:-1], last))
    assert kept_for_messages(told, 39, 1000) == (0 if hidden else told.message_tokens[-1])


def test_a_status_line_is_not_noted() -> None:
    told = story("[Day 2 | Dawn | The tower]\nThe lamp goes out.", "It rains.")
    unread = fallen_out(told, 0, told.message_tokens[-1], PACKS)
    assert [entry.text for entry in notes_of(told, unread)] == ["lamp goes."]
