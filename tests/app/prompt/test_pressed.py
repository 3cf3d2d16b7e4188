"""Where a total is too small for all, exact notes go before texts that tell of much at length."""

from __future__ import annotations

from app.prompt.turn_budgets import pressed
from app.settings.slot_table import DEFAULTS, SlotName


def test_exact_notes_weigh_more_where_room_is_scarce() -> None:
    weights = pressed({**DEFAULTS, SlotName.TRIGGERED: 150})
    for exact in (SlotName.LONG, SlotName.SESSION):
        assert all(
            weights[exact] > weights[other]
            for other in (SlotName.CANON, SlotName.PROFILES, SlotName.ARCS)
        )
    assert weights[SlotName.SHORT] == DEFAULTS[SlotName.SHORT]
