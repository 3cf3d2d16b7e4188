"""What the prompts of recaps have to say, since nothing but their words brings a model to it."""

from __future__ import annotations

import pytest

from app.llm.prompts.prompt_files import load_prompts

PROMPTS = load_prompts()


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (
            "scene_recap",
            "Where the scene spans several days or times of day, each entry says which",
        ),
        ("scene_extract", "Where the scene spans more than one day, an entry begins with its day"),
    ],
)
@pytest.mark.real_model(13)
def test_what_happened_on_another_day_of_a_scene_says_so(task: str, words: str) -> None:
    assert words in PROMPTS[task].system


@pytest.mark.parametrize("task", ["scene_recap", "scene_extract"])
@pytest.mark.real_model(13)
def test_what_players_say_to_each_other_is_no_promise(task: str) -> None:
    """A player who promised to write more was remembered as a person of the story who did."""
    assert "What the players say to each other" in PROMPTS[task].system


@pytest.mark.real_model(13)
def test_a_merge_drops_where_somebody_is_no_more() -> None:
    """That they camp at the ford stood in the running recap two scenes on."""
    assert "who has moved on is no longer where they were" in PROMPTS["running_recap"].system


@pytest.mark.real_model(13)
def test_a_merge_is_asked_for_changes_alone() -> None:
    system = PROMPTS["running_recap"].system
    assert '{"drop": [], "replace": [], "add"' in system
    assert "never write them again" in system


@pytest.mark.real_model(1)
def test_what_sets_things_up_goes_before_small_talk() -> None:
    system = PROMPTS["scene_recap"].system
    assert "What sets things up counts most" in system
    assert "leave out small talk" in system
