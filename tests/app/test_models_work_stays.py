"""What a model wrote is not followed by what is written without one, unless the user says so."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.core.operations import OperationKind
from app.core.paths import user_folders
from app.prompt.slots import RUNNING_RECAP_KEY
from app.story.recap_texts.recap_length import scene_recap_length
from app.story.scenes import BreakOrigin
from tests.fakes import MODEL, FakeLlm, RecordedRequest
from tests.labelled import WrittenTavern

NUMBERS = count(1)
NAMED = re.compile(r'The scene that follows it, named "(.*)":')
LENGTH = re.compile(r"All entries together take about (\d+) tokens")


def answer(request: RecordedRequest) -> str:
    number = next(NUMBERS)
    if "merged recap" in request.text:
        return json.dumps({"drop": [], "replace": [], "add": {}})
    recap = {"developments": [f"The model told deed {number}."]}
    return json.dumps({"name": "The same name", "recap": recap})


class Place:
    """A chat, a data folder, and a model that can be away."""

    def __init__(self, tavern: WrittenTavern, data: Path, model: FakeLlm) -> None:
        self.chat, self._tavern, self._data, self._model = tavern.chat, tavern, data, model

    @property
    def requests(self) -> int:
        """How many were sent to the model."""
        return len(self.sent)

    @property
    def sent(self) -> list[str]:
        """The texts of the requests."""
        return [request.text for request in self._model.requests]

    def answers(self, reply: Callable[[RecordedRequest], str]) -> None:
        """Let the model answer otherwise."""
        self._model.reply = reply

    @asynccontextmanager
    async def opened(self, *, with_model: bool) -> AsyncIterator[Companion]:
        async with open_companion(
            user_folders(self._data),
            tavern=self._tavern.user_folder,
            llm=f"openai:{MODEL}@{self._model.url}" if with_model else "builtin",
            watch=False,
        ) as companion:
            companion.settings.put("scene_detector", "heuristic")
            yield companion


@pytest.fixture
def place(demo_tavern: WrittenTavern, tmp_path: Path) -> Iterator[Place]:
    with FakeLlm(answer) as model:
        yield Place(demo_tavern, tmp_path / "own data", model)


@pytest.mark.real_model(11)
async def test_an_interrupted_run_is_not_gone_on_with_by_rules(place: Place) -> None:
    async with place.opened(with_model=True) as companion:
        companion.work.pause()
        await companion.open_story(place.chat)
        changed = asyncio.Event()
        companion.operations_changed.connect(lambda _: changed.set())
        companion.work.resume()
        async with asyncio.timeout(30):
            while (now := companion.story(place.chat)) is None or len(now.running.versions) < 2:
                changed.clear()
                await changed.wait()
        companion.work.pause()
    async with place.opened(with_model=False) as companion:
        await companion.open_story(place.chat)
        story, _ = await companion.finished(place.chat)
        slots = await companion.slots(place.chat)
        running = next(slot for slot in slots.slots if slot.key == RUNNING_RECAP_KEY)
    versions = story.running.versions
    assert len(versions) >= 2
    assert all(version.made_by.startswith(MODEL) for version in versions)
    assert "The model told deed" in running.text
    assert running.budget
    last = story.places[versions[-1].last_anchor]
    behind = [scene for scene in story.scenes if scene.is_closed and scene.last > last]
    recaps = [story.scene_recap(scene) for scene in behind]
    assert any(recap is not None and recap.is_without_model for recap in recaps)
    await _rebuilt(place)


async def _rebuilt(place: Place) -> None:
    """The user may have it rebuilt without a model."""
    async with place.opened(with_model=False) as companion:
        story = await companion.open_story(place.chat)
        first = story.scenes[0].closing
        assert first is not None
        await companion.edits.rebuild_running_recap(place.chat, first.anchor)
        story = await companion.settled(place.chat)
    assert story.running.versions[-1].made_by == "built-in"


@pytest.mark.real_model(2)
async def test_the_merge_hears_a_name_that_no_other_scene_has(place: Place) -> None:
    async with place.opened(with_model=True) as companion:
        await companion.open_story(place.chat)
        story, _ = await companion.finished(place.chat)
        names = [story.scene_name(scene) for scene in story.scenes if scene.is_closed]
        assert names[0] == "The same name"
        assert len({name.casefold() for name in names}) == len(names)
        heard = [found for text in place.sent for found in NAMED.findall(text)]
        assert len(heard) > 2
        assert heard == names[1 : 1 + len(heard)], "the first one is copied without a request"
        first = story.scenes[0].closing
        assert first is not None
        assert first.origin is BreakOrigin.HEURISTIC
        await companion.edits.scenes.rename(place.chat, first.anchor, "Mine")
        story = await companion.settled(place.chat)
        assert story.scene_name(story.scenes[0]) == "Mine"
        kinds = {operation.spec.kind for operation in companion.work.operations}
        assert OperationKind.RUNNING_RECAP in kinds


@pytest.mark.real_model(11)
async def test_an_earlier_moment_shows_what_was_known_and_asks_for_nothing(place: Place) -> None:
    async with place.opened(with_model=True) as companion:
        await companion.open_story(place.chat)
        story, _ = await companion.finished(place.chat)
        assert len(story.running.versions) > 3
        asked = place.requests
        until = story.scenes[3].last
        await companion.open_story(place.chat, until=until)
        then, _ = await companion.finished(place.chat, until=until)
        assert place.requests == asked
    assert [scene.last for scene in then.scenes[:3]] == [scene.last for scene in story.scenes[:3]]
    for scene in then.scenes[:3]:
        assert then.scene_recap(scene) == story.scene_recap(scene)
    assert then.running.current is not None
    assert then.places[then.running.current.last_anchor] <= until


async def test_what_one_model_failed_at_the_next_does_when_all_is_tried_again(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    """The first of what is tried again, too, which begins before the chat is planned anew."""
    folders, path = user_folders(tmp_path / "own data"), demo_tavern.chat
    with FakeLlm(lambda _: "What a lovely story!") as bad, FakeLlm(answer) as good:
        for name, model in (("bad", bad), ("good", good)):
            spec = f"openai:{name}@{model.url}"
            async with open_companion(
                folders, tavern=demo_tavern.user_folder, llm=spec, watch=False
            ) as companion:
                companion.settings.put("scene_detector", "heuristic")
                await companion.open_story(path)
                if model is good:
                    assert companion.work.failed(path) > 1
                    await companion.work.retry_all(path)
                story, failures = await companion.finished(path)
                assert bool(failures) is (model is bad)
                left = companion.work.failed(path)
    assert not left
    recaps = [recap for scene in story.scenes if (recap := story.scene_recap(scene))]
    assert {recap.made_by for recap in recaps} == {"good"}
    assert len(recaps) > 3


@pytest.mark.real_model(1)
async def test_a_scene_is_given_as_long_a_recap_as_it_deserves(place: Place) -> None:
    async with place.opened(with_model=True) as companion:
        companion.settings.put("scene_recap_tokens", 40)
        await companion.open_story(place.chat)
        story, _ = await companion.finished(place.chat)
        count = companion.count_tokens
        scenes = [scene for scene in story.scenes if scene.is_closed]
        sizes = [sum(count(m.text) for m in story.messages[s.first : s.last + 1]) for s in scenes]
    asked = [int(found) for text in place.sent for found in LENGTH.findall(text)]
    wanted = [scene_recap_length(size, 40, 640) for size in sizes]
    assert sorted(asked) == sorted(wanted)
    assert max(wanted) > 2 * min(wanted)


@pytest.mark.real_model(1)
async def test_a_version_says_how_much_of_what_a_model_wrote_it_left_out(place: Place) -> None:
    def many(request: RecordedRequest) -> str:
        if "merged recap" in request.text:
            return json.dumps({"drop": [], "replace": [], "add": {}})
        told = [f"The model told deed {next(NUMBERS)} of this long scene." for _ in range(20)]
        return json.dumps({"name": "The quay", "recap": {"developments": told}})

    place.answers(many)
    async with place.opened(with_model=True) as companion:
        companion.settings.put("running_recap_budget", 200)
        await companion.open_story(place.chat)
        story, _ = await companion.finished(place.chat)
    last = story.running.versions[-1]
    assert re.fullmatch(rf"{MODEL}, [1-9]\d* older entries left out", last.made_by)


@pytest.mark.real_model(1)
async def test_a_correction_by_hand_outlasts_the_scenes_that_are_folded_in_later(
    place: Place,
) -> None:
    """It was gone from the next version without a word: whoever merges rewrites."""

    def rewrites(request: RecordedRequest) -> str:
        if "merged recap" in request.text:
            whole = {"developments": [f"All was told anew, {next(NUMBERS)}."]}
            return json.dumps({"recap": whole})
        return answer(request)

    place.answers(rewrites)
    async with place.opened(with_model=True) as companion:
        await companion.open_story(place.chat)
        story, _ = await companion.finished(place.chat)
        old = story.running.current
        assert old is not None
        corrected = old.content.replace("All was told anew", "Ada, and not Bert, told it anew")
        assert corrected != old.content
        await companion.edits.edit_running_recap(place.chat, corrected)
        open_scene = story.scenes[-1]
        assert not open_scene.is_closed
        end = story.messages[open_scene.first + 1].anchor
        await companion.edits.scenes.mark(place.chat, end)
        story, _ = await companion.finished(place.chat)
    new = story.running.current
    assert new is not None
    assert new.scene_count == old.scene_count + 1
    assert new.made_by.startswith(MODEL)
    assert "Ada, and not Bert, told it anew" in new.content


@pytest.mark.parametrize("is_before", [True, False], ids=["while it is written", "once it is"])
async def test_a_correction_is_kept_beside_a_scene_that_is_folded_in_meanwhile(
    place: Place, *, is_before: bool
) -> None:
    """The version of the user was in the prompt for seconds, and the next one knew nothing of it:
    it had been begun before, or the user had begun before it.
    """
    merging, is_kept = threading.Event(), threading.Event()

    def waits(request: RecordedRequest) -> str:
        if "merged recap" in request.text and begun:
            merging.set()
            is_kept.wait(20)
        return answer(request)

    begun: list[str] = []
    place.answers(waits)
    async with place.opened(with_model=True) as companion:
        await companion.open_story(place.chat)
        story, _ = await companion.finished(place.chat)
        old = story.running.current
        assert old is not None
        theirs = f"{old.content}\nAda, and not Bert, told it."
        begun.append(theirs)
        end = story.messages[story.scenes[-1].first + 1].anchor
        await companion.edits.scenes.mark(place.chat, end)
        edit = companion.edits.edit_running_recap
        if is_before:
            assert await asyncio.to_thread(merging.wait, 20)
            await edit(place.chat, theirs, base=old.version, was_in_prompt=True)
        is_kept.set()
        story, _ = await companion.finished(place.chat)
        if not is_before:
            await edit(place.chat, theirs, base=old.version, was_in_prompt=True)
            story, _ = await companion.finished(place.chat)
    new = story.running.current
    assert new is not None
    assert new.scene_count == old.scene_count + 1
    assert "Ada, and not Bert, told it." in new.content


@pytest.mark.parametrize("is_before", [True, False], ids=["while it is written", "before it"])
async def test_the_version_that_the_user_chose_is_what_later_scenes_are_folded_into(
    place: Place, *, is_before: bool
) -> None:
    """The next scene was folded into the version that the user had rejected, and took its place."""
    merging, is_chosen = threading.Event(), threading.Event()
    begun: list[str] = []

    def waits(request: RecordedRequest) -> str:
        if "merged recap" in request.text and begun:
            merging.set()
            is_chosen.wait(20)
        return answer(request)

    place.answers(waits)
    async with place.opened(with_model=True) as companion:
        await companion.open_story(place.chat)
        story, _ = await companion.finished(place.chat)
        rejected, older = story.running.versions[-1], story.running.versions[-2]
        mine = f"{older.content}\nAda keeps the key."
        choose = companion.edits.edit_running_recap
        begun.append(mine)
        if not is_before:
            await choose(place.chat, mine, base=older.version)
        for _ in range(2):
            end = story.messages[story.scenes[-1].first + 1].anchor
            await companion.edits.scenes.mark(place.chat, end)
            if is_before and not is_chosen.is_set():
                assert await asyncio.to_thread(merging.wait, 20)
                await choose(place.chat, mine, base=older.version)
            is_chosen.set()
            story, _ = await companion.finished(place.chat)
    now = story.running.current
    assert now is not None
    assert "Ada keeps the key." in now.content
    assert now.scene_count > rejected.scene_count
    assert now.last_anchor == story.running.versions[-1].last_anchor
