"""Models and servers that misbehave, behind a whole run over the demo story.

Nothing is lost, nothing goes round in circles, and each failure is one sentence that helps.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.core.operations import OperationStatus
from app.core.paths import user_folders
from app.llm.backends import retries, streams
from app.llm.backends.streams import Limits
from app.story.messages import digest
from app.story.story import Story
from app.work.queue.useless_answers import USELESS_IN_A_ROW
from tests.fakes import MODEL, Behaviour, FakeLlm, RecordedRequest, Wire
from tests.labelled import WrittenTavern

Answer = str | Behaviour

LIMITS = Limits(first_seconds=0.4, idle_seconds=0.4, total_seconds=1.0)
TRIES = 3
# Only in a prompt that does nothing but fold; its text may quote any scene.
FOLD = "The scene that follows it, named"
BESIDE = "<earlier>"  # in one that recaps a scene, and folds an earlier one in
BAD_SCENE = 2  # the third
ENDLESS = 400  # requests, far more than any of these takes


def good(request: RecordedRequest) -> str:
    """An answer in the form asked for, other words for each prompt."""
    if FOLD in request.text:
        return json.dumps({"drop": [], "replace": [], "add": {}})
    event = f"Event {digest(request.text)[:12]} happened."
    answer = {"name": event[:18], "recap": {"developments": [event]}}
    if BESIDE in request.text:
        answer["changes"] = {"drop": [], "replace": [], "add": {}}
    return json.dumps(answer)


def endless(wire: Wire) -> None:
    wire.head()
    while wire.wait(0):
        wire.piece("and then, " * 200)


def drip(wire: Wire) -> None:
    """Never silent, never done."""
    wire.head()
    while wire.wait(0.05):
        wire.piece("x")


def silence(wire: Wire) -> None:
    wire.head()
    wire.piece('{"name": "')
    wire.wait(30)


def deaf(wire: Wire) -> None:
    wire.wait(30)


def reset(wire: Wire) -> None:
    wire.head()
    wire.piece('{"name": "The quay", "recap": {"developments": ["They')
    wire.reset()


def cut(wire: Wire) -> None:
    """Stopped at the length that was allowed, in the middle of the first sentence."""
    wire.head()
    wire.piece('{"name": "The quay", "recap": {"developments": ["They', finish_reason="length")
    wire.send(b"data: [DONE]\n\n")


def page(wire: Wire) -> None:
    wire.head(200, "text/html")
    wire.send(b"<!DOCTYPE html><html><body>Welcome to my router</body></html>")


def garbage(wire: Wire) -> None:
    wire.head()
    wire.send(bytes(range(256)) * 40)


def status(code: int, error: str = "because", **headers: str) -> Behaviour:
    def answer(wire: Wire) -> None:
        wire.head(code, "application/json", **headers)
        wire.send(json.dumps({"error": {"message": error}}).encode())

    return answer


def megabyte(wire: Wire) -> None:
    wire.head()
    for _ in range(16):
        wire.piece("word " * 13_000)
    wire.send(b"data: [DONE]\n\n")


# In the very form that was asked for.
GERMAN = json.dumps(
    {
        "name": "Am Kai",
        "recap": {
            "developments": ["Die beiden treffen sich am Kai und streiten um die alte Lampe."],
            "open": ["Wer hat das Boot von der Kette gelöst, und was war der Grund?"],
        },
    }
)

# What comes back for one scene, for ever, and how many requests that takes at most. First answers
# that cannot be used: the scene is recapped without the model then.
UNUSABLE: dict[str, tuple[Answer, int]] = {
    "malformed JSON": ('{"name": "The quay", "recap": [[[ "They, ]}', 2),
    "truncated JSON": (cut, 2),
    "nothing": ("", 2),
    "a refusal": ("I can't help with that.", 2),
    "prose": ("Sure! In this scene, the two of them meet and talk about the lamp.", 2),
    "another language": (GERMAN, 2),
    "JSON of its own": ('{"summary_of_events": {"chapter": {"beats": 7}}}', 2),
    "an empty recap": ('{"name": "The quay", "recap": {"developments": []}}', 2),
    "a megabyte of prose": (megabyte, 2),
    "an endless stream": (endless, 2),
    "bytes that are no stream": (garbage, 1),
}
# Then servers that give no answer.
UNANSWERED: dict[str, tuple[Answer, int]] = {
    "a web page": (page, 1),
    "a wrong key": (status(401), 1),
    "an unknown model": (status(404), 1),
    "no credit": (status(402), 1),
    "too long a prompt": (status(400, "This model's maximum context length is 100 tokens"), 3),
    "a full queue": (status(429, Retry_After="0"), TRIES),
    "a broken server": (status(500), TRIES),
    "a server that breaks off": (reset, TRIES),
    "silence": (deaf, TRIES),
    "silence midway": (silence, TRIES),
    "a drip without end": (drip, TRIES),
}
HOPELESS = UNUSABLE | UNANSWERED

# What passes: the answers for one scene before the good one.
PASSING: dict[str, tuple[Answer, ...]] = {
    "a rate limit": (status(429, Retry_After="0"),) * 2,
    "a hiccup": (status(500), status(503)),
    "a reset midway": (reset,),
    "an unusable answer": ("Certainly! They met.",),
    "silence once": (deaf,),
    "fences and a preamble": (),
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is waited for is short."""
    monkeypatch.setattr(streams, "Limits", lambda: LIMITS)
    monkeypatch.setattr(retries, "FIRST_DELAY_SECONDS", 0.01)
    monkeypatch.setattr(retries, "MAX_ATTEMPTS", TRIES)


class Run:
    """The demo story before a model that is good but for what is asked of one scene.

    script: answers for that scene, one after the other; the last one stays, None for good ones.
    """

    def __init__(self, tavern: WrittenTavern, data: Path) -> None:
        self.tavern, self.data = tavern, data
        self.script: list[Answer | None] = [None]
        self.words: list[str] = []
        self.asked: list[RecordedRequest] = []  # about that scene

    def reply(self, request: RecordedRequest) -> Answer:
        scene = request.text.rpartition("<scene>")[2]  # what came before may quote any other
        if FOLD in request.text or not any(words in scene for words in self.words):
            return good(request)
        self.asked.append(request)
        if len(self.asked) > ENDLESS:
            return good(request)  # who asks without end comes to one, and its test fails
        answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return good(request) if answer is None else answer

    @asynccontextmanager
    async def opened(self, model: FakeLlm) -> AsyncIterator[Companion]:
        async with open_companion(
            user_folders(self.data),
            tavern=self.tavern.user_folder,
            llm=f"openai:{MODEL}@{model.url}",
            watch=False,
        ) as companion:
            companion.settings.put("scene_detector", "heuristic")
            companion.work.pause()
            story = await companion.open_story(self.tavern.chat)
            scene = story.scenes[BAD_SCENE]
            messages = story.messages[scene.first : scene.last + 1]
            self.words = [longest_words(messages[0].text), longest_words(messages[-1].text)]
            yield companion

    async def finish(self, companion: Companion) -> tuple[Story, list[str]]:
        companion.work.resume()
        return await companion.finished(self.tavern.chat)


@pytest.fixture
def run(demo_tavern: WrittenTavern, tmp_path: Path) -> Run:
    return Run(demo_tavern, tmp_path / "own data")


def longest_words(text: str) -> str:
    """A stretch of a message that stands in a prompt as it stands in the chat."""
    found: list[str] = re.findall(r"[A-Za-z][A-Za-z ,']{20,}[a-z]", text)
    return max(found, key=len)


def recapped(story: Story) -> list[int]:
    return [i for i, scene in enumerate(story.scenes) if story.scene_recap(scene)]


def closed(story: Story) -> list[int]:
    return [i for i, scene in enumerate(story.scenes) if scene.closing]


def is_helpful(sentence: str) -> bool:
    """One or two plain sentences that say what failed, and then what to do."""
    is_plain = not re.search(r"[{}<>\[\]\\]|Traceback|Error\b|None\b", sentence)
    advice = r"[Tt]ry|[Cc]heck|[Cc]hoose|[Gg]ive|[Ww]ait|[Ss]horter|running there\?|credit|Enter"
    return is_plain and len(sentence) < 300 and bool(re.search(advice, sentence))


@pytest.mark.parametrize("name", HOPELESS)
@pytest.mark.pitfall(14)
@pytest.mark.weakness(55)
async def test_one_scene_that_gets_no_answer_costs_no_other_and_nothing_twice(
    run: Run, name: str
) -> None:
    bad, most = HOPELESS[name]
    run.script = [bad]
    with FakeLlm(run.reply) as model:
        async with run.opened(model) as companion:
            story, failures = await run.finish(companion)
            every = closed(story)
            recap = story.scene_recap(story.scenes[BAD_SCENE])
            folded = len(every) - 1 if name in UNUSABLE else BAD_SCENE
            assert recapped(story) == [i for i in every if i != BAD_SCENE or recap is not None]
            assert (recap is not None and "in place of" in recap.made_by) is (name in UNUSABLE)
            assert len(story.running.versions) == folded  # at most up to the gap
            assert len(failures) == 1
            assert is_helpful(failures[0]), failures[0]
            assert 1 <= len(run.asked) <= most
            assert len(model.requests) - len(run.asked) <= len(every) - 1 + folded
            # The server mends: asked again, everything is there.
            run.script, run.asked = [None], []
            await companion.work.retry_all()
            story, failures = await run.finish(companion)
            assert not failures
            assert recapped(story) == every
            assert len(run.asked) == 1
            mended = story.scene_recap(story.scenes[BAD_SCENE])
            assert mended is not None
            assert "Event" in mended.text


@pytest.mark.parametrize("name", PASSING)
async def test_what_passes_leaves_no_trace_but_the_requests_it_took(run: Run, name: str) -> None:
    answers = PASSING[name]
    run.script = [*answers, None]
    if name == "fences and a preamble":
        run.script = [f"Of course:\n```json\n{good(RecordedRequest('', {}, 0))}\n```\nEnjoy!"]
    with FakeLlm(run.reply) as model:
        async with run.opened(model) as companion:
            story, failures = await run.finish(companion)
    every = closed(story)
    assert not failures
    assert recapped(story) == every
    assert len(story.running.versions) == len(every) - 1
    # The newest scene is not folded in, the first is copied, and the others are folded in with the
    # recap of the next; by themselves only where that says nothing of them, or came before them
    # while another waited to be tried again.
    alone = len(model.requests) - len(every) - len(answers)
    assert 0 <= alone <= len(every) - 2


@pytest.mark.parametrize("name", HOPELESS)
async def test_a_failing_redo_loses_no_recap_that_was_there(run: Run, name: str) -> None:
    run.script = [None]
    with FakeLlm(run.reply) as model:
        async with run.opened(model) as companion:
            before, _ = await run.finish(companion)
            asked, run.asked = len(model.requests), []
            closing = before.scenes[BAD_SCENE].closing
            assert closing is not None
            run.script = [HOPELESS[name][0]]
            await companion.edits.redo_scene_recap(run.tavern.chat, closing.anchor)
            story, failures = await run.finish(companion)
    assert (story.recaps, story.running) == (before.recaps, before.running)
    assert len(failures) == 1
    assert len(model.requests) - asked == len(run.asked) <= HOPELESS[name][1]


@pytest.mark.parametrize(
    "name", [name for name in HOPELESS if not {"silence", "midway", "drip"} & set(name.split())]
)
@pytest.mark.weakness(36)
async def test_a_model_that_never_answers_well_comes_to_an_end(run: Run, name: str) -> None:
    bad, most = HOPELESS[name]
    with FakeLlm(lambda request: bad if len(model.requests) <= ENDLESS else good(request)) as model:
        async with run.opened(model) as companion:
            story, failures = await run.finish(companion)
            is_in_vain = bool(companion.work.in_vain)
            queued = companion.work.operations
            waits = {op.error for op in queued if op.status is OperationStatus.WAITING}
    assert len(model.requests) <= ENDLESS
    scenes = len(closed(story))
    made = [story.scene_recap(story.scenes[i]) for i in recapped(story)]
    assert all(recap is not None and "in place of" in recap.made_by for recap in made)
    assert 0 < len(made) <= USELESS_IN_A_ROW if name in UNUSABLE else not made
    # Nor does the model pass for the writer of what the first of them was copied into.
    assert all(version.is_stand_in for version in story.running.versions)
    assert failures
    if name in UNUSABLE:  # it asks the user whether to go on
        assert is_in_vain
        assert len(model.requests) <= USELESS_IN_A_ROW * most
    # What is tried again by itself leaves nothing to do.
    said = [sentence for sentence in failures if sentence not in waits]
    assert said
    assert all(is_helpful(sentence) for sentence in said), said
    assert len(model.requests) <= 2 * scenes * most
