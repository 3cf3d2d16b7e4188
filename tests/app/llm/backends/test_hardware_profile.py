"""The profile follows the backend, is overridden by the user, and never switches by a guess."""

from __future__ import annotations

import pytest

from app.llm.backends.hardware_profile import (
    PROFILES,
    A,
    B,
    is_local,
    profile_for,
    setting_warnings,
)
from app.memory.ranking import TURN_SHARE
from app.settings.memory import MEMORY_SETTINGS


def in_force(backend: str, chosen: str = "auto") -> str:
    return profile_for({"hardware_profile": chosen}, backend).profile.key


@pytest.mark.parametrize(
    ("backend", "key"),
    [
        ("builtin", "a"),
        ("ollama:llama3.1:8b", "a"),
        ("ollama:big@http://10.0.0.9:11434", "a"),
        ("openai:model@https://api.example.org", "b"),
        ("openai:model@http://127.0.0.1:5000", "b"),
        ("sillytavern", "b"),
        ("nonsense of a user", "b"),
    ],
)
def test_ollama_works_by_a_and_everything_else_by_b(backend: str, key: str) -> None:
    assert in_force(backend) == key


@pytest.mark.parametrize("backend", ["builtin", "ollama:m", "openai:m@https://api.example.org"])
@pytest.mark.parametrize("chosen", ["a", "b"])
def test_what_the_user_chose_holds(backend: str, chosen: str) -> None:
    found = profile_for({"hardware_profile": chosen}, backend)
    assert (found.profile.key, found.is_chosen, found.suggestion) == (chosen, True, "")


@pytest.mark.parametrize(
    ("url", "is_near"),
    [
        ("http://localhost:5001", True),
        ("http://127.0.0.1:1234", True),
        ("http://192.168.1.20:8000", True),
        ("http://[::1]:8080", True),
        ("http://desk.local:5000", True),
        ("http://desk:5000", True),
        ("https://api.example.org", False),
        ("https://8.8.8.8", False),
    ],
)
def test_a_server_at_home_suggests_a_and_changes_nothing(url: str, is_near: bool) -> None:
    assert is_local(url) is is_near
    found = profile_for({"hardware_profile": "auto"}, f"openai:m@{url}")
    assert found.profile is B
    assert bool(found.suggestion) is is_near


def test_each_profile_has_the_figures_of_its_column() -> None:
    figures = {
        key: (
            profile.new_per_type,
            profile.thresholds.duplicate.cosine,
            profile.thresholds.cross.jaccard,
            TURN_SHARE[key],
        )
        for key, profile in PROFILES.items()
    }
    assert figures == {"a": (6, 0.82, 0.75, 0.2), "b": (12, 0.85, 0.78, 0.6)}
    assert A.warns_of_weak_models
    assert not B.warns_of_weak_models


def test_what_a_profile_does_not_do_by_itself_is_said() -> None:
    settings = {"hardware_profile": "auto"}
    assert setting_warnings(settings, "builtin") == {}
    assert setting_warnings(settings, "openai:m@http://far.example") == {}
    said = setting_warnings(settings, "ollama:m")
    assert said["continuity_auto"] == said["canon_auto"] == said["profiles_every"]
    assert said["epistemic_enabled"] == said["state_ledger_enabled"] != said["canon_auto"]
    assert {s.name for s in MEMORY_SETTINGS} >= said.keys()


def test_the_setting_offers_the_profiles_that_there_are() -> None:
    setting = next(s for s in MEMORY_SETTINGS if s.name == "hardware_profile")
    assert set(setting.choices) == {"auto", *PROFILES}
