"""Where slots will stand in SillyTavern's prompt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.prompt.order import Own, layout, ordered, wire_of
from app.prompt.slots import Slot
from app.prompt.turns import Wire
from app.settings.slot_table import Position, Role
from tests.prompt_turns import LONG, PROFILES, SESSION, slot, turn


def names(slots: tuple[Slot, ...], messages: int, wire: Wire = Wire.CHAT) -> list[str]:
    return [
        stand.slot.key if stand.slot else f"{stand.own} {stand.count}".removesuffix(" 0")
        for stand in layout(slots, messages, wire)
    ]


def test_slots_stand_between_sillytaverns_own_parts() -> None:
    slots = (
        slot("a", "x", position=Position.BEFORE_PROMPT),
        slot("b", "x"),
        slot("c", "x", position=Position.IN_CHAT, depth=2),
        slot("d", "x", position=Position.IN_CHAT, depth=0),
        slot("e", "x", position=Position.NONE),
        slot("f", ""),
    )
    card = str(Own.CARD)
    assert names(slots, 5) == ["a", Own.MAIN, "b", card, "chat 3", "c", "chat 2", "d"]
    assert names(slots, 5, Wire.TEXT) == ["a", Own.MAIN, card, "b", "chat 3", "c", "chat 2", "d"]


def test_what_is_set_later_stands_before_all_others_before_the_prompt() -> None:
    before = (slot("a", "x", position=Position.BEFORE_PROMPT),) * 1
    later = slot("b", "x", position=Position.BEFORE_PROMPT)
    assert [one.key for one in ordered((*before, later), Wire.CHAT)] == ["b", "a"]


def test_a_text_completion_has_what_stands_at_its_head_in_the_order_of_keys() -> None:
    """The page showed profiles before long-term memories, and SillyTavern sent them behind."""
    head = (slot(PROFILES, "x"), slot(LONG, "x"))
    keys = {wire: [one.key for one in ordered(head, wire)] for wire in Wire}
    assert keys == {
        Wire.CHAT: [PROFILES.key, LONG.key],
        Wire.TEXT: [LONG.key, PROFILES.key],
    }
    newest_first = (turn(number=3), turn(number=2, wire=Wire.TEXT), turn(number=1, wire=Wire.CHAT))
    assert wire_of(newest_first) is Wire.TEXT
    assert wire_of(newest_first[:1]) is Wire.CHAT


def test_at_one_depth_the_system_speaks_last_and_keys_are_in_order() -> None:
    place = {"position": Position.IN_CHAT, "depth": 3}
    slots = (
        slot("z", "x", **place),  # type: ignore[arg-type]
        slot("a", "x", **place),  # type: ignore[arg-type]
        slot("u", "x", role=Role.USER, **place),  # type: ignore[arg-type]
        slot("p", "x", role=Role.ASSISTANT, **place),  # type: ignore[arg-type]
    )
    assert [one.key for one in ordered(slots, Wire.CHAT)] == ["p", "u", "a", "z"]


def test_deeper_than_the_chat_is_its_beginning() -> None:
    slots = (slot(LONG, "x", position=Position.IN_CHAT, depth=90), slot(SESSION, "x"))
    assert names(slots, 2)[-2:] == [LONG.key, "chat 2"]


@given(st.lists(st.tuples(st.integers(0, 12), st.sampled_from(Position))), st.integers(0, 10))
def test_every_message_and_every_slot_stands_once(
    places: list[tuple[int, Position]], messages: int
) -> None:
    slots = tuple(
        slot(f"s{n}", "x", position=position, depth=depth)
        for n, (depth, position) in enumerate(places)
    )
    stands = layout(slots, messages, Wire.CHAT)
    told = sorted(stand.slot.key for stand in stands if stand.slot)
    assert told == sorted(one.key for one in slots if one.position is not Position.NONE)
    assert sum(stand.count for stand in stands) == messages
    if messages:
        assert all(stand.count for stand in stands if stand.own is Own.CHAT), "none is empty"
