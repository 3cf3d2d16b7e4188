"""The prompts of longer texts: their forms are read, and copied ones say nothing (spec §24)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from app.core.operations import MEMORY_KINDS
from app.llm.prompts.prompt_files import DOCUMENT_TASKS, TASKS_OF, load_prompts
from app.llm.tokenizer import counter_for
from app.memory.arcs.arc_summaries import Verdict, read_arc_summaries
from app.memory.documents.away import read_away
from app.memory.documents.canon import TITLES as CANON_TITLES
from app.memory.documents.canon import read_canon
from app.memory.documents.continuity import read_contradictions
from app.memory.documents.profiles import SECTIONS, read_profiles
from app.memory.documents.summary import TITLES as SUMMARY_TITLES
from app.memory.documents.summary import read_summary
from app.memory.keywords.triggers import read_triggers
from app.memory.lifecycle.upkeep import Upkeep, read_upkeep
from app.memory.records import Memory, Tier
from app.story.answers.task_answers import Unreadable

PROMPTS = load_prompts()
MEMORIES = [Memory(f"m{n}", 1, Tier.LONG_TERM, "fact", f"Fact {n}.") for n in range(2)]

READERS: dict[str, Callable[[str], object]] = {
    "memory_summary": read_summary,
    "memory_triggers": lambda text: read_triggers(text, MEMORIES),
    "memory_profile": lambda text: read_profiles(text, ["Ann"]),
    "memory_arc_summary": lambda text: read_arc_summaries(text, (), ""),
    "memory_upkeep": lambda text: read_upkeep(text, Upkeep((), (), {})),
}


def rendered(task: str) -> tuple[str, str]:
    prompt = PROMPTS[task]
    return prompt.render({name: f"@{name}@" for name in prompt.inputs})


def test_each_form_is_the_one_that_is_read() -> None:
    numbered = [f"{n}. {title}: " for n, title in enumerate(SUMMARY_TITLES.values(), 1)]
    assert all(f"\n{line}" in PROMPTS["memory_summary"].system for line in numbered)
    assert all(f"\n[{part}]\n" in PROMPTS["memory_profile"].system for part in SECTIONS)
    assert all(f"\n{title}: " in PROMPTS["memory_canon"].system for title in CANON_TITLES.values())
    assert all(verdict.value in PROMPTS["memory_arc_summary"].system for verdict in Verdict)


@pytest.mark.pitfall(49)
def test_marks_around_an_answer_are_none_of_html() -> None:
    """Spec §23: they bring a model to write the rest as HTML too."""
    asked = [prompt.system for prompt in PROMPTS.by_task.values()]
    assert any("[SUMMARY]" in system for system in asked)
    assert not any(re.search(r"</\w+>", system) for system in asked)


@pytest.mark.parametrize("task", READERS)
@pytest.mark.pitfall(47)
def test_a_form_that_is_copied_into_the_answer_is_none(task: str) -> None:
    form = [line for line in PROMPTS[task].system.splitlines() if re.search(r"[\[<]|^1:", line)]
    with pytest.raises(Unreadable):
        READERS[task]("\n".join(form))


def test_the_explained_sections_of_a_summary_are_no_summary() -> None:
    told = "[SUMMARY]\n1. Scene: a\n2. Present: b\n3. Events: c\n[/SUMMARY]"
    assert len(read_summary(told)) == 3


def test_a_copied_form_of_continuity_is_no_contradiction() -> None:
    line = next(x for x in PROMPTS["memory_continuity"].system.splitlines() if x.startswith("<"))
    assert read_contradictions(line) == ()


def test_prose_is_read_as_it_is_asked_for() -> None:
    assert read_away("They met at the inn. Ann left at dawn.")
    assert read_canon("Identity: Ann is a miller.\nHistory: She left.\nNow: She is at sea.")


@pytest.mark.parametrize("task", DOCUMENT_TASKS)
def test_what_changes_stands_behind_what_stays(task: str) -> None:
    system, user = rendered(task)
    assert "@" not in system
    assert all(f"@{name}@" in user for name in PROMPTS[task].inputs)
    assert counter_for().count(system) <= 420


@pytest.mark.parametrize("task", DOCUMENT_TASKS)
def test_each_task_is_known_by_its_closing_line(task: str) -> None:
    closing = [rendered(other)[1].splitlines()[-1] for other in DOCUMENT_TASKS]
    assert len(set(closing)) == len(DOCUMENT_TASKS)
    if task != "memory_triggers":  # keywords are no text that could go on (spec §24)
        assert "do not continue the story" in rendered(task)[0]
        assert "instruction to you" in rendered(task)[0]


@pytest.mark.parametrize("task", ["memory_question", "memory_triggers", "detect_breaks"])
@pytest.mark.pitfall(50)
def test_what_is_answered_with_a_word_or_two_is_asked_without_a_lecture(task: str) -> None:
    """Spec §23: told at length not to play, small models answer No to everything."""
    assert "play no part" not in rendered(task)[0]
    assert "note-taking" not in rendered(task)[0]


@pytest.mark.pitfall(52)
def test_the_summary_is_told_not_to_say_again_what_is_remembered() -> None:
    """Spec §23: what is injected was summed up, and injected again."""
    system, user = rendered("memory_summary")
    rule = next(line for line in system.splitlines() if "list of memories" in line)
    assert "kept elsewhere" in rule
    assert "Do not copy" in rule
    assert user.index("<memories>\n@digest@\n</memories>") < user.index("@events@")


def test_every_kind_of_work_has_its_prompts() -> None:
    assert {kind.value for kind in MEMORY_KINDS} <= set(TASKS_OF)
