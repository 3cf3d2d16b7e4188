"""A scene that ends is recapped, and the one before it folded in, with one request."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.companion import Companion, open_companion
from app.core.operations import Operation, OperationKind, OperationStatus
from app.core.paths import user_folders
from app.story.messages import digest
from app.story.story import Story
from tests.fakes import MODEL, FakeLlm, RecordedRequest
from tests.labelled import WrittenTavern

BESIDE, ALONE = "<earlier>", "The scene that follows it, named"
CHANGES = {"drop": [1], "replace": [], "add": {"developments": ["What was told is over."]}}


def good(request: RecordedRequest) -> str:
    """The same words for the same scene, whatever else a request shows."""
    if ALONE in request.text:
        return json.dumps(CHANGES)
    event = f"Event {digest(request.text.rpartition('<scene>')[2][:400])[:12]} happened."
    recap = {"name": event[:18], "recap": {"developments": [event]}}
    return json.dumps({**recap, "changes": CHANGES} if BESIDE in request.text else recap)


class Told:
    """The demo story before a model."""

    def __init__(self, tavern: WrittenTavern, data: Path, model: FakeLlm) -> None:
        self.path, self.model = tavern.chat, model
        self._tavern, self._data = tavern, data
        self._lines = tavern.chat.read_bytes().split(b"\n")

    @asynccontextmanager
    async def opened(self, run: str = "", **settings: object) -> AsyncIterator[Companion]:
        async with open_companion(
            user_folders(self._data / run),
            tavern=self._tavern.user_folder,
            llm=f"openai:{MODEL}@{self.model.url}",
            watch=False,
        ) as companion:
            for name, value in {"scene_detector": "heuristic", **settings}.items():
                await companion.put_setting(name, value)
            yield companion

    async def until(self, companion: Companion, closed: int) -> None:
        """Told so far that so many scenes have ended, and all work is done."""
        for count in range(2, len(self._lines) + 1):
            self.path.write_bytes(b"\n".join(self._lines[:count]) + b"\n")
            story = await companion.open_story(self.path)
            if sum(scene.is_closed for scene in story.scenes) == closed:
                await companion.settled(self.path)
                return

    def story(self, companion: Companion) -> Story:
        """As it is told so far."""
        story = companion.story(self.path)
        assert story is not None
        return story

    def asked(self, words: str) -> int:
        """How many requests say this."""
        return sum(words in request.text for request in self.model.requests)


@pytest.fixture
def told(demo_tavern: WrittenTavern, tmp_path: Path) -> Iterator[Told]:
    with FakeLlm(good) as model:
        yield Told(demo_tavern, tmp_path / "own", model)


def done(companion: Companion, kind: OperationKind) -> list[Operation]:
    """What was done of a kind, oldest first."""
    ended = (op for op in companion.work.operations if op.status is OperationStatus.DONE)
    return sorted((op for op in ended if op.spec.kind is kind), key=lambda op: op.id)


async def paused_between(told: Told, companion: Companion) -> None:
    """The third scene has ended and is recapped; the second is not folded in yet."""
    await told.until(companion, 2)
    await companion.finished(told.path)

    def look(operations: tuple[Operation, ...]) -> None:
        # By scene: one may be recapped twice, the second time with the answer that is kept.
        scenes = {op.spec.anchor for op in done(companion, OperationKind.SCENE_RECAP)}
        is_there = len(scenes) == 3
        if is_there and not companion.work.is_paused:
            companion.work.pause()

    companion.operations_changed.connect(look)
    await told.until(companion, 3)
    companion.operations_changed.disconnect(look)
    assert len(done(companion, OperationKind.RUNNING_RECAP)) == 1
    assert told.asked(BESIDE) == 1


async def test_each_scene_that_ends_takes_one_request_and_is_told_as_with_two(told: Told) -> None:
    async with told.opened() as companion:
        for closed in (1, 2, 3, 4):
            await told.until(companion, closed)
            assert len(told.model.requests) == closed
        assert told.asked(BESIDE) == 2, "the first scene is copied when the second has ended"
        assert not told.asked(ALONE)
        recaps = done(companion, OperationKind.SCENE_RECAP)
        assert [op.spec.label for op in recaps][2:] == [
            "Recap of scene 3, asked together with how to add scene 2",
            "Recap of scene 4, asked together with how to add scene 3",
        ]
        folds = done(companion, OperationKind.RUNNING_RECAP)
        assert [op.backend for op in folds[1:]] == ["kept", "kept"]
        assert not any(op.prompt_tokens for op in folds)
        (use,) = await companion.use.uses(1)
        assert (use.task, use.spent.requests) == (OperationKind.SCENE_RECAP.value, 4)
        beside = [version.content for version in told.story(companion).running.versions]
    told.model.requests.clear()
    async with told.opened("two") as companion:
        text = await companion.prompts.shipped_text("scene_recap")
        await companion.prompts.save("scene_recap", text.replace("# User", "Hm.\n\n# User", 1))
        await told.until(companion, 4)
        alone = [version.content for version in told.story(companion).running.versions]
    assert (told.asked(BESIDE), told.asked(ALONE)) == (0, 2)
    assert beside == alone
    assert "What was told is over." in beside[-1]


async def test_what_was_answered_is_not_paid_for_again_after_the_program_has_ended(
    told: Told,
) -> None:
    async with told.opened() as companion:
        await paused_between(told, companion)
    asked = len(told.model.requests)
    async with told.opened() as companion:
        companion.work.resume()
        await companion.open_story(told.path)
        await companion.settled(told.path)
        assert len(told.story(companion).running.versions) == 2
    assert len(told.model.requests) == asked


async def test_a_recap_that_was_edited_meanwhile_is_folded_in_by_itself(told: Told) -> None:
    async with told.opened() as companion:
        await paused_between(told, companion)
        closing = told.story(companion).scenes[1].closing
        assert closing is not None
        await companion.edits.edit_scene_recap(told.path, closing.anchor, "DEVELOPMENTS\nBy hand.")
        companion.work.resume()
        await companion.settled(told.path)
        assert "By hand." in told.story(companion).running.versions[-1].content
    assert told.asked(ALONE) == 1


async def test_a_running_recap_that_was_edited_meanwhile_is_what_is_built_on(told: Told) -> None:
    async with told.opened() as companion:
        await paused_between(told, companion)
        await companion.edits.edit_running_recap(told.path, "DEVELOPMENTS\nBy hand.\nAnd more.")
        companion.work.resume()
        await companion.settled(told.path)
        assert "By hand." in told.story(companion).running.versions[-1].content
    assert told.asked(ALONE)


async def test_a_fold_that_cannot_be_read_is_asked_for_by_itself(told: Told) -> None:
    def recap_only(request: RecordedRequest) -> str:
        answer = json.loads(good(request))
        return json.dumps({**answer, "changes": {"drop": [77]}} if "changes" in answer else answer)

    told.model.reply = recap_only
    async with told.opened() as companion:
        await told.until(companion, 4)
        assert len(told.story(companion).running.versions) == 3
    assert (told.asked(BESIDE), told.asked(ALONE)) == (2, 2)
    assert len(told.model.requests) == 6


@pytest.mark.parametrize(
    "settings",
    [
        {"model_running_recap": "openai:another"},
        {"running_recap_leave_out": 0},
        {"running_recap_auto": False},
        {"scene_recap_form": "staged"},
    ],
)
async def test_where_both_do_not_go_together_each_is_asked_for_by_itself(
    told: Told, settings: dict[str, Any]
) -> None:
    if "model_running_recap" in settings:
        settings = {"model_running_recap": f"openai:another@{told.model.url}"}
    async with told.opened(**settings) as companion:
        await told.until(companion, 3)
    assert told.model.requests
    assert not told.asked(BESIDE)


async def test_of_scenes_that_stay_out_longer_the_right_one_is_folded_in(told: Told) -> None:
    async with told.opened(running_recap_leave_out=2) as companion:
        await told.until(companion, 4)
        assert len(told.story(companion).running.versions) == 2
        label = done(companion, OperationKind.SCENE_RECAP)[-1].spec.label
    assert label == "Recap of scene 4, asked together with how to add scene 2"
    assert (told.asked(BESIDE), told.asked(ALONE)) == (1, 0)
