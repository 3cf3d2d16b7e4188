"""What is told after an absence: from what is stored first (spec §18)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.documents.away import (
    LONGEST,
    Stored,
    absence,
    away_inputs,
    is_due,
    read_away,
    so_far,
    spoken,
    without_model,
)
from app.memory.records import ARC, Memory, Tier
from app.story.answers.task_answers import Unreadable
from app.story.messages import Message, digest

HOUR = 3600.0
TOLD = "They had come far. Ann found the ring at last. Bo barred the door."


def count(text: str) -> int:
    return len(text.split())


def messages(number: int, words: int = 10) -> list[Message]:
    texts = [f"Text {n}. " + "word " * words for n in range(number)]
    return [Message(f"m{n}", digest(text), "Ann", text) for n, text in enumerate(texts)]


def test_it_is_due_after_so_many_hours_and_never_at_the_first_time() -> None:
    assert is_due(0.0, 4 * HOUR, hours=4)
    assert not is_due(0.0, 4 * HOUR - 1, hours=4)
    assert not is_due(None, 4 * HOUR, hours=4)


@pytest.mark.parametrize(
    ("hours", "told"),
    [(4.04, "4.0 hours"), (1, "1 hour"), (24, "24.0 hours"), (25, "1 day"), (60, "2 days")],
)
def test_an_absence_is_told_in_days_above_one(hours: float, told: str) -> None:
    assert absence(hours * HOUR) == told


def test_what_is_stored_stands_for_the_chat() -> None:
    stored = Stored(
        "The running recap.",
        [f"Scene {n}." for n in range(9)],
        [
            Memory("a", 1, Tier.ARCS, ARC, "Who lit the fire?"),
            Memory("f", 1, Tier.LONG_TERM, "fact", "Ann has green eyes."),
        ],
    )
    shown = away_inputs(stored, messages(40), room=9000, count=count)
    assert "The running recap." in shown["memory"]
    assert "Scene 8." in shown["memory"]
    assert "Scene 1." not in shown["memory"]
    assert "green eyes" not in shown["memory"]
    assert "Open: Who lit the fire?" in shown["memory"]
    assert "Text 39." in shown["recent"]
    assert "Text 33." not in shown["recent"]


def test_without_recaps_memories_are_told() -> None:
    stored = Stored(memories=[Memory("f", 1, Tier.LONG_TERM, "fact", "Ann has green eyes.")])
    assert "green eyes" in away_inputs(stored, [], room=500, count=count)["memory"]
    assert away_inputs(Stored(), [], room=500, count=count)["memory"] == "Nothing yet."


@given(st.integers(60, 3000), st.integers(0, 800))
def test_a_request_stays_within_its_room(room: int, words: int) -> None:
    stored = Stored("recap " * words, ["scene " * words] * 3)
    shown = away_inputs(stored, messages(8, words), room=room, count=count)
    assert sum(map(count, shown.values())) <= room


REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "Es tut mir leid, aber dabei kann ich nicht helfen.",
)


def test_an_answer_is_one_paragraph() -> None:
    assert read_away(f"Here is the recap:\n\n## Previously\n\n{TOLD}") == TOLD
    assert len(read_away(TOLD * 99)) <= LONGEST
    for answer in ("", "NONE", "Ok.", *REFUSALS):
        with pytest.raises(Unreadable):
            read_away(answer)


def test_without_a_model_the_last_scene_is_told() -> None:
    assert without_model(Stored("All of it.", ["First.", "Last."])) == "Last."
    assert without_model(Stored("All of it.")) == "All of it."
    assert without_model(Stored()) == ""


def test_who_asks_is_told_the_story_from_its_beginning() -> None:
    """Without a model, or while it was busy, they were told of the last scene alone."""
    stored = Stored("All of it.", ["First.", "Last."], newer=["Last."])
    assert so_far(stored) == "All of it.\n\nLast."
    assert so_far(Stored(scenes=["First.", "Last."])) == "First.\n\nLast."
    assert so_far(Stored()) == ""


WRAPPED = (
    '{"recap": "%s"}',
    '```json\n{"title": "The ring", "recap": "%s"}\n```',
    'Here it is:\n{"scene": {"number": 3, "sentences": ["%s", "No."]}}',
    '[{"text": "%s"}]',
)


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_of_a_models_json_the_sentences_are_told(wrapped: str) -> None:
    assert read_away(wrapped % TOLD) == TOLD
    assert without_model(Stored(scenes=[wrapped % TOLD])) == TOLD
    assert without_model(Stored(recap=wrapped % TOLD)) == TOLD


@pytest.mark.parametrize(
    "raw",
    ['{"recap": ""}', '{"a": [1, 2, {"b": null}]}', '{"recap": "They had come', "[" * 9000 + '"'],
)
def test_json_that_says_nothing_is_never_shown(raw: str) -> None:
    with pytest.raises(Unreadable):
        read_away(raw)
    assert without_model(Stored(recap=raw, scenes=[raw])) == ""


@given(st.text(max_size=200))
def test_what_is_no_json_stays_as_it_is(text: str) -> None:
    if "{" not in text and "[" not in text:
        assert spoken(text) == text


def test_a_macro_and_a_note_in_brackets_are_no_json() -> None:
    for text in ("{{user}} left the inn.", "[Later] They left the inn together.", '"Go," he said.'):
        assert spoken(text) == text


def test_before_anything_was_folded_the_last_scenes_are_told() -> None:
    scenes = [f"Scene {n} was told in full." for n in range(5)]
    assert without_model(Stored(scenes=scenes)).split("\n\n") == scenes[-3:]
    assert without_model(Stored("All of it.", scenes)) == scenes[-1]
