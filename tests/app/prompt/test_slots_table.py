"""Every slot has a row; those with a budget share the total."""

from __future__ import annotations

import pytest

from app.prompt.placement import MACROS
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
