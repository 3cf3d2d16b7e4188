"""Both writers, from messages to a recap that can be kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import AnswerUnusable, BackendRefused, PromptTooLong
from app.languages import load_packs
from app.llm.backends.backend import Answer, Request
from app.llm.prompts.prompt_files import SHIPPED, load_prompts
from app.llm.writers.asking import Asker
from app.llm.writers.builtin import BuiltinWriter
from app.llm.writers.factory import make_writer
from app.llm.writers.model_writer import ModelWriter
from app.llm.writers.writer import Merge, SceneDraft
from app.prompt.tokens import estimate_tokens
from app.story.answers.task_answers import BreakAnswer
from app.story.messages import Message, MessageKind, digest

SCENE_ANSWER = json.dumps(
    {
        "name": "The Inn",
        "recap": {"developments": ["Ann left."], "open": [], "state": ["Bo waits."]},
    }
)
GERMAN = json.dumps(
    {"recap": {"developments": ["Ann ging aus dem Haus, und die beiden haben sich nicht gesehen."]}}
)
ENGLISH = "She was in the house when he came to the door, and they had not seen her."
RUNNING_ANSWER = json.dumps({"recap": {"developments": ["Both."], "open": [], "state": []}})


class ScriptedBackend:
    """Answers from a list; the last answer stays."""

    label = "scripted"
    spec = "ollama:scripted"

    def __init__(self, *answers: str | Exception, context_tokens: int = 8192) -> None:
        self.context_tokens = context_tokens
        self.requests: list[Request] = []
        self._answers = list(answers)

    async def generate(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        if on_text is not None:
            on_text(answer)
        return Answer(answer, prompt_tokens=10, output_tokens=3)

    async def aclose(self) -> None: ...


def messages(count: int, text: str = "Something was done here by someone.") -> list[Message]:
    return [
        Message(str(i), digest(f"{text} {i}"), "Ann" if i % 2 else "Bo", f"{text} {i}", bool(i % 2))
        for i in range(count)
    ]


def writer_of(backend: ScriptedBackend) -> ModelWriter:
    return ModelWriter(Asker(backend, count_tokens=estimate_tokens), load_prompts())


async def test_a_scene_becomes_a_name_and_headed_blocks() -> None:
    backend = ScriptedBackend(SCENE_ANSWER)
    heard: list[str] = []
    written = await writer_of(backend).scene_recap(
        messages(3), previous="Before.", tokens=200, on_text=heard.append
    )
    assert written.value == SceneDraft("The Inn", "DEVELOPMENTS\nAnn left.\n\nSTATE\nBo waits.")
    assert (written.prompt_tokens, written.output_tokens) == (10, 3)
    assert heard == ["DEVELOPMENTS\nAnn left.\n\nSTATE\nBo waits."]
    (request,) = backend.requests
    assert "[CHARACTER: Bo]\nSomething" in request.prompt
    assert "[USER: Ann]\n" in request.prompt
    assert "Before." in request.prompt


async def test_the_system_part_is_the_same_for_each_scene() -> None:
    backend = ScriptedBackend(SCENE_ANSWER)
    writer = writer_of(backend)
    await writer.scene_recap(messages(3), previous="", tokens=200)
    await writer.scene_recap(messages(5, "Else."), previous="x", tokens=300)
    assert backend.requests[0].system == backend.requests[1].system


async def test_notices_are_not_sent() -> None:
    backend = ScriptedBackend(SCENE_ANSWER)
    notice = Message("n", "n", "System", "Chat was renamed.", kind=MessageKind.NOTICE)
    await writer_of(backend).scene_recap([*messages(2), notice], previous="", tokens=100)
    assert "renamed" not in backend.requests[0].prompt


@pytest.mark.parametrize("context", [3000, 4096, 8192])
async def test_no_request_goes_beyond_the_context(context: int) -> None:
    backend = ScriptedBackend(*[SCENE_ANSWER, RUNNING_ANSWER] * 400, context_tokens=context)
    long = [
        *messages(200, "A long walk through the old town and its markets."),
        *messages(1, "w " * 30_000),
    ]
    written = await writer_of(backend).scene_recap(long, previous="p. " * 9000, tokens=300)
    assert written.value.text
    assert len(backend.requests) > 2
    for request in backend.requests:
        needed = estimate_tokens(request.system) + estimate_tokens(request.prompt)
        assert needed + request.max_output_tokens <= context


@pytest.mark.pitfall(35)
async def test_each_message_of_a_long_scene_is_read_once() -> None:
    backend = ScriptedBackend(*[SCENE_ANSWER, SCENE_ANSWER], context_tokens=3000)
    scene = messages(120, "A long walk through the old town and its markets, number")
    await writer_of(backend).scene_recap(scene, previous="", tokens=300)
    sent = "\n".join(r.prompt for r in backend.requests if "<scene>\n[" in r.prompt)
    for message in scene:
        assert sent.count(message.text + "\n") == 1


async def test_an_answer_that_says_nothing_is_asked_for_once_more() -> None:
    backend = ScriptedBackend("", SCENE_ANSWER)
    written = await writer_of(backend).scene_recap(messages(2), previous="", tokens=100)
    assert written.value.name == "The Inn"
    assert (written.prompt_tokens, written.output_tokens) == (20, 6)
    first, second = backend.requests
    assert second.prompt.startswith(first.prompt)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("", "No recap: the model answered with nothing, twice."),
        ("I cannot do that.", "No recap: the model answered with text in a different form"),
        ('{"recap": {}}', "No recap: the model answered with an empty recap, twice."),
    ],
)
async def test_two_useless_answers_are_a_failure_with_a_sentence(
    answer: str, sentence: str
) -> None:
    backend = ScriptedBackend(answer)
    with pytest.raises(AnswerUnusable) as caught:
        await writer_of(backend).scene_recap(messages(2), previous="", tokens=100)
    assert str(caught.value).startswith(sentence)
    assert len(backend.requests) == 2


async def test_a_recap_in_another_language_is_asked_for_once_more_where_the_prompt_is_ours(
    tmp_path: Path,
) -> None:
    shutil.copy(SHIPPED / "scene_recap.md", tmp_path)
    for prompts, asked in ((load_prompts(), 2), (load_prompts(tmp_path), 1)):
        backend = ScriptedBackend(GERMAN, SCENE_ANSWER)
        writer = ModelWriter(
            Asker(backend, count_tokens=estimate_tokens, packs=load_packs()), prompts
        )
        written = await writer.scene_recap(messages(3, ENGLISH), previous="", tokens=200)
        assert len(backend.requests) == asked
        assert ("Ann left." in written.value.text) is (asked == 2)
        assert ("in another language" in backend.requests[-1].prompt) is (asked == 2)


async def test_a_fault_of_the_backend_passes_through() -> None:
    backend = ScriptedBackend(BackendRefused("no"))
    with pytest.raises(BackendRefused):
        await writer_of(backend).scene_recap(messages(2), previous="", tokens=100)
    assert len(backend.requests) == 1


async def test_a_prompt_that_is_too_long_is_made_shorter() -> None:
    backend = ScriptedBackend(PromptTooLong("too long"), SCENE_ANSWER)
    await writer_of(backend).scene_recap(messages(2), previous="p.\n" * 9000, tokens=100)
    first, second = backend.requests
    assert len(second.prompt) < len(first.prompt)


async def test_a_context_that_is_far_too_small_is_refused() -> None:
    backend = ScriptedBackend(SCENE_ANSWER, context_tokens=600)
    with pytest.raises(BackendRefused, match="too small"):
        await writer_of(backend).scene_recap(messages(2), previous="", tokens=100)


async def test_a_scene_is_merged_into_the_running_recap() -> None:
    backend = ScriptedBackend(RUNNING_ANSWER)
    written = await writer_of(backend).running_recap(Merge("Old.", "The Inn", "New.", tokens=100))
    assert written.value == "DEVELOPMENTS\nBoth."
    assert all(part in backend.requests[0].prompt for part in ("Old.", "The Inn", "New.", "100"))


@pytest.mark.weakness(54)
@pytest.mark.real_model(1)
async def test_a_running_recap_is_cut_only_far_beyond_its_room_and_says_so() -> None:
    items = [f"Deed number {i} was done." for i in range(200)]
    answer = json.dumps({"recap": {"developments": items, "state": ["Now."]}})
    written = await writer_of(ScriptedBackend(answer)).running_recap(
        Merge("Old.", "S", "x", tokens=80)
    )
    assert 80 < estimate_tokens(written.value) <= 120
    assert written.value.endswith("STATE\nNow.")
    assert items[-1] in written.value
    assert written.left_out == len([item for item in items if item not in written.value])


async def test_a_message_becomes_a_sentence() -> None:
    backend = ScriptedBackend('"Ann sold the boat."')
    before = messages(9)
    written = await writer_of(backend).message_recap(messages(1)[0], context=before)
    assert written.value == "Ann sold the boat."
    assert before[-1].text in backend.requests[0].prompt
    assert not backend.requests[0].json


async def test_a_break_is_an_index_among_the_eligible() -> None:
    backend = ScriptedBackend('{"sceneBreakAt": 4, "rationale": "dawn"}')
    written = await writer_of(backend).find_break(messages(8), first=2, last=5)
    assert written.value == BreakAnswer(3, "dawn")
    prompt = backend.requests[0].prompt
    assert "Message #3 [CHARACTER] Bo:" in prompt
    assert "Message #2 " not in prompt
    assert "Message #7 " not in prompt
    assert prompt.count("Message invalid choice") == 4
    assert "#3 to #6" in prompt


async def test_no_break_is_none() -> None:
    backend = ScriptedBackend('{"sceneBreakAt": false, "rationale": "same room"}')
    assert (await writer_of(backend).find_break(messages(8))).value.place is None


async def test_where_no_message_is_eligible_nothing_is_asked() -> None:
    backend = ScriptedBackend("x")
    assert (await writer_of(backend).find_break(messages(3), first=3)).value.place is None
    assert backend.requests == []


@pytest.mark.weakness(13)
async def test_a_break_at_an_ineligible_message_is_refused() -> None:
    backend = ScriptedBackend('{"sceneBreakAt": 1}')
    with pytest.raises(AnswerUnusable, match="No scene break"):
        await writer_of(backend).find_break(messages(8), first=2)
    assert len(backend.requests) == 2


async def test_a_barred_message_is_read_and_cannot_be_chosen() -> None:
    backend = ScriptedBackend('{"sceneBreakAt": 4}', '{"sceneBreakAt": 5}')
    written = await writer_of(backend).find_break(messages(8), first=2, barred={3})
    assert written.value.place == 4
    assert len(backend.requests) == 2
    assert "Message #4 " not in backend.requests[0].prompt
    assert messages(8)[3].text in backend.requests[0].prompt


@pytest.mark.weakness(43)
async def test_where_a_choice_is_forced_none_is_no_answer() -> None:
    backend = ScriptedBackend('{"sceneBreakAt": false}', '{"sceneBreakAt": 5}')
    assert (await writer_of(backend).find_break(messages(8), forced=True)).value.place == 4
    assert all("has to be chosen: false" in request.prompt for request in backend.requests)
    backend = ScriptedBackend('{"sceneBreakAt": false}')
    with pytest.raises(AnswerUnusable, match="although one had to be"):
        await writer_of(backend).find_break(messages(8), forced=True)
    assert len(backend.requests) == 2
    assert (await writer_of(backend).find_break(messages(8))).value.place is None
    assert "has to be chosen: false" not in backend.requests[-1].prompt


async def test_the_context_of_a_model_is_known_once_it_was_asked() -> None:
    backend = ScriptedBackend('{"sceneBreakAt": false}')
    writer = writer_of(backend)
    assert writer.context_tokens is None
    await writer.find_break(messages(8))
    assert writer.context_tokens == backend.context_tokens


async def test_decoration_is_no_evidence() -> None:
    backend = ScriptedBackend('{"sceneBreakAt": false}')
    story = messages(3, "He went.\n\n***\n--- Chapter Two ---\n\nIt rained.")
    await writer_of(backend).find_break(story)
    assert "***" not in backend.requests[0].prompt
    assert "Chapter Two" not in backend.requests[0].prompt


# The built-in way


async def test_the_built_in_way_needs_nothing() -> None:
    writer = make_writer("builtin", count_tokens=estimate_tokens)
    assert (writer.label, writer.spec) == ("built-in", "builtin")
    scene = messages(4, "The lamp of Orrin Keep went out at nine.")
    draft = (await writer.scene_recap(scene, previous="", tokens=100)).value
    assert "Orrin Keep" in draft.text
    assert draft.name
    running = await writer.running_recap(Merge("", draft.name, draft.text, tokens=100))
    assert "Orrin Keep" in running.value
    assert (running.prompt_tokens, running.output_tokens) == (0, 0)
    assert "Orrin Keep" in (await writer.message_recap(scene[0])).value
    assert (await writer.find_break(scene)).value.place is None
    await writer.aclose()


async def test_the_built_in_way_says_when_there_is_nothing_to_tell() -> None:
    writer = BuiltinWriter(count_tokens=estimate_tokens)
    empty: list[Any] = [Message("a", "b", "Ann", "***")]
    with pytest.raises(AnswerUnusable, match="no text"):
        await writer.scene_recap(empty, previous="", tokens=100)
    with pytest.raises(AnswerUnusable, match="no text"):
        await writer.message_recap(empty[0])


async def test_a_prompt_that_no_shrinking_helps_costs_the_next_one_no_context() -> None:
    backend = ScriptedBackend(*[PromptTooLong("too long")] * 3, SCENE_ANSWER)
    writer = writer_of(backend)
    with pytest.raises(PromptTooLong):
        await writer.scene_recap(messages(3), previous="", tokens=200)
    await writer.scene_recap(messages(3), previous="", tokens=200)
    first, *_, last = backend.requests
    assert last.max_output_tokens == first.max_output_tokens
