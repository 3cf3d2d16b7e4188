"""A user's own prompts: checked before they are kept, and always a way back to ours."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.core.errors import PromptUnusable, UsageError
from app.llm.prompts.prompt_files import SHIPPED, TASKS, load_prompts, read_prompt
from app.llm.prompts.prompt_library import PromptLibrary, PromptTask

TASK = "message_recap"


@pytest.fixture
def library(tmp_path: Path) -> PromptLibrary:
    return PromptLibrary(tmp_path / "prompts")


def changed(library: PromptLibrary, task: str = TASK, word: str = "Be brief.") -> str:
    return library.shipped_text(task).replace("# User", f"{word}\n\n# User", 1)


def row(library: PromptLibrary, task: str = TASK) -> PromptTask:
    return next(found for found in library.tasks() if found.task == task)


def test_every_task_is_listed_and_ours_at_first(library: PromptLibrary) -> None:
    tasks = library.tasks()
    assert [task.task for task in tasks] == list(TASKS)
    assert all(task.title != task.task and task.inputs and task.output for task in tasks)
    assert not any(task.is_yours or task.problem for task in tasks)
    assert not library.folder.exists(), "looking writes nothing"


def test_a_saved_text_is_in_force_and_reverting_brings_ours_back(library: PromptLibrary) -> None:
    ours = load_prompts(library.folder).version
    assert library.save(TASK, changed(library)).is_yours
    assert "Be brief." in library.text(TASK)
    assert load_prompts(library.folder)[TASK].system.endswith("Be brief.")
    assert load_prompts(library.folder).version != ours
    assert library.revert(TASK)
    assert not library.revert(TASK)
    assert library.text(TASK) == library.shipped_text(TASK)
    assert load_prompts(library.folder).version == ours


def test_a_changed_prompt_changes_the_version_of_its_own_work_only(library: PromptLibrary) -> None:
    before = load_prompts(library.folder).versions
    library.save(TASK, changed(library))
    after = load_prompts(library.folder).versions
    assert {work for work in before if before[work] != after[work]} == {TASK}


def test_saving_ours_is_going_back_to_ours(library: PromptLibrary) -> None:
    library.save(TASK, changed(library))
    assert not library.save(TASK, library.shipped_text(TASK).replace("\n", "\r\n")).is_yours
    assert list(library.folder.iterdir()) == []


def test_saving_the_same_again_is_no_other_prompt(library: PromptLibrary) -> None:
    library.save(TASK, changed(library))
    version = load_prompts(library.folder).version
    library.save(TASK, library.text(TASK))
    assert load_prompts(library.folder).version == version


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("---\n", "", "no header"),
        ("task: message_recap", "task: scene_recap", "another task"),
        ("inputs: context, message", "inputs: context, message, weather", "weather"),
        ("max_output_tokens: 1024", "max_output_tokens: -3", "max_output_tokens"),
        ("# User", "# Nobody", "section"),
        ("{{message}}", "{{secret}}", "secret"),
        ("Past tense", "x" * 300_000, "too large"),
        ("Past tense", "\ud800", "characters"),
    ],
)
def test_an_invalid_text_is_refused_with_a_sentence_and_nothing_is_written(
    library: PromptLibrary, old: str, new: str, sentence: str
) -> None:
    library.save(TASK, changed(library))
    before = library.text(TASK)
    with pytest.raises(PromptUnusable, match=sentence):
        library.save(TASK, library.shipped_text(TASK).replace(old, new, 1))
    assert library.text(TASK) == before
    assert [file.name for file in library.folder.iterdir()] == [f"{TASK}.md"]


@pytest.mark.parametrize("task", ["../scene_recap", "", "nope", "C:\\x", "scene_recap\0"])
def test_a_task_that_there_is_not_touches_no_file(library: PromptLibrary, task: str) -> None:
    for act in (library.text, library.shipped_text, library.revert):
        with pytest.raises(UsageError, match="There is no prompt"):
            act(task)
    with pytest.raises(UsageError, match="There is no prompt"):
        library.save(task, "text")


def test_a_newer_prompt_of_ours_is_noted_until_yours_is_saved_anew(tmp_path: Path) -> None:
    shipped = tmp_path / "shipped"
    shutil.copytree(SHIPPED, shipped)
    library = PromptLibrary(tmp_path / "prompts", shipped)
    library.save(TASK, changed(library))
    assert not row(library).is_outdated
    ours = shipped / f"{TASK}.md"
    ours.write_text(ours.read_text().replace("version: 1", "version: 9").replace("35", "30"))
    assert row(library).is_outdated
    assert row(library).version == "9"
    library.save(TASK, library.text(TASK))
    assert not row(library).is_outdated
    assert row(library).is_yours


def test_a_file_broken_by_hand_is_shown_as_a_problem_and_can_be_reverted(
    library: PromptLibrary,
) -> None:
    library.folder.mkdir()
    (library.folder / f"{TASK}.md").write_bytes(b"\xff\xfe no prompt")
    assert row(library).is_yours
    assert row(library).problem.endswith(".")
    with pytest.raises(PromptUnusable):
        library.check()
    library.revert(TASK)
    library.check()


@given(st.text(max_size=400))
@example("---\nbased_on: x\n---\n# System\n# User\n")
def test_any_text_is_refused_or_can_be_used(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    library = PromptLibrary(tmp_path_factory.mktemp("p"))
    for hostile in (text, f"---\n{text}\n---\n{text}", changed(library, word=text)):
        try:
            library.save(TASK, hostile)
        except PromptUnusable:
            continue
        library.check()
        assert library.tasks()
        own = library.folder / f"{TASK}.md"
        if own.exists():
            mark = read_prompt(SHIPPED / f"{TASK}.md", TASK).mark
            assert read_prompt(own, TASK).based_on == mark
