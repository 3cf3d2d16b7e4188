"""Slots are found again in the prompt that was sent, wherever SillyTavern put them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.prompt.slots import LeftOut, Reason, Slot, SlotSet
from app.prompt.turns import (
    LONGEST_LEFT_OUT,
    MOST_LEFT_OUT,
    FinalPrompt,
    SentPart,
    SentTurn,
    Share,
    Wire,
    fixed_tokens,
    missing_slots,
    pieces_of,
    told_memories,
    turn_of,
)
from app.settings.slot_table import Position, SlotName
from tests.prompt_turns import LONG, PROFILES, SESSION, content, count, slot, turn


def test_pieces_stand_in_the_order_of_the_prompt() -> None:
    long, session = slot(LONG, "The well is deep."), slot(SESSION, "Dov holds the lamp.")
    made = turn(
        session,
        long,
        prompt=(
            ("system", "Write Midge's reply."),
            ("system", "The well is deep."),
            ("user", "Hello."),
            ("system", "Other note.\nDov holds the lamp."),
            ("assistant", "Hm."),
        ),
    )
    pieces = pieces_of(made)
    assert [(p.share, p.slot and p.slot.key, p.text.strip()) for p in pieces] == [
        (Share.OWN, None, "Write Midge's reply."),
        (Share.SLOT, long.key, "The well is deep."),
        (Share.CHAT, None, "Hello."),
        (Share.OWN, None, "Other note."),
        (Share.SLOT, session.key, "Dov holds the lamp."),
        (Share.CHAT, None, "Hm."),
    ]
    assert missing_slots(made, pieces) == ()


def test_a_slot_is_found_where_white_space_was_changed() -> None:
    long = slot(LONG, "One.\n\n\nTwo  three.\n")
    made = turn(long, prompt=(("", "Story string.\nOne.\nTwo three. Chat."),))
    assert [p.slot is long for p in pieces_of(made)] == [False, True, False]


def test_a_slot_inside_of_another_is_found_beside_it() -> None:
    short, longer = slot(LONG, "The well."), slot(SESSION, "The well. And more.")
    made = turn(short, longer, prompt=(("system", "The well. And more.\nThe well."),))
    found = [p.slot.key for p in pieces_of(made) if p.slot is not None]
    assert found == [longer.key]
    assert [one.key for one in missing_slots(made, pieces_of(made))] == [short.key]


def test_what_did_not_reach_the_prompt_is_named_and_nothing_is_guessed_of_a_described_one() -> None:
    deep = slot(SESSION, "Far away.", position=Position.IN_CHAT, depth=90)
    made = turn(deep, slot(PROFILES, ""), prompt=(("system", "Card."), ("user", "Hello.")))
    assert missing_slots(made, pieces_of(made)) == (deep,)
    parts = (SentPart("system", "", 90_000, "ab12"), SentPart.of("user", "Hello."))
    described = replace(made, prompt=FinalPrompt(Wire.CHAT, parts))
    assert missing_slots(described, pieces_of(described)) == ()
    assert pieces_of(described)[0].length == 90_000


def test_a_turn_keeps_what_was_left_out_in_part() -> None:
    long = slot(LONG, "The well is deep.", cut=9)
    told = content(long, *(f"Thing {n} " + "x" * 500 for n in range(MOST_LEFT_OUT + 5)))
    made = turn_of(
        SlotSet((long,), 3, contents=(told,)),
        moment=5.0,
        generation="swipe",
        responder="Midge",
        context=4000,
        messages=9,
    )
    (kept,) = made.contents
    assert len(kept.left_out) == MOST_LEFT_OUT
    assert kept.left_out[0] == LeftOut(("Thing 0 " + "x" * 500)[:LONGEST_LEFT_OUT], Reason.BUDGET)
    assert (made.revision, made.cut_tokens, made.total_tokens) == (3, 9, 4)


TEXTS = st.text("ab \n.", max_size=30)


@given(st.lists(st.tuples(st.sampled_from(("system", "user", "")), TEXTS), min_size=1), TEXTS)
def test_pieces_lose_no_word_of_a_prompt(prompt: list[tuple[str, str]], text: str) -> None:
    made = turn(slot(LONG, text), prompt=tuple(prompt))
    said = " ".join(piece.text for piece in pieces_of(made))
    assert "".join(said.split()) == "".join("".join(text for _, text in prompt).split())


def test_what_is_fixed_is_what_stands_around_the_chat() -> None:
    long = slot(LONG, "The well is deep.")
    made = turn(
        long,
        prompt=(
            ("system", "Write a reply."),
            ("system", "The well is deep."),
            ("user", "Hello."),
            ("system", "The narrator says that it rains all night."),
            ("assistant", "Hm."),
            ("system", "Stay brief."),
        ),
    )
    assert fixed_tokens(made, count) == 3 + 2
    assert fixed_tokens(turn(long, prompt=(("", "All in one text."),)), count) == 0
    assert fixed_tokens(turn(long), count) == 0


# --- memories that went out


def prepared(*slots: Slot, shown: dict[str, tuple[str, ...]]) -> SentTurn:
    contents = tuple(replace(content(slot(key, "It is.")), shown=ids) for key, ids in shown.items())
    return turn(*slots, contents=contents)


def test_a_memory_went_out_where_its_slot_stands_in_the_prompt() -> None:
    long, session = slot(LONG, "- The well is deep."), slot(SESSION, "- It rains.")
    made = prepared(long, session, shown={LONG.key: ("a", "b"), SESSION.key: ("b", "c")})
    both = (("system", "Card.\n- The well is deep.\n- It rains."), ("user", "Hello."))
    assert told_memories(made, turn(long, session, prompt=both)) == ("a", "b", "c")
    dropped = (("system", "- The well is deep."), ("user", "Hello."))
    assert told_memories(made, turn(long, session, prompt=dropped)) == ("a", "b")
    older = slot(LONG, "- The well is dry.")
    late = (("system", "- The well is dry.\n- It rains."), ("user", "Hello."))
    assert told_memories(made, turn(older, session, prompt=late)) == ("b", "c")
    assert told_memories(made, turn(long, session)) == ()


@pytest.mark.parametrize("generation", ["quiet", "impersonate"])
def test_nothing_is_told_where_no_character_speaks(generation: str) -> None:
    long = slot(LONG, "- The well is deep.")
    made = prepared(long, shown={LONG.key: ("a",)})
    sent = turn(long, prompt=(("system", long.text),), generation=generation)
    assert told_memories(made, sent) == ()


def test_in_one_block_all_that_it_holds_went_out() -> None:
    block = slot(SlotName.UNIFIED, "- The well is deep.\n- It rains.")
    made = prepared(block, shown={LONG.key: ("a",), SESSION.key: ("b",)})
    assert told_memories(made, turn(block, prompt=(("system", block.text),))) == ("a", "b")
