"""A model as the finder of scene breaks: what it is asked, how often, and what comes of it."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.companion import Companion, open_companion
from app.core.errors import UsageError
from app.core.paths import user_folders
from app.story.scenes import BreakOrigin
from app.story.story import Story
from tests.chat_files import message, save_like_sillytavern, write_chat
from tests.fakes import MODEL, FakeLlm, RecordedRequest

LENGTH = 60
CHOOSABLE = re.compile(r"^Message #(\d+) \[\w+\] \w+: This is message (\d+)\.", re.MULTILINE)
RECAP = json.dumps({"name": "Name", "recap": {"developments": ["Something happened."]}})

Answer = Callable[[dict[int, int]], Any]


def is_search(request: RecordedRequest) -> bool:
    return "sceneBreakAt" in request.text


def choosable(request: RecordedRequest) -> dict[int, int]:
    """Number in the request of each message that may be chosen, by its index in the chat."""
    return {int(index): int(number) for number, index in CHOOSABLE.findall(request.text)}


def at(*places: int) -> Answer:
    """A sound model: the first of these messages that it may choose, else none."""

    def answer(numbers: dict[int, int]) -> Any:
        return next((numbers[place] for place in places if place in numbers), False)

    return answer


def first_allowed(numbers: dict[int, int]) -> Any:
    return min(numbers.values())


def none_ever(numbers: dict[int, int]) -> Any:
    return False


def out_of_range(numbers: dict[int, int]) -> Any:
    return max(numbers.values()) + 1


def rambling(numbers: dict[int, int]) -> Any:
    return None


class Model:
    """A server that answers searches as told and everything else soundly."""

    def __init__(self, answer: Answer, rationale: str = "They part.") -> None:
        self.answer = answer
        self.rationale = rationale
        self.llm = FakeLlm(self._reply)

    @property
    def searches(self) -> list[RecordedRequest]:
        return [request for request in self.llm.requests if is_search(request)]

    def _reply(self, request: RecordedRequest) -> str:
        if not is_search(request):
            return RECAP
        place = self.answer(choosable(request))
        if place is None:
            return "Well, let me think about these messages again. " * 200
        return json.dumps({"sceneBreakAt": place, "rationale": self.rationale})


class Chat:
    """A chat file, and a companion for it as often as one is opened."""

    def __init__(self, folder: Path, length: int = LENGTH) -> None:
        self.folder = folder
        self.messages = [message(number) for number in range(length)]
        self.path = write_chat(folder / "chat.jsonl", self.messages)

    def save(self) -> None:
        save_like_sillytavern(
            self.path, write_chat(self.folder / "new", self.messages).read_bytes()
        )

    def grow(self, length: int) -> None:
        self.messages += [message(number) for number in range(len(self.messages), length)]
        self.save()

    @asynccontextmanager
    async def opened(
        self, model: Model | None, *, asks_first: bool = False, **settings: Any
    ) -> AsyncIterator[Companion]:
        llm = None if model is None else f"openai:{MODEL}@{model.llm.url}"
        async with open_companion(
            user_folders(self.folder / "own data"), llm=llm, watch=False, asks_first=asks_first
        ) as companion:
            searching = {"scene_detector": "model", "scene_breaks_on_load": True}
            for name, value in (searching | settings).items():
                companion.settings.put(name, value)
            yield companion

    async def searched(self, model: Model, **settings: Any) -> Story:
        async with self.opened(model, **settings) as companion:
            await companion.open_story(self.path)
            return await companion.settled(self.path)


@pytest.fixture
def chat(tmp_path: Path) -> Chat:
    return Chat(tmp_path)


def ends(story: Story) -> list[int]:
    return [scene.last for scene in story.scenes if scene.is_closed]


async def test_a_sound_model_sets_its_breaks_and_their_scenes_are_recapped(chat: Chat) -> None:
    model = Model(at(11, 23, 40))
    with model.llm:
        story = await chat.searched(model)
    assert ends(story) == [11, 23, 40]
    origins = {mark.origin for mark in story.breaks.values()}
    assert origins == {BreakOrigin.MODEL}
    assert {mark.rationale for mark in story.breaks.values()} == {"They part."}
    assert all(story.scene_recap(scene) for scene in story.scenes if scene.is_closed)
    assert len(model.searches) <= 8


@pytest.mark.parametrize("answer", [none_ever, first_allowed, out_of_range, rambling])
async def test_the_requests_stay_below_what_was_said_beforehand(chat: Chat, answer: Answer) -> None:
    model = Model(answer)
    with model.llm:
        async with chat.opened(model, scene_breaks_on_load=False) as companion:
            await companion.open_story(chat.path)
            cost = companion.breaks.cost(chat.path)
            await companion.breaks.begin(chat.path)
            story = await companion.settled(chat.path)
            assert companion.breaks.cost(chat.path).requests == 0
    assert 0 < len(model.searches) <= cost.requests_at_most
    assert bool(ends(story)) == (answer is first_allowed)
    assert all(scene.length >= 3 for scene in story.scenes if scene.is_closed)


async def test_a_break_for_a_mere_decision_is_vetoed_and_the_rest_asked_about(chat: Chat) -> None:
    model = Model(first_allowed, "They made a decision.")
    with model.llm:
        async with chat.opened(model, scene_breaks_on_load=False) as companion:
            await companion.open_story(chat.path)
            cost = companion.breaks.cost(chat.path)
            await companion.breaks.begin(chat.path)
            story = await companion.settled(chat.path)
            assert companion.breaks.cost(chat.path).requests == 0
    assert ends(story) == []
    firsts = [min(choosable(request)) for request in model.searches]
    # One that was vetoed and the two behind it, which show no change, are not asked about again.
    assert firsts == list(range(firsts[0], firsts[-1] + 1, 3))
    assert len(firsts) <= cost.requests_at_most


async def test_layout_as_evidence_is_refused_twice_and_then_no_break(chat: Chat) -> None:
    model = Model(at(11), "The *** at the end.")
    with model.llm:
        story = await chat.searched(model)
    assert ends(story) == []
    assert len([r for r in model.searches if 11 in choosable(r)]) >= 2
    assert any("lines, stars or headings" in request.text for request in model.searches)


async def test_an_answer_that_was_not_to_be_given_is_asked_for_once_more_and_then_none(
    chat: Chat,
) -> None:
    model = Model(out_of_range)
    with model.llm:
        story = await chat.searched(model)
        assert ends(story) == []
        asked = [tuple(choosable(request)) for request in model.searches]
        assert all(asked.count(numbers) == 2 for numbers in asked)
        async with chat.opened(model) as companion:
            await companion.open_story(chat.path)
            _, failures = await companion.finished(chat.path)
    assert failures == []


@pytest.mark.parametrize("answer", [none_ever, at(11, 23, 40), out_of_range])
async def test_nothing_is_asked_twice_after_a_restart(chat: Chat, answer: Answer) -> None:
    model = Model(answer)
    with model.llm:
        before = await chat.searched(model)
        asked = len(model.llm.requests)
        story = await chat.searched(model)
        assert len(model.llm.requests) == asked
        assert ends(story) == ends(before)
        async with chat.opened(model) as companion:
            await companion.open_story(chat.path)
            await companion.breaks.begin(chat.path)
            await companion.settled(chat.path)
        assert len(model.llm.requests) == asked


async def test_an_edit_opens_its_range_again(chat: Chat) -> None:
    model = Model(none_ever)
    with model.llm:
        await chat.searched(model)
        asked = len(model.searches)
        chat.messages[20]["mes"] = "This is message 20. The next morning, elsewhere."
        chat.save()
        model.answer = at(20)
        story = await chat.searched(model)
    assert ends(story) == [20]
    again = model.searches[asked:]
    assert 0 < len(again) <= asked + 2
    assert all("elsewhere" in request.text for request in again[:1])


@pytest.mark.weakness(34)
async def test_new_messages_are_asked_about_in_batches_and_old_ones_not_again(chat: Chat) -> None:
    model = Model(none_ever)
    with model.llm:
        async with chat.opened(model, scene_breaks_on_load=False) as companion:
            await companion.open_story(chat.path)
            await companion.settled(chat.path)
            assert model.searches == []
            chat.grow(LENGTH + 1)
            await companion.open_story(chat.path)
            await companion.settled(chat.path)
            asked = len(model.searches)
            assert asked > 0
            for length, more in ((LENGTH + 4, 0), (LENGTH + 5, 1)):
                chat.grow(length)
                await companion.open_story(chat.path)
                await companion.settled(chat.path)
                assert len(model.searches) == asked + more
    # The newest eight cannot be chosen.
    assert list(choosable(model.searches[-1])) == [53, 54, 55, 56]


async def test_a_break_by_hand_that_is_set_while_the_model_thinks_wins(chat: Chat) -> None:
    is_marked = threading.Event()

    def answer(numbers: dict[int, int]) -> Any:
        assert is_marked.wait(15)
        return numbers.get(11, False)

    model = Model(answer)
    with model.llm:
        async with chat.opened(model) as companion:
            story = await companion.open_story(chat.path)
            await asyncio.to_thread(model.llm.wait_for_request, 0)
            await companion.edits.scenes.mark(chat.path, story.messages[10].anchor)
            is_marked.set()
            story = await companion.settled(chat.path)
    assert ends(story) == [10]


async def test_a_removed_break_is_never_set_again(chat: Chat) -> None:
    model = Model(at(11, 23, 40))
    with model.llm:
        async with chat.opened(model) as companion:
            await companion.open_story(chat.path)
            story = await companion.settled(chat.path)
            await companion.edits.scenes.hide(chat.path, story.messages[23].anchor)
            await companion.breaks.begin(chat.path)
            assert ends(await companion.settled(chat.path)) == [11, 40]
            chat.messages[22]["mes"] = "This is message 22. Changed."
            chat.save()
            await companion.open_story(chat.path)
            assert ends(await companion.settled(chat.path)) == [11, 40]
    assert all(23 not in choosable(request) for request in model.searches[-1:])


async def test_what_a_search_found_is_taken_back_in_one_step(chat: Chat) -> None:
    model = Model(at(11, 23, 40))
    with model.llm:
        async with chat.opened(model, scene_detector="heuristic") as companion:
            before = await companion.open_story(chat.path)
            before = await companion.settled(chat.path)
            await companion.breaks.begin(chat.path)
            assert ends(await companion.settled(chat.path)) == [11, 23, 40]
            asked = len(model.searches)
            assert await companion.edits.undo(chat.path) == "scene breaks found by the model"
            story = await companion.settled(chat.path)
            assert (story.scenes, story.breaks) == (before.scenes, before.breaks)
            assert await companion.edits.undo_labels(chat.path) == (
                "",
                "scene breaks found by the model",
            )
            assert await companion.edits.redo(chat.path) == "scene breaks found by the model"
            assert ends(await companion.settled(chat.path)) == [11, 23, 40]
    assert len(model.searches) == asked


async def test_a_search_that_is_taken_back_half_way_sets_no_more(chat: Chat) -> None:
    is_undone = threading.Event()

    def answer(numbers: dict[int, int]) -> Any:
        if 11 in numbers:
            return numbers[11]
        assert is_undone.wait(15)
        return min(numbers.values())

    model = Model(answer)
    with model.llm:
        async with chat.opened(model, scene_detector="heuristic", scene_recaps_auto=False) as own:
            before = await own.open_story(chat.path)
            await own.breaks.begin(chat.path)
            await asyncio.to_thread(model.llm.wait_for_request, 1)
            assert await own.edits.undo(chat.path) == "scene breaks found by the model"
            is_undone.set()
            assert (await own.settled(chat.path)).breaks == before.breaks
            assert (await own.edits.undo_labels(chat.path))[0] == ""


async def test_with_both_ways_the_model_is_asked_only_where_cues_find_nothing_for_long(
    tmp_path: Path,
) -> None:
    chat = Chat(tmp_path, 30)
    model = Model(at(12))
    with model.llm:
        story = await chat.searched(model, scene_detector="both", scene_break_stretch=40)
        assert (ends(story), model.searches) == ([], [])
        chat.grow(45)
        story = await chat.searched(model, scene_detector="both", scene_break_stretch=40)
    assert ends(story) == [12]


async def test_the_built_in_way_finds_breaks_by_cues_whatever_is_set(chat: Chat) -> None:
    chat.messages[20]["mes"] = "They said goodbye and she walked out into the night. The end."
    chat.messages[21]["mes"] = "***\n\nThe next morning, three days later, in another town."
    chat.save()
    async with chat.opened(None) as companion:
        await companion.open_story(chat.path)
        story = await companion.settled(chat.path)
        assert companion.breaks.cost(chat.path).requests == 0
        with pytest.raises(UsageError, match="built-in"):
            await companion.breaks.begin(chat.path)
    assert {mark.origin for mark in story.breaks.values()} == {BreakOrigin.HEURISTIC}


async def test_a_long_search_waits_for_the_users_word_and_says_what_it_takes(
    tmp_path: Path,
) -> None:
    chat = Chat(tmp_path, 200)
    model = Model(none_ever)
    with model.llm:
        async with chat.opened(model, asks_first=True) as companion:
            await companion.open_story(chat.path)
            await companion.settled(chat.path)
            assert model.searches == []
            plan = companion.work.catch_up(chat.path)
            assert plan is not None
            assert plan.requests == plan.search.requests > 3
            assert plan.prompt_tokens > 0
            await companion.work.start_catch_up(chat.path)
            await companion.settled(chat.path)
            assert companion.work.catch_up(chat.path) is None
    assert 0 < len(model.searches) <= plan.search.requests


async def test_a_branch_knows_what_was_searched(chat: Chat) -> None:
    model = Model(none_ever)
    with model.llm:
        await chat.searched(model)
        asked = len(model.searches)
        branch = chat.path.with_name("branch.jsonl")
        header = {"chat_metadata": {"integrity": "other", "main_chat": chat.path.stem}}
        write_chat(branch, chat.messages[:50], header)
        async with chat.opened(model) as companion:
            await companion.open_story(branch)
            await companion.settled(branch)
    assert len(model.searches) == asked
