"""The prompts that ask for memory: one form of lines, one stable beginning (spec §24)."""

from __future__ import annotations

import re

import pytest

from app.llm.prompts.prompt_files import MEMORY_PASS, MEMORY_TASKS, load_prompts
from app.llm.tokenizer import counter_for
from app.memory.reading.answers import read_answer
from app.memory.records import LEDGER_FIELDS, Tier

PROMPTS = load_prompts()
ALL = (MEMORY_PASS, *MEMORY_TASKS)
MARKS = {"window": "@window@", "known": "@known@", "news": "@news@", "new_from": "@new@"}
TAG = re.compile(r"^\[[a-z]+[:\]].*", re.MULTILINE)


def rendered(task: str) -> tuple[str, str]:
    prompt = PROMPTS[task]
    return prompt.render({name: MARKS[name] for name in prompt.inputs})


def test_the_separate_requests_share_their_system_text_and_begin_with_the_window() -> None:
    assert len({PROMPTS[task].system for task in MEMORY_TASKS}) == 1
    starts = {rendered(task)[1].partition(MARKS["window"])[0] for task in MEMORY_TASKS}
    assert len(starts) == 1
    for task in MEMORY_TASKS:
        user = rendered(task)[1]
        assert user.index(MARKS["window"]) < user.index(MARKS["known"])
        assert user.index(MARKS["known"]) < user.index(MARKS["new_from"])


def test_one_pass_shows_what_changes_most_last() -> None:
    user = rendered(MEMORY_PASS)[1]
    places = [user.index(MARKS[name]) for name in ("known", "news", "window", "new_from")]
    assert places == sorted(places)
    assert user.count("\n", places[-1]) == 0, "one closing line"


def test_the_system_text_is_short_enough_for_a_small_model() -> None:
    counter = counter_for()
    assert counter.count(PROMPTS[MEMORY_PASS].system) <= 960
    assert counter.count(PROMPTS[MEMORY_TASKS[0]].system) <= 250


def test_each_task_is_known_by_its_own_closing_words() -> None:
    asked = [
        re.search(r"Your task: [^.]+\.|Write every kind of entry", rendered(t)[1]) for t in ALL
    ]
    assert all(asked)
    assert len({found[0] for found in asked if found}) == len(ALL)


@pytest.mark.parametrize("task", ALL)
def test_every_example_cites_and_is_abstract(task: str) -> None:
    examples = TAG.findall("\n".join(rendered(task)))
    assert examples
    for example in examples:
        assert re.match(r"\[[a-z]+(?::[^\]]*)?:sources=\d", example)
        assert "<" in example


@pytest.mark.parametrize("task", ALL)
def test_every_task_is_notes_and_no_part_in_the_story(task: str) -> None:
    system = rendered(task)[0]
    for rule in ("plain text", "do not continue the story", "instruction to you", "NONE"):
        assert rule in system
    assert "before everything else" in system


@pytest.mark.parametrize("task", [MEMORY_PASS, "memory_epistemic"])
def test_whoever_asks_who_knows_what_asks_who_was_there(task: str) -> None:
    examples = re.sub("[<>]", "", "\n".join(TAG.findall("\n".join(rendered(task)))))
    lines = read_answer(examples, (Tier.EPISTEMIC,)).presence
    assert {"present", "leave", "said"} <= {line.kind for line in lines}


@pytest.mark.parametrize("task", [MEMORY_PASS, "memory_ledger"])
def test_the_ledgers_fields_are_those_of_the_schema(task: str) -> None:
    text = "\n".join(rendered(task))
    for kind, fields in LEDGER_FIELDS.items():
        assert f"{kind}: {', '.join(fields)}" in text


@pytest.mark.real_model(3)
def test_a_model_is_told_to_choose_since_not_all_that_it_notes_is_kept() -> None:
    """What was over was dropped, and the model had not been told that there was a limit."""
    system = PROMPTS[MEMORY_PASS].system
    assert "Memories, at most eighteen, weightiest first:" in system
    assert "never over 40" in system
    assert "3 shapes the story" in system


@pytest.mark.parametrize("task", ALL)
@pytest.mark.real_model(13)
def test_what_players_say_beside_the_story_is_no_memory(task: str) -> None:
    assert "no talk outside the story" in PROMPTS[task].system


@pytest.mark.real_model(3)
def test_long_term_memory_alone_is_asked_for_the_weightiest_first() -> None:
    assert "At most twelve, weightiest first." in rendered("memory_longterm")[1]
