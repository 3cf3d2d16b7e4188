"""Scene recaps in stages on a real chat: what was answered is never asked again."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.companion import Companion, open_companion
from app.core.operations import OperationKind, OperationStatus
from app.core.paths import user_folders
from app.llm.prompts.prompt_files import TASKS, load_prompts
from app.story.lore_entries.lore import stored_entries
from tests.fakes import MODEL, FakeLlm, RecordedRequest
from tests.labelled import WrittenTavern

PROMPTS = load_prompts()
NOTHING: dict[str, Any] = {"developments": [], "open": [], "state": [], "resolved": []}


class Stages:
    """Answers each task, and counts them. Each scene's facts carry its number."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.filtered: Any = None  # in place of what is new
        self.is_filtering = threading.Event()
        self.gate: threading.Event | None = None  # the filter answers when it is set

    def __call__(self, request: RecordedRequest) -> str:
        task = next(t for t in TASKS if PROMPTS[t].system in request.text)
        self.asked[task] += 1
        if task == "scene_filter" and self.gate is not None:
            self.is_filtering.set()
            self.gate.wait(20)
        number = self.asked["scene_extract"]
        fact = f"Deed {number} was done."
        ford = {"type": "place", "name": "Ford", "keywords": [], "content": [f"Deep as {number}."]}
        new: Any = NOTHING | {"developments": [fact]}
        answers: dict[str, Any] = {
            "scene_extract": {"name": f"Scene of {number}", "extracted": [fact]},
            "scene_organise": {"recap": {"developments": [fact]}, "entities": [ford]},
            "scene_filter": new if self.filtered is None else self.filtered,
            "scene_lore": {"entities": [ford]},
            "running_recap": {"recap": {"developments": [fact], "open": [], "state": []}},
        }
        answer = answers[task]
        return answer if isinstance(answer, str) else json.dumps(answer)


@pytest.fixture
def stages() -> Stages:
    return Stages()


@pytest.fixture
def model(stages: Stages) -> Iterator[FakeLlm]:
    with FakeLlm(stages) as running:
        yield running


class Desk:
    """Opens companions on one data folder, with recaps in stages."""

    def __init__(self, tavern: WrittenTavern, model: FakeLlm, data: Path) -> None:
        self.path = tavern.chat
        self._tavern = tavern
        self._model = model
        self._data = data

    def open(self) -> AbstractAsyncContextManager[Companion]:
        return self._open()

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Companion]:
        async with open_companion(
            user_folders(self._data),
            tavern=self._tavern.user_folder,
            llm=f"openai:{MODEL}@{self._model.url}",
            watch=False,
        ) as companion:
            companion.settings.put("scene_detector", "heuristic")
            await companion.put_setting("scene_recap_form", "staged")
            yield companion


@pytest.fixture
def desk(demo_tavern: WrittenTavern, model: FakeLlm, tmp_path: Path) -> Desk:
    return Desk(demo_tavern, model, tmp_path / "own data")


async def test_each_scene_takes_four_requests_at_most_and_keeps_its_lore(
    desk: Desk, stages: Stages
) -> None:
    async with desk.open() as companion:
        await companion.open_story(desk.path)
        story, failures = await companion.finished(desk.path)
    assert not failures
    closed = [scene for scene in story.scenes if scene.is_closed]
    assert stages.asked["scene_extract"] == stages.asked["scene_organise"] == len(closed)
    assert stages.asked["scene_filter"] == len(closed) - 1, "before the first nothing is known"
    assert stages.asked["scene_lore"] == len(closed) - 1
    assert stages.asked["scene_recap"] == 0
    for number, scene in enumerate(closed, 1):
        recap = story.scene_recap(scene)
        assert recap is not None
        assert recap.text == f"DEVELOPMENTS\nDeed {number} was done."
        assert recap.name == f"Scene of {number}"
        assert stored_entries(recap.stored)[0].content == (f"Deep as {number}.",)


@pytest.mark.weakness(26)
async def test_a_scene_that_adds_nothing_is_folded_in_without_a_request(
    desk: Desk, stages: Stages
) -> None:
    stages.filtered = NOTHING
    async with desk.open() as companion:
        await companion.open_story(desk.path)
        story, failures = await companion.finished(desk.path)
    assert not failures
    versions = story.running.versions
    closed = [scene for scene in story.scenes if scene.is_closed]
    assert [version.scene_count for version in versions] == list(range(1, len(closed)))
    assert stages.asked["running_recap"] == 0, "the first is copied"
    assert len({version.content for version in versions}) == 1
    recaps = [story.scene_recap(scene) for scene in closed]
    assert all(recap is not None and recap.text for recap in recaps)


async def test_a_stage_that_failed_is_asked_again_alone(desk: Desk, stages: Stages) -> None:
    stages.filtered = "I would rather not."
    async with desk.open() as companion:
        await companion.open_story(desk.path)
        await companion.finished(desk.path)
        while companion.work.is_paused:  # after some answers of no use in a row
            companion.work.resume()
            await companion.finished(desk.path)
        before = stages.asked.copy()
        failed = next(op for op in companion.work.operations if op.status is OperationStatus.FAILED)
        stages.filtered = None
        await companion.work.retry(failed.id)
        story, _ = await companion.finished(desk.path)
    assert stages.asked["scene_extract"] == before["scene_extract"]
    assert stages.asked["scene_organise"] == before["scene_organise"]
    assert stages.asked["scene_filter"] == before["scene_filter"] + 1
    scene = next(s for s in story.scenes if s.closing and s.closing.anchor == failed.spec.anchor)
    recap = story.scene_recap(scene)
    assert recap is not None
    assert recap.made_by.startswith(MODEL)


async def test_what_was_answered_before_the_program_ended_is_not_asked_again(
    desk: Desk, stages: Stages
) -> None:
    stages.gate = threading.Event()
    async with desk.open() as companion:
        await companion.open_story(desk.path)
        assert await asyncio.to_thread(stages.is_filtering.wait, 20)
    extracted = stages.asked["scene_extract"]
    gate, stages.gate = stages.gate, None
    gate.set()
    async with desk.open() as companion:
        await companion.open_story(desk.path)
        story, failures = await companion.finished(desk.path)
    assert not failures
    closed = [scene for scene in story.scenes if scene.is_closed]
    assert extracted < len(closed)
    assert stages.asked["scene_extract"] == stages.asked["scene_organise"] == len(closed)
    assert stages.asked["scene_filter"] == len(closed), "the one that broke off twice"


async def test_a_recap_done_again_goes_through_all_stages_anew(desk: Desk, stages: Stages) -> None:
    async with desk.open() as companion:
        await companion.open_story(desk.path)
        story, _ = await companion.finished(desk.path)
        before = stages.asked.copy()
        closing = story.scenes[2].closing
        assert closing is not None
        await companion.edits.redo_scene_recap(desk.path, closing.anchor)
        story, _ = await companion.finished(desk.path)
    assert stages.asked["scene_extract"] == before["scene_extract"] + 1
    assert stages.asked["scene_filter"] == before["scene_filter"] + 1
    assert len(story.recaps[closing.anchor]) == 2
    done = [op for op in companion.work.operations if op.spec.kind is OperationKind.SCENE_RECAP]
    assert done[0].prompt_tokens > 0
