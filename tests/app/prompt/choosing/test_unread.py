"""What no model has read keeps room, and what does not fit it has fallen out of the prompt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from app.memory.records import Entity
from app.memory.standing import Ground, standings
from app.prompt.choosing.unread import (
    fallen_out,
    kept_for_messages,
)
from app.prompt.material import Means
from app.prompt.recollection import Recollection
from app.prompt.slots import SlotSet
from tests.app.prompt.remembered import CHAT, COUNTER, PACKS, assembled, memory, settings, story

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


@pytest.mark.parametrize("hidden", [True, False])
def test_messages_that_are_hidden_take_no_room(hidden: bool) -> None:
    told = story(*LINES)
    last = structs.replace(told.messages[-1], is_hidden=hidden)
    told = replace(told, messages=(*told.messages[:-1], last))
    assert kept_for_messages(told, 39, 1000) == (0 if hidden else told.message_tokens[-1])


def test_what_the_slots_push_out_is_what_would_fit_without_them() -> None:
    told = story(*LINES)
    tokens = told.message_tokens[-1]
    unread = fallen_out(told, 0, 3 * tokens, PACKS, total=8 * tokens)
    assert (unread.pushed, unread.end) == (32, 37)
    assert fallen_out(told, 0, 3 * tokens, PACKS).pushed == 37
