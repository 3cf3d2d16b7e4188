"""A group of settings gives the settings themselves, and over values what they are there."""

from __future__ import annotations

import pytest

from app.settings.groups import Group, Several, settings_of
from app.settings.memory import MemorySettings
from app.settings.setting import Setting
from app.settings.values import REGISTRY, Settings


def test_a_field_is_the_setting_and_over_values_its_value() -> None:
    assert MemorySettings.memory_every is REGISTRY["memory_every"]
    settings = Settings()
    settings.put("memory_every", 7, chat_id=3)
    assert MemorySettings(settings).memory_every == 4
    assert MemorySettings(settings.for_chat(3)).memory_every == 7


def test_a_group_lists_its_settings_in_their_order() -> None:
    class Lamps(Group):
        first = Setting("first", 1, "First", "One.")
        more = Several(Setting(f"lamp_{n}", n, "Lamp", "One more.") for n in range(2))
        last = Setting("last", 2.5, "Last", "The last.")

    assert [s.name for s in settings_of(Lamps)] == ["first", "lamp_0", "lamp_1", "last"]


def test_a_setting_stands_under_its_own_name() -> None:
    with pytest.raises((RuntimeError, TypeError)):
        type("Wrong", (Group,), {"other": Setting("mine", 1, "Mine", "One.")})
