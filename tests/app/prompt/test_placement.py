"""Slots, one block and macros: each text goes one way, and what goes nowhere is said."""

from __future__ import annotations

from typing import Any

import pytest

from app.memory.records import DocumentKind, Tier
from app.prompt.generation import Turn
from app.prompt.placement import (
    IN_BLOCK,
    MACROS,
    RECAP_MACRO,
    MacroState,
    macro_uses,
    macros_in,
)
from app.prompt.slots import RUNNING_RECAP_KEY, SlotSet
from app.settings.slot_table import Position, SlotName
from tests.app.prompt.remembered import document, memory, prompt, slot, story, text_of, whole

HELD = [
    memory("A fact."),
    memory("A lamp.", Tier.SESSION),
    memory("Who took it?", Tier.ARCS),
    memory("fond", Tier.RELATIONSHIPS, subject="Vera", target="You"),
    memory("the key", Tier.EPISTEMIC, subject="Vera"),
]
DOCUMENTS = [
    document(DocumentKind.CANON, "A guard.", subject="Vera"),
    document(DocumentKind.SUMMARY, "All was quiet."),
]
TEXTS = ("A fact.", "A lamp.", "Who took it?", "fond", "the key", "A guard.", "All was quiet.")


def placed(*card: str, **values: Any) -> SlotSet:
    return prompt(HELD, documents=DOCUMENTS, turn=Turn(card=macros_in(card)), **values)


def sent(slots: SlotSet) -> list[SlotName]:
    """Slots that SillyTavern puts somewhere by itself."""
    return [
        name
        for name in SlotName
        if (found := slot(slots, name)) and found.position is not Position.NONE
    ]


def test_there_are_twelve_macros_of_letters_and_hyphens() -> None:
    assert len(set(MACROS.values())) == 12
    assert all(name.replace("-", "").isalpha() and name.islower() for name in MACROS.values())


@pytest.mark.parametrize("mode", ["auto", "forced", "never"])
@pytest.mark.parametrize("is_unified", [False, True])
@pytest.mark.parametrize("card", [(), ("A {{smartmemory-longterm}}", "{{ SmartMemory-Unified }}")])
def test_each_text_goes_exactly_one_way(mode: str, is_unified: bool, card: tuple[str, ...]) -> None:
    slots = placed(*card, slots_macros=mode, slots_unified=is_unified)
    for text in TEXTS:
        assert whole(slots).count(text) == 1


def test_one_block_holds_seven_in_their_order_and_leaves_the_others() -> None:
    slots = placed(slots_unified=True)
    assert sent(slots) == [SlotName.RELATIONSHIPS, SlotName.EPISTEMIC, SlotName.UNIFIED]
    text = text_of(slots, SlotName.UNIFIED)
    places = [text.index(part) for part in ("A guard.", "A fact.", "All was", "A lamp.", "Who")]
    assert places == sorted(places)
    assert text.count("\n\n") >= 4
    block = slot(slots, SlotName.UNIFIED)
    assert block is not None
    assert (block.position, block.depth) == (Position.IN_PROMPT, 0)
    in_block = [c for c in slots.contents if c.key in {name.key for name in IN_BLOCK}]
    assert len(in_block) == 5


def test_a_macro_that_the_card_names_takes_the_place_of_its_slot() -> None:
    slots = placed("You are Vera. {{smartmemory-longterm}}", "", "{{SMARTMEMORY-EPISTEMIC}}")
    long = slot(slots, SlotName.LONG)
    assert long is not None
    assert (long.position, long.macro) == (Position.NONE, "smartmemory-longterm")
    assert "A fact." in long.text
    assert SlotName.EPISTEMIC not in sent(slots)
    assert SlotName(Tier.ARCS) in sent(slots)
    assert not slots.warnings
    assert SlotName.LONG in sent(placed("{{smartmemory-longterm}}", slots_macros="never"))


def test_macros_that_are_forced_and_stand_nowhere_are_said() -> None:
    slots = placed("{{smartmemory-longterm}}", slots_macros="forced")
    assert sent(slots) == []
    (warning,) = slots.warnings
    assert "{{smartmemory-arcs}}" in warning
    assert "longterm" not in warning
    assert "profiles" not in warning  # there is none to tell


def test_in_one_block_only_its_own_macro_and_those_of_the_others_count() -> None:
    card = "{{smartmemory-unified}} {{smartmemory-longterm}} {{smartmemory-relationships}}"
    slots = placed(card, slots_unified=True)
    assert sent(slots) == [SlotName.EPISTEMIC]
    assert "A fact." in text_of(slots, SlotName.UNIFIED)
    assert slots.warnings == (
        "{{smartmemory-longterm}} stays empty while everything is in one block.",
    )


@pytest.mark.parametrize("mode", ["auto", "forced", "never"])
def test_nothing_is_told_when_slots_are_switched_off(mode: str) -> None:
    slots = placed("{{smartmemory-longterm}}", slots_enabled=False, slots_macros=mode)
    assert [(s.text, s.macro) for s in slots.slots] == [("", "")]


def test_a_page_that_fills_no_macros_gets_slots() -> None:
    turn = Turn(card=("smartmemory-longterm",), serves_macros=False)
    slots = prompt(HELD, documents=DOCUMENTS, turn=turn, slots_macros="forced")
    assert SlotName.LONG in sent(slots)


def test_a_place_that_is_nowhere_takes_no_tokens() -> None:
    slots = placed(slot_long_position=-1)
    assert slot(slots, SlotName.LONG) is None
    assert "A fact." not in whole(slots)


def test_the_running_recap_has_a_macro_that_takes_its_slots_place() -> None:
    held = prompt(HELD, of=story(running="So far."), turn=Turn(card=(RECAP_MACRO,)))
    recap = held.slots[0]
    assert (recap.key, recap.position, recap.macro) == (
        RUNNING_RECAP_KEY,
        Position.NONE,
        RECAP_MACRO,
    )
    assert "So far." in recap.text
    for card, mode in (((), "auto"), ((), "forced"), ((RECAP_MACRO,), "never")):
        slots = prompt(HELD, of=story(running="So far."), turn=Turn(card=card), slots_macros=mode)
        assert slots.slots[0].position is not Position.NONE
        assert not slots.slots[0].macro


def test_a_macro_whose_slot_stands_in_the_prompt_says_that_it_is_empty_for_that() -> None:
    slots = placed("{{smartmemory-longterm}}", slots_macros="never")
    assert slots.warnings == (
        "{{smartmemory-longterm}} stays empty: its text already has its own place.",
    )
    assert not placed("{{smartmemory-longterm}}").warnings


def test_each_macro_is_listed_with_what_it_tells_now() -> None:
    slots = placed("{{smartmemory-longterm}}")
    uses = {use.name: use for use in macro_uses(slots)}
    assert len(uses) == len(MACROS) + 1
    assert uses["smartmemory-longterm"].state is MacroState.TELLS
    assert uses["smartmemory-longterm"].tokens > 0
    assert uses["smartmemory-session"].state is MacroState.IN_SLOT
    assert uses["smartmemory-profiles"].state is MacroState.NOTHING
    block = {use.name: use.state for use in macro_uses(placed(slots_unified=True))}
    assert block["smartmemory-longterm"] is MacroState.IN_BLOCK
    assert block["smartmemory-unified"] is MacroState.IN_SLOT
