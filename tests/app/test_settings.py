"""Settings: every one can be shown, put and reset; the narrowest value wins."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from app.errors import UsageError
from app.setting import Section
from app.settings import REGISTRY, Settings, ValueInForce

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "app" / "settings.py"
OF_THEIR_OWN_PLACE = {
    *("tavern", "backend", "prompt_preset", "theme", "contrast", "story_text_size", "window_state"),
    "lore_done",
}


def test_every_setting_has_a_section_or_a_place_of_its_own() -> None:
    homeless = {name for name, setting in REGISTRY.items() if setting.section is None}
    assert homeless == OF_THEIR_OWN_PLACE
    assert {setting.section for setting in REGISTRY.values()} - {None} == set(Section)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_a_setting_explains_itself_and_its_default_fits(name: str) -> None:
    setting = REGISTRY[name]
    assert setting.label
    assert setting.help.endswith((".", "?"))
    assert setting.checked(setting.default) == setting.default
    assert not setting.choice_words or len(setting.choice_words) == len(setting.choices)


PLACED = {f"{slot}_{what}": what for slot in ("running_recap", "message_recaps")
          for what in ("template", "position", "depth", "role", "scan")}  # fmt: skip
OF_RECAPS = [name for name in REGISTRY if f'"{name}"' in SETTINGS.read_text() or name in PLACED]


@pytest.mark.parametrize("name", OF_RECAPS)
def test_no_setting_is_without_function(name: str) -> None:
    """Each is read somewhere, by its name; those of a slot's place by their endings."""
    read = f"""_{PLACED[name]}"]""" if name in PLACED else name
    assert any(read in text for text in sources())


@cache
def sources() -> tuple[str, ...]:
    """All that may read a setting."""
    files = [path for folder in ("app", "ui") for path in (ROOT / folder).rglob("*.py")]
    return tuple(path.read_text() for path in files if path != SETTINGS)


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
