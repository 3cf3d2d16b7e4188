"""Which slots are set, where they stand, and in which frame."""

from __future__ import annotations

from app.memory.records import DocumentKind
from app.settings.slot_table import Position, Role, SlotName
from tests.app.prompt.remembered import OF_ALL_TIERS, document, memory, prompt, slot, text_of


def test_without_memories_there_are_no_slots_of_memory() -> None:
    assert [slot.key for slot in prompt().slots] == ["auto_recap_memory_scene"]


def test_a_slot_that_has_nothing_to_tell_any_more_is_gone() -> None:
    one = memory("The gate is open.")
    assert slot(prompt([one]), SlotName.LONG) is not None
    assert slot(prompt([one], longterm_enabled=False), SlotName.LONG) is None


def test_what_stands_in_the_chat_stands_close_to_its_end() -> None:
    in_chat = [s for s in prompt(OF_ALL_TIERS).slots if s.position is Position.IN_CHAT]
    assert [slot.depth for slot in in_chat] == [1] * 5
    moved = prompt(OF_ALL_TIERS, slots_deepest=4, slot_session_depth=0).slots
    depths = {s.key: s.depth for s in moved if s.position is Position.IN_CHAT}
    assert list(depths.values()) == [4, 0, 2, 1, 1]


def test_seeds_places_are_the_defaults_and_can_be_changed_but_for_the_repair() -> None:
    told = prompt(
        OF_ALL_TIERS,
        documents=[
            document(DocumentKind.PROFILE, "State:\nmood: calm", subject="Vera"),
            document(DocumentKind.CANON, "Identity: a guard.", subject="Vera"),
            document(DocumentKind.SUMMARY, "All was quiet."),
        ],
        slots_deepest=99,
    )
    places = {s.key.removeprefix("smart_memory_"): (s.position, s.depth) for s in told.slots[1:]}
    assert places == {
        "canon": (Position.IN_PROMPT, 0),
        "profiles": (Position.IN_PROMPT, 1),
        "long": (Position.IN_PROMPT, 2),
        "short": (Position.IN_PROMPT, 0),
        "relationships": (Position.IN_CHAT, 5),
        "session": (Position.IN_CHAT, 3),
        "arcs": (Position.IN_CHAT, 2),
        "epistemic": (Position.IN_CHAT, 1),
        "state_ledger": (Position.IN_CHAT, 1),
    }
    moved = prompt(
        [memory("Odo fears dogs.")],
        slots_deepest=99,
        slot_long_position=1,
        slot_long_depth=7,
        slot_long_role=1,
        slot_long_scan=True,
        slot_long_template="Known: {{memories}}!",
    )
    long = slot(moved, SlotName.LONG)
    assert long is not None
    assert (long.position, long.depth, long.role, long.scan) == (1, 7, Role.USER, True)
    assert long.text == "Known: - Odo fears dogs.!"


def test_a_frame_that_lost_its_placeholder_loses_nothing() -> None:
    told = prompt([memory("Odo fears dogs.")], slot_long_template="Known:")
    assert text_of(told, SlotName.LONG) == "Known:\n- Odo fears dogs."
