"""Models that reason at length before each answer: what they are given, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.llm.backends.ollama import OllamaBackend
from app.llm.prompts.prompt_files import load_prompts
from app.llm.writers.asking import Asker
from app.llm.writers.factory import make_writer
from app.llm.writers.model_writer import ModelWriter
from app.prompt.tokens import estimate_tokens
from app.story.messages import Message, digest
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm, Limited, RecordedRequest
from tests.scripted_memory import Script, is_reading

BUDGET = 8192
LINES = "[fact:3:permanent:sources={n}] The bridge of Oss fell in the flood."
RECAP = json.dumps({"name": "The quay", "recap": {"developments": ["They found the lamp."]}})
REASONS = Limited(reasoning=4500)
THINKS = replace(REASONS, capabilities=("completion", "thinking"), context=40_960)
MODELS = {
    "openai, in a field": ("openai", REASONS),
    "openai, in the text": ("openai", replace(REASONS, as_text=True)),
    "ollama that says so": ("ollama", THINKS),
    "ollama that does not say so": ("ollama", replace(THINKS, capabilities=("completion",))),
    "old ollama": ("ollama", replace(REASONS, as_text=True)),
}


def spec(kind: str, llm: FakeLlm) -> str:
    return f"{kind}:{MODEL}@{llm.url}"


def allowed(request: RecordedRequest) -> int:
    options: dict[str, Any] = request.body.get("options", {})
    return int(request.body.get("max_tokens") or options["num_predict"])


def scene(words: str = "They look for the lamp on the quay.") -> list[Message]:
    return [Message(str(n), digest(f"{n}{words}"), "Mira", f"{n} {words}") for n in range(4)]


@asynccontextmanager
async def opened(folder: Path, kind: str, llm: FakeLlm) -> AsyncIterator[Companion]:
    async with open_companion(
        user_folders(folder / "own"),
        llm=spec(kind, llm),
        watch=False,
        keeps_memory=True,
        reads_to_the_end=False,
    ) as companion:
        for name in ("running_recap_auto", "scene_recaps_auto", "profiles_enabled", "canon_auto"):
            await companion.put_setting(name, False)
        await companion.put_setting("memory_requests", "one")
        await companion.put_setting("memory_every", 1)
        yield companion


@pytest.mark.pitfall(55)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.real_model(7)
async def test_a_model_that_reasons_at_length_remembers(tmp_path: Path, name: str) -> None:
    kind, limited = MODELS[name]
    path = write_chat(
        tmp_path / "chat.jsonl",
        [message(n, "The bridge of Oss fell." if n == 1 else "") for n in range(6)],
    )
    with FakeLlm(Script({"bridge of Oss": LINES}).reply) as llm:
        llm.limited = limited
        async with opened(tmp_path, kind, llm) as companion:
            await companion.open_story(path)
            await companion.settled(path)
            told = [s.memory.text for s in companion.memory(path).memories]
            assert told == ["The bridge of Oss fell in the flood."]
            readings = [request for request in llm.requests if is_reading(request)]
            texts = {
                request.messages[-1]["content"].split("\n\nAn answer")[0] for request in readings
            }
            # A model that has shown that it reasons is never cut again.
            assert len(readings) <= len(texts) + 1


@pytest.mark.pitfall(55)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.real_model(7)
async def test_a_model_that_reasons_at_length_recaps_a_scene(name: str) -> None:
    kind, limited = MODELS[name]
    with FakeLlm(lambda request: RECAP) as llm:
        llm.limited = limited
        writer = make_writer(spec(kind, llm), count_tokens=estimate_tokens)
        for _ in range(2):
            written = await writer.scene_recap(scene(), previous="", tokens=200)
            assert written.value.text == "DEVELOPMENTS\nThey found the lamp."
            assert "Perhaps somebody" in written.reasoning
        await writer.aclose()
        assert len(llm.requests) <= 3


@pytest.mark.real_model(7)
async def test_an_answer_cut_in_its_reasoning_is_given_twice_as_much_once() -> None:
    with FakeLlm(lambda request: RECAP) as llm:
        llm.limited = Limited(reasoning=12_000)
        writer = make_writer(spec("openai", llm), count_tokens=estimate_tokens)
        written = await writer.scene_recap(scene(), previous="", tokens=200)
        await writer.aclose()
        assert written.value.name == "The quay"
        assert [allowed(request) for request in llm.requests] == [BUDGET, 2 * BUDGET]


async def test_endless_reasoning_is_asked_for_twice() -> None:
    with FakeLlm(lambda request: RECAP) as llm:
        llm.limited = Limited(reasoning=100_000)
        writer = make_writer(spec("openai", llm), count_tokens=estimate_tokens)
        with pytest.raises(Exception, match="only with its reasoning, then ran out of room, twice"):
            await writer.scene_recap(scene(), previous="", tokens=200)
        await writer.aclose()
        assert len(llm.requests) == 2


async def test_an_answer_that_was_cut_is_asked_for_once_more_and_longer() -> None:
    """What could be read of it was kept before, and the rest of it lost."""
    many = [f"They went to house number {n} and found nobody there." for n in range(300)]
    long = json.dumps({"name": "The quay", "recap": {"developments": many}})
    with FakeLlm(lambda request: long) as llm:
        llm.limited = replace(THINKS, reasoning=0, capabilities=("completion",))
        writer = make_writer(spec("ollama", llm), count_tokens=estimate_tokens)
        written = await writer.scene_recap(scene(), previous="", tokens=20_000)
        await writer.aclose()
        assert many[-1] in written.value.text
        first, second = (allowed(request) for request in llm.requests)
        assert second == 2 * first


async def test_a_model_that_is_known_not_to_reason_keeps_its_context_and_budget() -> None:
    with FakeLlm(lambda request: RECAP) as llm:
        llm.limited = Limited(capabilities=("completion",), context=131_072)
        writer = make_writer(spec("ollama", llm), count_tokens=estimate_tokens)
        await writer.scene_recap(scene(), previous="", tokens=200)
        await writer.aclose()
        (request,) = llm.requests
        assert request.body["options"]["num_ctx"] == 8192
        assert allowed(request) <= load_prompts()["scene_recap"].max_output_tokens < BUDGET


@pytest.mark.real_model(7)
async def test_a_context_grows_in_steps_and_never_shrinks() -> None:
    """A model is loaded anew for each other context."""
    with FakeLlm(lambda request: RECAP) as llm:
        llm.limited = THINKS
        backend = OllamaBackend(MODEL, llm.url.removesuffix("/v1"))
        writer = ModelWriter(Asker(backend, count_tokens=estimate_tokens), load_prompts())
        for words in ("Short.", "A long walk through the town. " * 100, "Short."):
            await writer.scene_recap(scene(words), previous="", tokens=200)
        await writer.aclose()
        contexts = [request.body["options"]["num_ctx"] for request in llm.requests]
        assert contexts == sorted(contexts)
        assert len(set(contexts)) == 2
        for request in llm.requests:
            assert len(request.text) // 4 + BUDGET <= request.body["options"]["num_ctx"]
            assert allowed(request) == BUDGET


async def test_a_context_grows_no_further_than_the_model_was_made_for() -> None:
    with FakeLlm(lambda request: RECAP) as llm:
        llm.limited = replace(THINKS, context=9000)
        writer = make_writer(spec("ollama", llm), count_tokens=estimate_tokens)
        await writer.scene_recap(scene(), previous="", tokens=200)
        await writer.aclose()
        assert {request.body["options"]["num_ctx"] for request in llm.requests} == {9000}


async def test_a_small_context_gets_shorter_prompts_where_the_model_reasons() -> None:
    """A prompt that fills the context leaves nothing to reason in."""
    with FakeLlm(lambda request: RECAP) as llm:
        llm.context = 8192
        llm.limited = replace(REASONS, context=8192)
        writer = make_writer(spec("openai", llm), count_tokens=estimate_tokens)
        long = scene("They look for the lamp behind every door of the harbour. " * 60)
        for _ in range(2):
            asked = len(llm.requests)
            written = await writer.scene_recap(long, previous="", tokens=200)
            assert "They found the lamp." in written.value.text
        await writer.aclose()
        for request in llm.requests[asked:]:
            assert len(request.text) // 4 + allowed(request) <= 8192
            assert allowed(request) > 4500


async def test_a_server_that_takes_no_such_budget_is_asked_for_less() -> None:
    def strict(request: RecordedRequest) -> Any:
        if allowed(request) <= 4096:
            return RECAP
        error = f"max_tokens is too large: {allowed(request)}. At most 4096 completion tokens."

        def refuse(wire: Any) -> None:
            wire.head(400, "application/json")
            wire.send(json.dumps({"error": {"message": error}}).encode())

        return refuse

    with FakeLlm(strict) as llm:
        writer = make_writer(spec("openai", llm), count_tokens=estimate_tokens)
        for _ in range(2):
            written = await writer.scene_recap(scene(), previous="", tokens=200)
            assert written.value.name == "The quay"
        await writer.aclose()
        assert [allowed(request) for request in llm.requests] == [BUDGET, 4096, 4096]
        assert all("max_completion_tokens" not in request.body for request in llm.requests)


async def test_a_context_that_a_refusal_tells_leaves_prompts_as_they_are() -> None:
    def small(request: RecordedRequest) -> Any:
        needed = len(request.text) // 4 + allowed(request)
        if needed <= 6000:
            return RECAP

        def refuse(wire: Any) -> None:
            error = f"This model's maximum context length is 6000 tokens, and not {needed}."
            wire.head(400, "application/json")
            wire.send(json.dumps({"error": {"message": error}}).encode())

        return refuse

    with FakeLlm(small) as llm:
        writer = make_writer(spec("openai", llm), count_tokens=estimate_tokens)
        await writer.scene_recap(scene(), previous="", tokens=200)
        await writer.aclose()
        first, second = llm.requests
        assert first.text == second.text
        assert 4000 < allowed(second) < 6000


async def test_the_budget_and_marks_are_settings_that_hold_at_once(tmp_path: Path) -> None:
    path = write_chat(tmp_path / "chat.jsonl", [message(n) for n in range(3)])
    with FakeLlm(lambda request: "[plan]Who is it?[/plan]Mira lights the lamp.") as llm:
        async with opened(tmp_path, "openai", llm) as companion:
            await companion.put_setting("memory_auto", False)
            await companion.put_setting("generation_budget", 5000)
            await companion.put_setting("reasoning_marks", "[plan]...[/plan]")
            story = await companion.open_story(path)
            anchors = [m.anchor for m in story.messages[:1]]
            await companion.edits.messages.write(path, anchors)
            story, failures = await companion.finished(path)
            assert not failures
            assert story.message_recaps[anchors[0]].text == "Mira lights the lamp."
            assert story.message_recaps[anchors[0]].reasoning == "Who is it?"
            assert {allowed(request) for request in llm.requests} == {5000}
