"""Every slot has a row; those with a budget share the total."""

from __future__ import annotations

import pytest

from app.memory.tiers.table import TIERS
from app.memory.tiers.tier import TierSpec
from app.prompt.placement import IN_BLOCK, MACROS
from app.settings.slot_table import DEFAULTS, SHARING, SLOTS, SlotName
from app.settings.values import REGISTRY


@pytest.mark.parametrize("name", SlotName)
def test_a_slot_has_all_that_belongs_to_it(name: SlotName) -> None:
    spec = SLOTS[name]
    assert spec.title
    assert bool(spec.frame) == (f"slot_{name}_template" in REGISTRY)
    assert not spec.frame or f"{{{{{spec.placeholder}}}}}" in spec.frame
    assert bool(spec.budget) == (name in DEFAULTS)
    if spec.budget:
        setting = REGISTRY[f"budget_{name}"]
        assert (setting.default, setting.minimum) == (spec.budget, spec.least)
        assert name in MACROS


def test_rows_stand_in_the_order_in_which_slots_are_set() -> None:
    assert tuple(SLOTS) == tuple(SlotName)
    assert len(SHARING) == len(set(SHARING))


@pytest.mark.parametrize("spec", [s for s in TIERS.values() if s.slot], ids=lambda s: s.tier.value)
def test_the_slot_of_a_tier_is_what_its_row_says(spec: TierSpec) -> None:
    """So that a tier is told without being named in the table of slots."""
    name = SlotName(spec.tier)
    slot, row = SLOTS[name], spec.slot
    assert row
    assert (slot.title, slot.hue, slot.tier) == (spec.words.name, spec.hue, spec.tier)
    assert (slot.what, slot.budget, slot.depth) == (row.what, row.budget, row.depth)
    assert slot.frame.startswith(row.heading)
    assert name in SHARING
    assert name in IN_BLOCK
