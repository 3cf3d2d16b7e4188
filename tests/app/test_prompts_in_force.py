"""Prompts in force: a changed one writes from then on, and nothing else is done again."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.errors import PromptUnusable, StoreError
from app.core.paths import user_folders
from tests.fakes import MODEL, FakeLlm, RecordedRequest
from tests.labelled import WrittenTavern


def answer(request: RecordedRequest) -> str:
    recap = {"developments": ["A lamp was lit."], "open": [], "state": []}
    return json.dumps({"name": "The lamp", "recap": recap})


@pytest.fixture
def model() -> Iterator[FakeLlm]:
    with FakeLlm(answer) as running:
        yield running


@pytest_asyncio.fixture
async def companion(
    demo_tavern: WrittenTavern, model: FakeLlm, tmp_path: Path
) -> AsyncIterator[Companion]:
    folders = user_folders(tmp_path / "own data")
    async with open_companion(
        folders,
        tavern=demo_tavern.user_folder,
        llm=f"openai:{MODEL}@{model.url}",
        watch=False,
    ) as opened:
        opened.settings.put("scene_detector", "heuristic")
        yield opened


async def with_word(companion: Companion, task: str, word: str) -> str:
    text = await companion.prompts.shipped_text(task)
    return text.replace("# User", f"{word}\n\n# User", 1)


async def test_a_changed_prompt_asks_for_nothing_again_and_is_used_for_what_is_new(
    companion: Companion, model: FakeLlm, demo_tavern: WrittenTavern
) -> None:
    path = demo_tavern.chat
    await companion.open_story(path)
    story, failures = await companion.finished(path)
    assert not failures
    asked = len(model.requests)
    assert asked > 5
    await companion.prompts.save("scene_recap", await with_word(companion, "scene_recap", "Hm."))
    await companion.prompts.save("running_recap", await with_word(companion, "running_recap", "H"))
    await companion.finished(path)
    assert len(model.requests) == asked, "what is there stays"
    closing = story.scenes[-2].closing
    assert closing is not None
    anchor = closing.anchor
    await companion.edits.redo_scene_recap(path, anchor)
    await companion.finished(path)
    assert "Hm." in model.requests[asked].text


async def test_work_is_done_again_only_for_the_prompt_that_it_needs(
    companion: Companion, model: FakeLlm, demo_tavern: WrittenTavern
) -> None:
    path = demo_tavern.chat
    await companion.open_story(path)
    await companion.finished(path)
    asked = len(model.requests)
    other = path.with_name("copy.jsonl")
    other.write_bytes(path.read_bytes().replace(b"integrity", b"another-id"))
    await companion.prompts.save("message_recap", await with_word(companion, "message_recap", "H"))
    await companion.open_story(other)
    await companion.finished(other)
    assert len(model.requests) == asked, "results are kept by what they were made from"
    other.unlink()
    await companion.prompts.save("running_recap", await with_word(companion, "running_recap", "H"))
    third = path.with_name("third.jsonl")
    third.write_bytes(path.read_bytes().replace(b"integrity", b"a-third-id"))
    await companion.open_story(third)
    await companion.finished(third)
    assert len(model.requests) > asked


async def test_a_preset_is_in_force_when_used_and_its_deletion_falls_back(
    companion: Companion,
) -> None:
    prompts = companion.prompts
    await prompts.save("scene_recap", await with_word(companion, "scene_recap", "In a preset."))
    await prompts.save_preset("Mine")
    await prompts.revert("scene_recap")
    await prompts.use_preset("Mine")
    assert companion.settings["prompt_preset"] == "Mine"
    assert "In a preset." in await prompts.text("scene_recap")
    await prompts.delete_preset("mine")
    assert companion.settings["prompt_preset"] == ""
    assert await prompts.text("scene_recap") == await prompts.shipped_text("scene_recap")


async def test_a_preset_with_a_broken_file_is_not_put_in_force(companion: Companion) -> None:
    await companion.prompts.save_preset("Broken")
    (companion.folders.data / "prompts/presets/Broken/scene_recap.md").write_text("no prompt")
    with pytest.raises(PromptUnusable, match="scene_recap"):
        await companion.prompts.use_preset("Broken")
    assert companion.settings["prompt_preset"] == ""


async def test_a_second_program_in_the_folder_changes_no_prompt(
    companion: Companion, demo_tavern: WrittenTavern, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.parts.LOCK_SECONDS", 0.0)
    async with open_companion(
        companion.folders, tavern=demo_tavern.user_folder, watch=False
    ) as second:
        with pytest.raises(StoreError, match="Another Tavernkeep"):
            await second.prompts.revert("scene_recap")
        assert await second.prompts.tasks()


async def test_what_is_being_written_ends_with_the_prompt_it_began_with(
    companion: Companion, model: FakeLlm, demo_tavern: WrittenTavern
) -> None:
    path, begun, goes_on = demo_tavern.chat, threading.Event(), threading.Event()

    def slow(request: RecordedRequest) -> str:
        begun.set()
        goes_on.wait(20)
        return answer(request)

    model.reply = slow
    await companion.open_story(path)
    await asyncio.to_thread(begun.wait, 20)
    await companion.prompts.save("scene_recap", await with_word(companion, "scene_recap", "Hm."))
    assert len(model.requests) == 1
    goes_on.set()
    _, failures = await companion.finished(path)
    assert not failures
    assert "Hm." not in model.requests[0].text
    scenes = [r.text for r in model.requests[1:] if "finished scene" in r.text]
    assert scenes
    assert all("Hm." in text for text in scenes), "what waited is written with the new one"
    asked = [text.replace("Hm.", "") for text in (model.requests[0].text, *scenes)]
    assert len(asked) == len(set(asked)), "the one that was under way is not asked for twice"


def put_whole(file: Path, text: str) -> None:
    """In one step: of a file that is being written the watcher may see nothing but its name."""
    written = file.with_suffix(".new")
    written.write_text(text, encoding="utf-8")
    written.replace(file)


async def test_files_changed_on_disk_are_in_force_at_once_and_a_broken_one_is_said(
    demo_tavern: WrittenTavern, model: FakeLlm, tmp_path: Path
) -> None:
    folders = user_folders(tmp_path / "own data")
    spec = f"openai:{MODEL}@{model.url}"
    async with (
        asyncio.timeout(20),
        open_companion(folders, tavern=demo_tavern.user_folder, llm=spec) as companion,
    ):
        companion.settings.put("scene_detector", "heuristic")
        told, broken = asyncio.Event(), asyncio.Queue[tuple[Path, str]]()
        companion.prompts.state_changed.connect(lambda _state: told.set())
        companion.trouble.connect(broken.put_nowait)
        file = folders.data / "prompts" / "scene_recap.md"
        while not file.parent.is_dir():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        ours = companion.prompts.state.version
        text = await with_word(companion, "scene_recap", "By hand.")
        put_whole(file, text)
        await told.wait()
        assert companion.prompts.state.version != ours
        assert companion.models.writing().prompt_version == companion.prompts.state.version
        told.clear()
        put_whole(file, "broken")
        await told.wait()
        assert companion.prompts.state.version == ours, "ours stands in"
        assert companion.models.writing().prompt_version == ours
        _, sentence = await broken.get()
        assert "scene_recap" in sentence
        assert companion.health.backend.sentence.endswith(sentence)
        told.clear()
        await companion.prompts.revert("scene_recap")
        assert not companion.prompts.problem


async def test_a_broken_file_at_the_start_is_said_and_the_model_still_writes(
    demo_tavern: WrittenTavern, model: FakeLlm, tmp_path: Path
) -> None:
    folders = user_folders(tmp_path / "own data")
    (folders.data / "prompts").mkdir(parents=True)
    (folders.data / "prompts" / "scene_recap.md").write_bytes(b"\xff")
    spec = f"openai:{MODEL}@{model.url}"
    async with open_companion(
        folders, tavern=demo_tavern.user_folder, llm=spec, watch=False
    ) as companion:
        companion.settings.put("scene_detector", "heuristic")
        assert MODEL in companion.models.writer().label
        assert companion.health.backend.sentence.endswith("The original is used.")


async def test_deeds_on_prompts_are_taken_back_with_the_preset_that_was_in_force(
    companion: Companion,
) -> None:
    prompts = companion.prompts
    await prompts.save("scene_recap", await with_word(companion, "scene_recap", "One."))
    await prompts.save_preset("Mine")
    await prompts.use_preset("Mine")
    await prompts.save("scene_recap", await with_word(companion, "scene_recap", "Two."))
    assert prompts.state.undo == "prompt “Recap of a scene”"
    await prompts.undo()
    assert "One." in await prompts.text("scene_recap")
    assert await prompts.undo() == "use of the preset “Mine”"
    assert companion.settings["prompt_preset"] == ""
    assert prompts.state.redo == "use of the preset “Mine”"
    await prompts.redo()
    assert prompts.state.preset == "Mine"
