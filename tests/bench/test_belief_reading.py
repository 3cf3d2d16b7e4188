"""Answers to chats of who moved what go through the program's own reading, and its map is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.belief_chats import chat_of
from tests.bench.belief_map import Outcome, places_in
from tests.bench.belief_reading import (
    AnswersUnfit,
    Scored,
    answers_in,
    keep,
    kept_in,
    lines_of,
    request_of,
    score,
)
from tests.bench.tomi import Asked, BeliefStory

TOLD = (
    "Vera entered the old_mill.",
    "Odo entered the old_mill.",
    "The lantern is in the grey_chest.",
    "Odo exited the old_mill.",
    "Vera moved the lantern to the barrel.",
)
STORY = BeliefStory(
    TOLD,
    (),
    (
        Asked("Vera", "", "lantern", "barrel"),
        Asked("Odo", "", "lantern", "grey_chest", is_false=True),
        Asked("Vera", "Odo", "lantern", "grey_chest", is_false=True),
    ),
)
OTHER = replace(STORY, told=tuple(line.replace("lantern", "drum") for line in TOLD))
RIGHT = """[knows:sources=1:via=saw] Vera | that the lantern is in the barrel, not in the grey chest
[believes:sources=1] Odo | that the lantern is in the grey chest
[knows:sources=1] Vera | Odo believes that the lantern is still in the grey chest"""
WRONG = """[knows:sources=1:via=saw] Vera | that the lantern is in the grey chest
[believes:sources=1] Odo | that the lantern is in the barrel"""


def outcomes(scored: list[Scored]) -> list[Outcome]:
    return [one.by_map.outcome(one.asked.told) for one in scored]


async def test_what_a_right_answer_notes_of_each_person_is_found_in_the_map() -> None:
    scored = await score(STORY, 1, RIGHT)
    assert outcomes(scored) == [Outcome.RIGHT] * 3
    assert any(
        "first order, false beliefs" in line and "100.0" in line for line in lines_of(scored)
    )


async def test_a_wrong_answer_is_wrong_and_what_it_leaves_out_is_missing() -> None:
    scored = await score(STORY, 1, WRONG)
    assert outcomes(scored) == [Outcome.OTHER, Outcome.OTHER, Outcome.NOTHING]


async def test_what_follows_from_who_was_there_counts_as_shown() -> None:
    messages = chat_of(STORY, 1)["messages"]
    at = [
        next(n for n, m in enumerate(messages, 1) if words in m["mes"])
        for words in ("is in the grey chest", "Odo exited", "Vera moved")
    ]
    lines = (
        f"[present:sources={at[0]}] Vera, Odo | old mill\n"
        f"[shown:sources={at[0]}] Vera to Odo | the lantern is in the grey chest\n"
        f"[leave:sources={at[1]}] Odo | old mill\n"
        f"[shown:sources={at[2]}] Vera | the lantern is in the barrel"
    )
    assert outcomes(await score(STORY, 1, lines)) == [Outcome.RIGHT] * 3


async def test_where_the_map_is_silent_the_ledger_tells_everybody() -> None:
    silent = (await score(STORY, 1, "[state:lantern:object:sources=1] location=barrel"))[0]
    assert silent.by_map.outcome("barrel") is Outcome.NOTHING
    assert silent.with_common.outcome("barrel") is Outcome.RIGHT


async def test_a_request_holds_the_whole_story_and_the_prompt_for_memory() -> None:
    request = await request_of(chat_of(STORY, 1))
    assert "=== user ===" in request
    assert "Who knows what, where not all do." in request
    assert all(line.replace("_", " ") in request for line in TOLD)


def test_a_place_that_the_thing_has_left_is_not_where_it_is_taken_to_be() -> None:
    places = ("box", "green box", "jar")
    assert places_in("Vera moved it from the box to the green_box", places) == {"green box"}
    assert places_in("that it is no longer in the jar", places) == set()
    assert places_in("that it is in the jar or the box", places) == {"jar", "box"}


def test_answers_are_kept_with_the_story_that_they_were_given_to(tmp_path: Path) -> None:
    (tmp_path / "2.txt").write_text("NONE", "utf-8")
    (tmp_path / "notes.txt").write_text("none of it", "utf-8")
    path = tmp_path / "kept.json"
    keep(path, (OTHER, STORY), answers_in(tmp_path))
    assert kept_in(path, (OTHER, STORY)) == {2: "NONE"}
    with pytest.raises(AnswersUnfit):
        kept_in(path, (STORY, OTHER))
