"""The measure of memory's quality measures what it says, and memory beats its rivals by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.answers.good_model import GoodModel, facts_of
from tests.answers.measure import BUILT_IN, asked_of, shares
from tests.answers.questions import Question, questions_of
from tests.answers.rivals import likeliest, newest
from tests.fakes import RecordedRequest
from tests.oracle.gold import Gold

STORIES = Path(__file__).parents[1] / "data" / "stories"
TEXTS = ("Vera: The key is in the blue jar.", "Odo: Rain again.", "Vera: I sleep now.")


def words(text: str) -> int:
    return len(text.split())


def story_of(name: str, *, until: int) -> dict[str, Any]:
    """A story as if it ended there, with the questions that can be asked by then."""
    story: dict[str, Any] = json.loads((STORIES / f"{name}.json").read_text(encoding="utf-8"))
    story["messages"] = story["messages"][: until + 1]
    story["gold"]["qa"] = [q for q in story["gold"]["qa"] if q["ask_after"] <= until]
    return story


def test_a_question_is_answered_by_a_text_that_holds_all_its_keywords() -> None:
    question = Question(3, "Where is the key?", "In the blue jar", ("key", "blue jar"), "")
    assert question.is_answered_by("The KEY? In a Blue Jar.")
    assert not question.is_answered_by("The key is gone.")


def test_questions_without_an_answer_are_not_asked() -> None:
    never = {"ask_after": 1, "q": "Who?", "a": "Never stated", "answer_keywords": [], "kind": ""}
    assert questions_of({"gold": {"qa": [never]}}) == ()


def test_the_newest_messages_are_taken_whole_and_without_a_gap() -> None:
    assert newest(TEXTS, 9, words) == "\n".join(TEXTS[1:])
    assert newest(TEXTS, 3, words) == ""


def test_the_likeliest_messages_are_those_that_share_rare_words_with_the_question() -> None:
    assert likeliest(TEXTS, "Which jar is the key in?", 12, words).startswith("Vera: The key")


def test_an_answer_is_noted_from_the_message_that_gives_it() -> None:
    gold = Gold(story_of("night-ferry", until=60))
    for fact in facts_of(gold):
        assert fact.place <= fact.question.place
        told = "\n".join(f"{m['name']}: {m['mes']}" for m in gold.messages[: fact.place + 1])
        assert fact.question.is_answered_by(told)


@pytest.mark.asyncio
async def test_with_a_good_model_the_prompt_answers_more_than_its_rivals() -> None:
    asked = await asked_of(story_of("night-ferry", until=41), [500], prompt=512)
    found = shares(asked)
    assert len(asked) == 6
    assert found.newest < found.slots >= 0.95
    for one in asked:
        assert one.slots.total_tokens <= one.total


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["perihelion", "saltflat"])
async def test_in_other_stories_the_prompt_answers_as_much(name: str) -> None:
    found = shares(await asked_of(story_of(name, until=100), [1000]))
    assert found.slots >= max(0.95, found.newest)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "until", "total"),
    [("lantern-district", 59, 500), ("green-tape", 45, 500), ("perihelion", 63, 300)],
)
async def test_without_a_model_the_prompt_answers_more_than_the_newest_messages(
    name: str, until: int, total: int
) -> None:
    found = shares(await asked_of(story_of(name, until=until), [total], model=BUILT_IN))
    assert found.slots > found.newest


def test_a_name_in_the_notes_tells_the_good_model_nothing_of_what_comes_later() -> None:
    story = {
        "messages": [{"name": "Ann", "mes": "The key is mine."}, {"name": "Bo", "mes": "No more."}],
        "gold": {
            "epistemic": [],
            "state": [
                {
                    "after_message": n,
                    "entity": "key",
                    "type": "object",
                    "field": "owner",
                    "value": v,
                }
                for n, v in enumerate(("Ann", "Bo"))
            ],
            "arcs": [
                {"thread": "Whose is it?", "opened": 0, "resolved": 1, "resolution": "Bo has it."}
            ],
        },
    }
    notes = "You keep the history of a character\nBo met Ann.\n- key (object): owner={}"
    told = [
        GoodModel(Gold(story)).reply(RecordedRequest("/", {"prompt": notes.format(owner)}, 0.0))
        for owner in ("Ann", "Bo")
    ]
    assert ["Bo has it." in text for text in told] == [False, True]
