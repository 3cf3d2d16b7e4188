"""Every tier of memory and every slot that has a colour has one of the theme's."""

from __future__ import annotations

from app.memory.tiers.table import TIERS
from app.settings.slot_table import SLOTS
from ui.theme.tokens import DARK


def test_each_colour_that_rows_name_is_there() -> None:
    assert {spec.hue for spec in TIERS.values()} <= set(DARK.slot_hues)
    assert {spec.hue for spec in SLOTS.values() if spec.frame} <= set(DARK.slot_hues)
