"""What the user has written anew: taken back by name, and never in place of their own words."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.operations import FOLDS
from app.core.paths import user_folders
from app.story.clearance import as_shown
from app.story.story import Story
from app.views.asked_cost import Asked
from app.work.queue import patience
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm, RecordedRequest

TEXTS = (
    "Mira lit the lamp above the counter and counted the coins twice.",
    "“Two crowns for the rope,” Tobias said to her.",
    "She paid him and carried the rope to the quay.",
    "The boat was gone, and the tide with it.",
    "Mira sat down on the wet stones to wait for the morning.",
    "At dusk a sail stood in the mouth of the harbour.",
)


class Model:
    """Each answer is another one. gate: what is asked waits for it, where there is one."""

    def __init__(self) -> None:
        self.llm = FakeLlm(self._reply)
        self.bad = ""
        self.gate: threading.Event | None = None

    def _reply(self, request: RecordedRequest) -> str:
        number = len(self.llm.requests)
        if self.gate is not None:
            assert self.gate.wait(15)
        if self.bad:
            return self.bad
        if "developments" not in request.text:
            return f"Mira does what she did in {number}."
        return json.dumps({"name": "Quay", "recap": {"developments": [f"It was {number}."]}})


class Desk:
    """A chat whose first scene and first three messages are recapped by a model."""

    def __init__(self, companion: Companion, path: Path, model: Model) -> None:
        self.companion, self.path, self.model = companion, path, model
        self.edits = companion.edits

    @property
    def story(self) -> Story:
        story = self.companion.story(self.path)
        assert story is not None
        return story

    @property
    def anchors(self) -> list[str]:
        return [message.anchor for message in self.story.messages[:3]]

    def recaps(self) -> list[str]:
        return [self.story.message_recaps[anchor].text for anchor in self.anchors]

    async def finished(self) -> list[str]:
        return (await self.companion.finished(self.path))[1]


@asynccontextmanager
async def _opened(tmp_path: Path, *, asks_first: bool) -> AsyncIterator[Desk]:
    path = write_chat(tmp_path / "chat.jsonl", [message(n, text) for n, text in enumerate(TEXTS)])
    model = Model()
    with model.llm:
        async with open_companion(
            user_folders(tmp_path / "own data"),
            llm=f"openai:{MODEL}@{model.llm.url}",
            watch=asks_first,
            asks_first=asks_first,
        ) as companion:
            companion.settings.put("scene_breaks_auto", False)
            story = await companion.open_story(path)
            desk = Desk(companion, path, model)
            await companion.edits.scenes.mark(path, story.messages[2].anchor)
            await companion.edits.messages.write(path, desk.anchors)
            assert await desk.finished() == []
            yield desk


@pytest_asyncio.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with _opened(tmp_path, asks_first=False) as desk:
        yield desk


@pytest_asyncio.fixture
async def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    """As in the window, where a backlog is asked about first."""
    monkeypatch.setattr(patience, "PATIENCE_SECONDS", 0.0)
    async with _opened(tmp_path, asks_first=True) as desk:
        yield desk


async def test_a_scene_recap_written_anew_is_taken_back_by_name(desk: Desk) -> None:
    before = desk.story
    await desk.edits.redo_scene_recap(desk.path, desk.anchors[2])
    assert await desk.finished() == []
    after = desk.story
    assert len(after.recaps[desk.anchors[2]]) == 2
    desk.companion.work.pause()
    assert await desk.edits.undo(desk.path) == "new recap of scene 1"
    assert desk.story == before
    assert await desk.edits.redo(desk.path) == "new recap of scene 1"
    assert desk.story == after


async def test_message_recaps_that_were_asked_for_together_are_one_step(desk: Desk) -> None:
    before = desk.story
    await desk.edits.messages.write(desk.path, desk.anchors)
    assert await desk.finished() == []
    after = desk.story
    assert all(new != old for new, old in zip(desk.recaps(), _texts(before, desk), strict=True))
    assert await desk.edits.undo(desk.path) == "new message recaps"
    assert desk.story == before
    assert await desk.edits.redo(desk.path) == "new message recaps"
    assert desk.story == after
    for label in ("new message recaps", "new message recaps", "scene break at #"):
        assert (await desk.edits.undo(desk.path)).startswith(label)


async def test_an_answer_that_cannot_be_used_leaves_the_recap_that_was_there(desk: Desk) -> None:
    before, labels = desk.story, await desk.edits.undo_labels(desk.path)
    desk.model.bad = "…"
    await desk.edits.messages.write(desk.path, desk.anchors)
    assert "not a sentence" in (await desk.finished())[0]
    assert desk.story == before
    assert await desk.edits.undo_labels(desk.path) == labels


async def test_what_is_written_by_hand_meanwhile_is_not_written_over(desk: Desk) -> None:
    gate = desk.model.gate = threading.Event()
    asked = len(desk.model.llm.requests)
    await desk.edits.messages.write(desk.path, desk.anchors[:1])
    await asyncio.to_thread(desk.model.llm.wait_for_request, asked)
    await desk.edits.messages.edit(desk.path, desk.anchors[0], "By hand.")
    await desk.edits.redo_scene_recap(desk.path, desk.anchors[2])
    gate.set()
    await desk.finished()
    assert desk.recaps()[0] == "By hand."

    gate = desk.model.gate = threading.Event()
    asked = len(desk.model.llm.requests)
    await desk.edits.redo_scene_recap(desk.path, desk.anchors[2])
    await asyncio.to_thread(desk.model.llm.wait_for_request, asked)
    await desk.edits.edit_scene_recap(desk.path, desk.anchors[2], "They met.")
    gate.set()
    await desk.finished()
    versions = desk.story.recaps[desk.anchors[2]]
    assert [(v.text, v.is_current) for v in versions][2:] == [
        ("They met.", True),
        (versions[3].text, False),
    ]
    assert versions[3].made_by != "you"


def _texts(story: Story, desk: Desk) -> list[str]:
    return [story.message_recaps[anchor].text for anchor in desk.anchors]


async def test_what_the_user_has_built_anew_is_asked_for_anew(desk: Desk) -> None:
    """The kept answer gave them the very version that they wanted to be rid of."""
    for index in (3, 4):
        await desk.edits.scenes.mark(desk.path, desk.story.messages[index].anchor)
    assert await desk.finished() == []
    before = desk.story.running.versions
    assert [version.scene_count for version in before] == [1, 2]
    asked = len(desk.model.llm.requests)
    cost = desk.companion.command_costs.of_rebuild(desk.path, desk.anchors[2])
    assert (cost.of, cost.requests) == (Asked.RUNNING, 1)
    assert cost.tokens > 0
    await desk.edits.rebuild_running_recap(desk.path, desk.anchors[2])
    assert await desk.finished() == []
    after = desk.story.running.versions[len(before) :]
    assert [version.scene_count for version in after] == [1, 2]
    # The first scene is copied, whoever asks; the second is merged by the model.
    assert len(desk.model.llm.requests) == asked + 1
    assert after[1].content != before[1].content
    # Who takes the rebuilding back has what there was, and nothing is asked for that.
    await desk.edits.undo(desk.path)
    assert await desk.finished() == []
    assert desk.story.running.current == before[1]
    assert len(desk.model.llm.requests) == asked + 1


async def _rebuilding(desk: Desk) -> threading.Event:
    """Two scenes are told, and told anew; the model has just been asked for the second. Set what is
    given, and it answers.
    """
    for index in (3, 4):
        await desk.edits.scenes.mark(desk.path, desk.story.messages[index].anchor)
    assert await desk.finished() == []
    assert [version.scene_count for version in desk.story.running.versions] == [1, 2]
    asked, gate = len(desk.model.llm.requests), threading.Event()
    desk.model.gate = gate
    await desk.edits.rebuild_running_recap(desk.path, desk.anchors[2])
    await asyncio.to_thread(desk.model.llm.wait_for_request, asked)
    return gate


async def test_what_is_folded_in_while_a_rebuild_is_taken_back_does_not_count(desk: Desk) -> None:
    """The scene that was just being folded in took the place of the recap of the whole story: of
    278 scenes the prompt had nine.
    """
    gate = await _rebuilding(desk)
    before = desk.story.running.current
    assert before is not None
    assert before.version == 1
    await desk.edits.undo(desk.path)
    gate.set()
    assert await desk.finished() == []
    running = desk.story.running
    assert running.current is not None
    assert running.current.version == before.version
    assert all(version.is_retired for version in running.versions[2:])
    # What was paid for is kept: whoever has it rebuilt after all has it for nothing.
    asked = len(desk.model.llm.requests)
    await desk.edits.rebuild_running_recap(desk.path, desk.anchors[2])
    assert await desk.finished() == []
    assert len(desk.model.llm.requests) == asked
    current = desk.story.running.current
    assert current is not None
    assert (current.scene_count, current.version) == (2, 4)


async def test_what_is_folded_in_while_a_rebuild_begins_tells_no_scene_of_it(desk: Desk) -> None:
    gate = await _rebuilding(desk)
    await desk.edits.rebuild_running_recap(desk.path, desk.anchors[2])
    gate.set()
    assert await desk.finished() == []
    chain = [v for v in desk.story.running.versions if not v.is_retired]
    assert [version.scene_count for version in chain] == [1, 2]
    assert desk.story.running.current == chain[-1]


async def _long(desk: Desk) -> threading.Event:
    """Three scenes are told; of two, a model is asked again where they are told anew. It answers
    once what is given is set.
    """
    for index in (3, 4, 5):
        await desk.edits.scenes.mark(desk.path, desk.story.messages[index].anchor)
    assert await desk.finished() == []
    assert [version.scene_count for version in desk.story.running.versions] == [1, 2, 3]
    desk.companion.settings.put("catch_up_scenes", 1)
    desk.model.gate = threading.Event()
    return desk.model.gate


async def test_a_long_rebuild_says_how_far_it_is(asking: Desk) -> None:
    """Of 277 requests that were still to come it said “1 to do”."""
    gate, asked = await _long(asking), len(asking.model.llm.requests)
    await asking.edits.rebuild_running_recap(asking.path, asking.anchors[2])
    await asyncio.to_thread(asking.model.llm.wait_for_request, asked)
    work = asking.companion.work
    (progress,) = work.catching_up
    assert (progress.part, progress.done, progress.left) == (FOLDS, 0, 2)
    assert work.to_do == 2
    assert asking.companion.health.queue.sentence.startswith("Running recap made again, 0 of 2 req")
    gate.set()
    assert await asking.finished() == []
    assert work.catching_up == ()
    assert len(asking.model.llm.requests) == asked + 2


async def test_a_rebuild_that_is_stopped_asks_no_more_and_its_undo_offers_nothing(
    asking: Desk,
) -> None:
    gate, asked = await _long(asking), len(asking.model.llm.requests)
    before = asking.story.running.current
    await asking.edits.rebuild_running_recap(asking.path, asking.anchors[2])
    await asyncio.to_thread(asking.model.llm.wait_for_request, asked)
    work = asking.companion.work
    (progress,) = work.catching_up
    await work.stop_catch_up(progress.chat)
    gate.set()
    assert await asking.finished() == []
    assert len(asking.model.llm.requests) == asked + 1
    left = work.catch_up(asking.path)
    assert left is not None
    assert (left.requests, left.folds) == (1, 1)
    current = asking.story.running.current
    assert current is not None
    assert before is not None
    assert (current.version, current.is_retired) == (before.version, True)
    await asking.edits.undo(asking.path)
    assert await asking.finished() == []
    assert work.catch_up(asking.path) is None
    assert asking.story.running.current == before


async def test_what_a_rebuild_asks_for_on_another_day_is_counted_whole(asking: Desk) -> None:
    """“1 job waits” stood beside “Go on today”, which asked for 275."""
    await _long(asking)
    await asking.companion.put_setting("daily_cap", asking.companion.use.cap.spent.requests)
    asked = len(asking.model.llm.requests)
    await asking.edits.rebuild_running_recap(asking.path, asking.anchors[2])
    work = asking.companion.work
    changed = asyncio.Event()
    asking.companion.operations_changed.connect(lambda _: changed.set())
    async with asyncio.timeout(20):
        while not work.held_back:
            changed.clear()
            await changed.wait()
    assert len(work.held_back) == 1
    assert work.held_for_another_day == 2
    assert len(asking.model.llm.requests) == asked


async def test_it_is_known_beforehand_what_is_folded_in_anew_with_what_is_tried_again(
    desk: Desk,
) -> None:
    """Six recaps were tried again, and twenty-four merges were paid for without a word."""
    desk.model.bad = "No."
    await desk.edits.scenes.mark(desk.path, desk.story.messages[3].anchor)
    assert await desk.finished() != []
    work = desk.companion.work
    assert work.folds_again == 0  # nothing rests on it yet
    desk.model.bad = ""
    await desk.edits.scenes.mark(desk.path, desk.story.messages[4].anchor)
    await desk.finished()
    before = desk.story.running.versions
    assert [version.scene_count for version in before] == [1, 2]
    assert work.folds_again == 1
    (failed,) = work.failed_recaps.values()
    cost = desk.companion.command_costs.of_folding_again(desk.path, failed)
    assert cost.requests == 1
    assert cost.tokens > 500
    await work.retry_all()
    assert await desk.finished() == []
    anew = desk.story.running.versions[len(before) :]
    assert [version.scene_count for version in anew] == [2]
    assert work.folds_again == 0


async def test_what_is_cleared_is_counted_as_shown_and_priced_as_made_anew(desk: Desk) -> None:
    """402 messages with data and 402 breaks were named for 300 scenes, and no price at all."""
    for index in (3, 4):
        await desk.edits.scenes.mark(desk.path, desk.story.messages[index].anchor)
    assert await desk.finished() == []
    await desk.edits.scenes.hide(desk.path, desk.story.messages[3].anchor)
    assert await desk.finished() == []
    story = desk.story
    ended = sum(scene.is_closed for scene in story.scenes)
    counted = await desk.edits.clearance(desk.path)
    assert counted.scene_breaks > ended  # one that was taken away is kept in mind
    shown = as_shown(counted, story)
    assert (shown.scene_breaks, shown.scene_recaps, shown.messages) == (ended, ended, 0)
    assert shown.message_recaps == counted.message_recaps
    cost = await desk.companion.command_costs.of_all_anew(desk.path)
    assert (cost.requests, cost.tokens) == (0, 0)  # the answers are kept
    assert cost.kept >= ended
    await desk.companion.put_setting("scene_recap_tokens", 150)
    cost = await desk.companion.command_costs.of_all_anew(desk.path)
    assert cost.of is Asked.SCENES
    assert cost.requests >= ended
    assert cost.tokens > 0
