"""Settings: every one can be shown, put and reset; the narrowest value wins."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from app.core.errors import UsageError
from app.settings.models import KIND_MODELS
from app.settings.setting import Section
from app.settings.values import REGISTRY, Settings, ValueInForce

ROOT = Path(__file__).parents[3]
OF_THEIR_OWN_PLACE = {
    *("tavern", "backend", "prompt_preset", "theme", "contrast", "story_text_size", "window_state"),
    "backend_typed",
    "story_colours",
    "lore_done",
    "memories_shown",
    "memory_left_out",
    "prices_of_models",
    "recap_pins",
}


def test_every_setting_has_a_section_or_a_place_of_its_own() -> None:
    homeless = {name for name, setting in REGISTRY.items() if setting.section is None}
    assert homeless == OF_THEIR_OWN_PLACE | KIND_MODELS
    assert {setting.section for setting in REGISTRY.values()} - {None} == set(Section)


@pytest.mark.parametrize("name", sorted(REGISTRY))
@pytest.mark.weakness(58)
def test_a_setting_explains_itself_and_its_default_fits(name: str) -> None:
    setting = REGISTRY[name]
    assert setting.label
    assert setting.help.endswith((".", "?"))
    assert setting.checked(setting.default) == setting.default
    assert not setting.choice_words or len(setting.choice_words) == len(setting.choices)


PLACE = ("_template", "_position", "_depth", "_role", "_scan", "_enabled")


@pytest.mark.parametrize("name", sorted(REGISTRY))
@pytest.mark.weakness(45, 46)
def test_no_setting_is_without_function(name: str) -> None:
    """Each is read somewhere, as a field or by its name, or as one of several of which each is."""
    first = re.escape(name.partition("_")[0])
    ends = [end for end in PLACE if name.endswith(end)]
    several = [rf'f"{first}_\{{', rf'startswith\("{first}_"\)', *(rf'\}}{end}"' for end in ends)]
    by_group = [rf'values\[f"{first}_\{{', *(rf'values\[f"\{{[a-z.]+\}}{end}"' for end in ends)]
    reads = re.compile("|".join((rf'"{name}"', rf"\.{name}\b", *several)))
    groups = re.compile("|".join((rf"\bself\.{name}\b", *by_group)))
    others, own = sources()
    assert any(map(reads.search, others)) or any(map(groups.search, own))


@cache
def sources() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All that may read a setting, and where settings are made, which read it for others."""
    files = [path for folder in ("app", "ui") for path in (ROOT / folder).rglob("*.py")]
    made = {
        path
        for path in files
        if path.parent.name == "settings"
        and path.parent.parent.name == "app"
        and path.name != "tariff.py"  # it reads settings, as others do
    }
    assert len(made) > 5
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    others = tuple(text for path, text in texts.items() if path not in made)
    return others, tuple(text for path, text in texts.items() if path in made)


def test_a_number_that_stands_for_a_choice_is_said_in_words() -> None:
    assert REGISTRY["running_recap_position"].word(1) == "in the chat"
    assert REGISTRY["running_recap_role"].word(2) == "the character"
    assert REGISTRY["scene_recaps_auto"].word(True) == "on"
    assert REGISTRY["context_tokens"].word(16384) == "16,384"


def test_a_reset_value_gives_way_to_the_next_wider_one() -> None:
    settings = Settings()
    settings.put("scene_minimum_length", 5)
    settings.put("scene_minimum_length", 9, chat_id=1)
    assert settings.in_force("scene_minimum_length", chat_id=1) == ValueInForce(9, 5, is_own=True)
    assert settings.reset("scene_minimum_length", chat_id=1) == (
        "chat",
        "1",
        "scene_minimum_length",
    )
    assert settings.in_force("scene_minimum_length", chat_id=1) == ValueInForce(5, 5, is_own=False)
    settings.reset("scene_minimum_length")
    assert settings.in_force("scene_minimum_length") == ValueInForce(3, 3, is_own=False)


def test_what_holds_for_all_chats_is_not_put_for_one() -> None:
    with pytest.raises(UsageError):
        Settings().put("theme", "dark", chat_id=1)
    with pytest.raises(UsageError):
        Settings().reset("nonsense")
