"""A model that is asked where cues leave open what ends a scene: when, and what comes of it."""

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
from app.core.operations import OperationKind, OperationStatus
from app.core.paths import user_folders
from app.llm.writers.meter import RequestUse
from app.story.answers.task_answers import BreakAnswer
from app.story.break_search import BreakSearch
from app.story.scenes import BreakOrigin
from app.story.story import Story
from app.work.chats.cue_search import FAR
from app.work.jobs.model_breaks import settled
from app.work.planning.folding import covered_until
from tests.chat_files import message, save_like_sillytavern, write_chat
from tests.fakes import MODEL, FakeLlm, RecordedRequest

TALK = (
    '*She nods and turns her cup a little.* "Yes. I told you so."',
    '"You did." *He shrugs.* "I never listen, you know that."',
    '*She laughs.* "Nobody at this table ever does."',
    '"And the cup? Is it yours?"',
    '*She looks at it.* "It is now."',
    '*He grins.* "Then pour me one as well."',
)

SURE = '***\n\n*The next morning they meet at the harbour.* "You are late."'
NUMBERED = re.compile(r"^Message #(\d+) ", re.MULTILINE)
RECAP = json.dumps({"name": "Name", "recap": {"developments": ["Something happened."]}})

Answer = Callable[[dict[int, int]], str]


def later(room: str) -> str:
    """The first words of a scene that cues alone are not sure of."""
    return f'*Later, in the {room}, she pours the tea.* "Here."'


DOUBTFUL = later("kitchen")


def choosable(request: RecordedRequest) -> dict[int, int]:
    """Number of each message that may be chosen, by its index in the chat."""
    found = NUMBERED.finditer(request.text)
    blocks = [(int(m[1]), request.text[m.end() : m.end() + 200]) for m in found]
    return {int(i[1]): n for n, text in blocks if (i := re.search(r"\(no\. (\d+)\)", text))}


def ending_at(*places: int) -> Answer:
    """A sound model: names those of these messages that it may choose."""

    def answer(numbers: dict[int, int]) -> str:
        ends = [{"at": numbers[i], "rationale": "They part."} for i in places if i in numbers]
        return json.dumps({"sceneEnds": ends})

    return answer


class Model:
    """A server that answers questions about stretches as told and everything else soundly."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.llm = FakeLlm(self._reply)

    @property
    def asked(self) -> list[RecordedRequest]:
        return [request for request in self.llm.requests if "sceneEnds" in request.text]

    def _reply(self, request: RecordedRequest) -> str:
        return self.answer(choosable(request)) if "sceneEnds" in request.text else RECAP


class Chat:
    """A chat file of one long talk; `places` begin with another text."""

    def __init__(self, folder: Path, length: int, places: dict[int, str]) -> None:
        self.folder = folder
        self.places = places
        self.messages: list[dict[str, Any]] = []
        self.path = folder / "chat.jsonl"
        self.grow(length)

    def grow(self, length: int) -> None:
        for number in range(len(self.messages), length):
            text = self.places.get(number, TALK[number % len(TALK)])
            self.messages.append(message(number, f"{text} (no. {number})"))
        new = write_chat(self.folder / "new", self.messages)
        save_like_sillytavern(self.path, new.read_bytes())

    @asynccontextmanager
    async def opened(self, model: Model | None, **settings: Any) -> AsyncIterator[Companion]:
        llm = None if model is None else f"openai:{MODEL}@{model.llm.url}"
        async with open_companion(
            user_folders(self.folder / "own data"), llm=llm, watch=False
        ) as companion:
            for name, value in ({"memory_auto": False} | settings).items():
                companion.settings.put(name, value)
            yield companion

    async def settled(self, model: Model | None, **settings: Any) -> Story:
        async with self.opened(model, **settings) as companion:
            await companion.open_story(self.path)
            return await companion.settled(self.path)


def ends(story: Story) -> list[int]:
    return [scene.last for scene in story.scenes if scene.is_closed]


@pytest.fixture
def chat(tmp_path: Path) -> Chat:
    return Chat(tmp_path, 60, {20: DOUBTFUL, 42: SURE})


async def test_the_cues_alone_set_what_is_doubtful_and_what_is_sure(chat: Chat) -> None:
    assert ends(await chat.settled(None)) == [19, 41]


async def test_with_a_model_it_is_asked_from_the_start_and_its_word_on_doubts_counts(
    chat: Chat,
) -> None:
    model = Model(ending_at(28))
    with model.llm:
        story = await chat.settled(model)
    assert ends(story) == [28, 41]  # 19 was in doubt and is none, 28 is new, 41 was never asked
    assert len(model.asked) == 1
    assert 41 not in choosable(model.asked[0])
    mark = story.breaks[story.messages[28].anchor]
    assert (mark.origin, mark.rationale) == (BreakOrigin.MODEL, "They part.")
    assert all(story.scene_recap(scene) for scene in story.scenes if scene.is_closed)


async def test_what_the_model_confirms_stays_as_the_cues_found_it(chat: Chat) -> None:
    model = Model(ending_at(19))
    with model.llm:
        story = await chat.settled(model)
    assert ends(story) == [19, 41]
    assert story.breaks[story.messages[19].anchor].origin is BreakOrigin.HEURISTIC


async def test_nothing_is_asked_about_what_is_sure(tmp_path: Path) -> None:
    chat, model = Chat(tmp_path, 60, {42: SURE}), Model(ending_at(28))
    with model.llm:
        assert ends(await chat.settled(model)) == [41]
    assert model.asked == []


@pytest.mark.parametrize("off", [{"scene_detector": "heuristic"}, {"scene_breaks_auto": False}])
async def test_nothing_is_asked_where_the_user_says_so(chat: Chat, off: dict[str, Any]) -> None:
    model = Model(ending_at(28))
    with model.llm:
        await chat.settled(model, **off)
    assert model.asked == []


async def test_there_are_at_most_two_requests_for_100_messages(tmp_path: Path) -> None:
    doubts = dict.fromkeys(range(12, 400, 13), DOUBTFUL)
    chat, model = Chat(tmp_path, 30, doubts), Model(ending_at())
    with model.llm:
        async with chat.opened(model) as companion:
            for length in (30, 55, 56, 70, 100, 101, 180, 260):
                chat.grow(length)
                await companion.open_story(chat.path)
                await companion.settled(chat.path)
                assert len(model.asked) <= -(-length // 50)
    assert 4 <= len(model.asked) <= 6
    shown = [index for request in model.asked for index in choosable(request)]
    assert len(shown) == len(set(shown))  # nothing is asked twice


async def test_the_cap_of_the_day_counts_the_questions_and_holds_them_back(chat: Chat) -> None:
    model = Model(ending_at(28))
    with model.llm:
        async with chat.opened(model, daily_cap=1, scene_recaps_auto=False) as companion:
            companion.use._is_held = True  # as where SillyTavern is followed
            await companion.use.took(RequestUse("trial", "m", 1, 1))
            story = await companion.open_story(chat.path)
            for _ in range(3_000):
                if companion.work.held_back:
                    break
                await asyncio.sleep(0.01)
            kinds = {operation.spec.kind for operation in companion.work.held_back}
            assert kinds == {OperationKind.DETECT_BREAKS}
            assert (model.asked, ends(story)) == ([], [19, 41])
            before = companion.use.cap.spent.requests
            await companion.use.go_on_today()
            story = await companion.settled(chat.path)
            assert companion.use.cap.spent.requests == before + 1 == before + len(model.asked)
    assert ends(story) == [28, 41]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I would rather not say.",
        "{",
        '{"sceneEnds": "soon"}',
        '{"sceneEnds": [{"at": 9999}]}',
        '{"sceneEnds": [{"at": 42, "rationale": "The *** at the end."}, {"at": -3}, {}]}',
        '{"scenes": []}',
        "[" * 5000,
    ],
)
async def test_a_bad_answer_loses_nothing_and_is_not_asked_for_again(
    chat: Chat, answer: str
) -> None:
    model = Model(lambda numbers: answer)
    with model.llm:
        assert ends(await chat.settled(model)) == [19, 41]
        assert len(model.asked) == 1
        async with chat.opened(model) as companion:
            await companion.open_story(chat.path)
            story, failures = await companion.finished(chat.path)
    assert (ends(story), failures, len(model.asked)) == ([19, 41], [], 1)


async def test_breaks_that_the_user_set_moved_or_removed_are_never_touched(
    tmp_path: Path,
) -> None:
    places = {20: DOUBTFUL, 40: SURE, 55: SURE.replace("harbour", "mill")}
    chat = Chat(tmp_path, 90, places)
    async with chat.opened(None) as companion:
        await companion.open_story(chat.path)
        story = await companion.settled(chat.path)
        assert ends(story) == [19, 39, 54]
        anchors = [each.anchor for each in story.messages]
        edits = companion.edits.scenes
        await edits.rename(chat.path, anchors[19], "My own name")
        await edits.mark(chat.path, anchors[28])
        await edits.move(chat.path, anchors[39], anchors[44])
        await edits.hide(chat.path, anchors[54])
        mine = dict((await companion.settled(chat.path)).breaks)
    model = Model(ending_at(18, 21, 27, 29, 39, 43, 45, 53, 54, 55))
    with model.llm:
        story = await chat.settled(model)
    assert len(model.asked) == 1
    assert {anchor: story.breaks[anchor] for anchor in mine} == mine
    assert ends(story) == [19, 28, 44]


async def test_a_break_by_hand_that_is_set_while_the_model_thinks_wins(chat: Chat) -> None:
    is_marked = threading.Event()

    def answer(numbers: dict[int, int]) -> str:
        assert is_marked.wait(15)
        return ending_at(28)(numbers)

    model = Model(answer)
    with model.llm:
        async with chat.opened(model, scene_recaps_auto=False) as companion:
            story = await companion.open_story(chat.path)
            await asyncio.to_thread(model.llm.wait_for_request, 0)
            await companion.edits.scenes.mark(chat.path, story.messages[27].anchor)
            await companion.edits.scenes.mark(chat.path, story.messages[19].anchor)
            is_marked.set()
            story = await companion.settled(chat.path)
    assert ends(story) == [19, 27, 41]


async def test_a_message_that_comes_meanwhile_asks_nothing_twice(tmp_path: Path) -> None:
    """Mine and the reply came one after the other: "#62–86" and "#62–87", both paid for."""
    goes_on = threading.Event()

    def answer(numbers: dict[int, int]) -> str:
        assert goes_on.wait(15)
        return ending_at(19)(numbers)

    chat, model = Chat(tmp_path, 49, {20: DOUBTFUL}), Model(answer)
    with model.llm:
        async with chat.opened(model, scene_recaps_auto=False) as companion:
            await companion.open_story(chat.path)
            await asyncio.to_thread(model.llm.wait_for_request, 0)
            for length in (50, 51):
                chat.grow(length)
                await companion.open_story(chat.path)
            asked = [op.spec.label for op in companion.work.operations]
            goes_on.set()
            story = await companion.settled(chat.path)
    assert asked == ["Ask where scenes end in #16–40"]
    assert (len(model.asked), ends(story)) == (1, [19])


async def test_recaps_of_scenes_in_doubt_wait_for_the_answer(chat: Chat) -> None:
    model = Model(ending_at(28))
    with model.llm:
        await chat.settled(model)
    kinds = ["sceneEnds" in request.text for request in model.llm.requests]
    assert kinds[0]
    told = [request.text for request in model.llm.requests[1:]]
    assert not any("(no. 19)" in text and "(no. 28)" not in text for text in told)


async def test_a_scene_that_is_ended_by_hand_is_recapped_while_a_search_waits_for_a_word(
    tmp_path: Path,
) -> None:
    """Nothing came, and nothing said why: the search had not been said yes to."""
    chat, model = Chat(tmp_path, 160, {20: DOUBTFUL, 90: DOUBTFUL}), Model(ending_at(28))
    llm = f"openai:{MODEL}@{model.llm.url}"
    data = user_folders(tmp_path / "own")
    with model.llm:
        async with open_companion(data, llm=llm, watch=False, asks_first=True) as companion:
            story = await companion.open_story(chat.path)
            assert companion.work.catch_up(chat.path) is not None
            by_cues, by_hand = (story.messages[at].anchor for at in (19, 70))
            await companion.edits.scenes.mark(chat.path, by_hand)
            after = await companion.settled(chat.path)
            assert not model.asked
            told = {mark for mark in (by_cues, by_hand) if after.recaps.get(mark)}
            assert told == {by_hand}
            why = companion.work.why_unwritten(chat.path, by_cues)
            assert why.startswith("It waits for your decision")


async def test_a_scene_without_a_recap_says_what_that_waits_for(chat: Chat) -> None:
    model = Model(ending_at())
    with model.llm:
        async with chat.opened(model) as companion:
            companion.work.pause()
            story = await companion.open_story(chat.path)
            anchor = story.messages[19].anchor
            why = companion.work.why_unwritten(chat.path, anchor)
            assert why.startswith("Waits for “Ask where scenes end in ")
            companion.settings.put("scene_recaps_auto", False)
            companion.work.resume()
            await companion.put_setting("scene_minimum_length", 3)
            why = companion.work.why_unwritten(chat.path, anchor)
            assert "scenes are not recapped automatically" in why


async def test_a_question_whose_answer_was_of_no_use_says_so_and_what_it_cost(chat: Chat) -> None:
    """Its row said that it was done, without a token, while the day's sum rose by them."""
    model = Model(lambda _: "They part somewhere, who knows.")
    with model.llm:
        async with chat.opened(model) as companion:
            await companion.open_story(chat.path)
            await companion.settled(chat.path)
            asked = [
                operation
                for operation in companion.work.operations
                if operation.spec.kind is OperationKind.DETECT_BREAKS
            ]
            assert asked
            for operation in asked:
                assert operation.status is OperationStatus.DONE
                assert "the model answered" in operation.error
                assert operation.prompt_tokens > 0


@pytest.mark.parametrize("is_made_anew", [False, True])
async def test_clearing_all_and_undo_leaves_hidden_what_a_search_had_refuted(
    tmp_path: Path, is_made_anew: bool
) -> None:
    """Breaks that a model had seen none at came back as real ones, and their recaps were paid."""
    doubts = {12: DOUBTFUL, 33: later("garden"), 57: later("library"), 80: later("cellar")}
    length = FAR + 60  # so long that cues are searched for beside all else
    chat = Chat(tmp_path, length, doubts | {100: SURE})
    model = Model(ending_at(28, 70))
    with model.llm:
        async with chat.opened(model) as companion:
            await companion.open_story(chat.path)
            before = await companion.settled(chat.path)
            assert [mark.is_visible for mark in before.breaks.values()].count(False) >= 3
            await companion.edits.clear_all(chat.path)
            if is_made_anew:
                assert (await companion.settled(chat.path)).recaps
            await companion.edits.undo(chat.path)
            asked = len(model.llm.requests)
            after = await companion.settled(chat.path)
            assert (after.breaks, after.scenes) == (before.breaks, before.scenes)
            assert (after.recaps, after.running) == (before.recaps, before.running)
            assert len(model.llm.requests) == asked


async def test_a_branch_of_a_chat_that_was_asked_about_is_not_asked_about_again(
    chat: Chat,
) -> None:
    """The branch ended within the stretch of the question: it was paid twice, and cut a scene."""
    useless = Model(lambda _: "They part somewhere, who knows.")
    with useless.llm:
        before = await chat.settled(useless, scene_recaps_auto=False)
    branch = chat.path.with_name("branch.jsonl")
    header = {"chat_metadata": {"integrity": "other", "main_chat": chat.path.stem}}
    write_chat(branch, chat.messages[:54], header)
    sound = Model(ending_at(30))
    with sound.llm:
        async with chat.opened(sound, scene_recaps_auto=False) as companion:
            await companion.open_story(branch)
            after = await companion.settled(branch)
    assert useless.asked
    assert not sound.asked
    assert ends(after) == ends(before) == [19, 41]


async def test_a_scene_that_is_folded_in_while_the_model_answers_is_not_cut(
    tmp_path: Path,
) -> None:
    chat = Chat(tmp_path, 60, {20: DOUBTFUL, 42: SURE})
    async with chat.opened(None) as companion:
        await companion.open_story(chat.path)
        story = await companion.settled(chat.path)
    assert covered_until(story) == 19
    search = BreakSearch(tuple(range(60)), 4, 55, frozenset(), takes_several=True)
    answers = [BreakAnswer(place) for place in (9, 19, 30, 41)]
    changed = settled(story, story.breaks, search, answers, 3)
    assert [story.places.get(mark.anchor) for mark in changed] == [30]
