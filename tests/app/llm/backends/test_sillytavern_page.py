"""SillyTavern's own connection: what its page is asked, and what its faults mean."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from app.core.errors import (
    BackendAway,
    BackendBusy,
    BackendError,
    BackendRefused,
    BackendUnreachable,
    GenerationTooLong,
    PromptTooLong,
)
from app.llm.backends.backend import Request
from app.llm.backends.page_line import OnPart
from app.llm.backends.sillytavern_page import LARGEST_CONTEXT, PageBackend, page_fault
from app.llm.writers.meter import broken_off

REQUEST = Request("Be short.", "Who holds the lamp?", max_output_tokens=50)


class FakePage:
    """Gives these pieces, then this answer; remembers what it was asked."""

    def __init__(self, *parts: tuple[str, str], **answer: Any) -> None:
        self.parts = parts
        self.answer = answer
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.at_once = 0
        self.most_at_once = 0

    async def ask_page(
        self, kind: str, params: dict[str, Any], *, seconds: float, on_part: OnPart | None = None
    ) -> dict[str, Any]:
        assert seconds > 0
        self.asked.append((kind, params))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        for text, reasoning in self.parts:
            await asyncio.sleep(0)
            assert on_part is not None
            on_part(text, reasoning)
        self.at_once -= 1
        return self.answer


async def test_the_page_is_asked_with_our_prompt_and_nothing_else() -> None:
    page = FakePage(("Mira", ""), (" does.", ""))
    answer = await PageBackend("Small one", page).generate(REQUEST)
    assert answer.text == "Mira does."
    ((kind, params),) = page.asked
    assert kind == "ask_model"
    assert params["system"] == "Be short."
    assert params["prompt"] == "Who holds the lamp?"
    assert (params["profile"], params["tokens"], params["json"]) == ("Small one", 50, False)


async def test_reasoning_is_kept_apart_wherever_it_comes_from() -> None:
    page = FakePage(("<think>Hm.</think>", "First"), ("Mira does.", " this."))
    answer = await PageBackend("", page).generate(REQUEST)
    assert answer.text == "Mira does."
    assert "First this." in answer.reasoning
    assert "Hm." in answer.reasoning


async def test_a_page_that_never_ends_fills_no_memory() -> None:
    page = FakePage(*[("x" * 10_000, "")] * 50, isCut=True)
    answer = await PageBackend("", page).generate(REQUEST)
    assert answer.truncated
    assert len(answer.text) < 20_000


async def test_text_is_heard_as_it_comes() -> None:
    heard: list[str] = []
    await PageBackend("", FakePage(("Mira", ""))).generate(REQUEST, on_text=heard.append)
    assert heard == ["Mira"]


@pytest.mark.pitfall(1)
async def test_the_page_is_asked_one_thing_at_a_time() -> None:
    page = FakePage(("Mira", ""), (" does.", ""))
    backend = PageBackend("", page)
    await asyncio.gather(backend.generate(REQUEST), backend.generate(REQUEST))
    assert page.most_at_once == 1


@pytest.mark.parametrize(
    ("told", "known"), [(4096, 4096), (1_000_000, LARGEST_CONTEXT), (0, 8192), ("many", 8192)]
)
async def test_the_page_says_how_long_a_prompt_may_be(told: Any, known: int) -> None:
    backend = PageBackend("", FakePage(context=told))
    await backend.prepare()
    assert backend.context_tokens == known


@pytest.mark.parametrize(("told", "allowed"), [(4096, 3096), (100_000, 8192), (0, 8192)])
async def test_the_page_is_asked_for_what_its_context_leaves(told: int, allowed: int) -> None:
    page = FakePage(context=told)
    backend = PageBackend("", page)
    await backend.prepare()
    page.parts = (("Mira does.", ""),)
    answer = await backend.generate(replace(REQUEST, generation_tokens=8192, prompt_tokens=1000))
    assert page.asked[-1][1]["tokens"] == answer.allowed_tokens == allowed


async def test_a_budget_that_the_page_s_model_refuses_is_lowered() -> None:
    page = FakePage(fault="failed", detail="maximum context length is 4096 tokens")
    backend = PageBackend("", page)
    request = replace(REQUEST, generation_tokens=8192)
    with pytest.raises(GenerationTooLong):
        await backend.generate(request)
    with pytest.raises(PromptTooLong) as raised:
        await backend.generate(request)
    assert type(raised.value) is PromptTooLong
    assert [params["tokens"] for _, params in page.asked] == [8192, 50]


async def test_without_a_page_it_is_only_away() -> None:
    with pytest.raises(BackendAway, match="page is not open"):
        await PageBackend("", None).prepare()


async def test_an_empty_answer_is_asked_for_again_later() -> None:
    with pytest.raises(BackendBusy):
        await PageBackend("", FakePage(("", ""))).generate(REQUEST)


@pytest.mark.parametrize(
    ("fault", "detail", "error"),
    [
        ("gave_way", "", BackendAway),
        ("busy", "", BackendAway),
        ("asked", "", BackendAway),
        ("offline", "", BackendAway),
        ("slow", "", BackendUnreachable),
        ("profile", "", BackendRefused),
        ("unsupported", "", BackendRefused),
        ("failed", "Got response status 429", BackendBusy),
        ("failed", "Too Many Requests", BackendBusy),
        ("failed", "Internal Server Error", BackendBusy),
        ("failed", "Unauthorized", BackendRefused),
        ("failed", "Got response status 400", BackendRefused),
        ("failed", "maximum context length is 4096 tokens", PromptTooLong),
        ("failed", "Failed to fetch", BackendUnreachable),
        ("what is that", "", BackendUnreachable),
    ],
)
async def test_each_fault_of_the_page_has_its_error(
    fault: str, detail: str, error: type[BackendError]
) -> None:
    with pytest.raises(BackendError) as raised:
        await PageBackend("", FakePage(fault=fault, detail=detail)).generate(REQUEST)
    assert type(raised.value) is error


def test_what_a_server_said_is_never_repeated() -> None:
    assert "sk-secret" not in str(page_fault("failed", "Incorrect API key sk-secret"))


async def test_what_gave_way_is_asked_once_more_in_quiet_and_to_its_end() -> None:
    page = FakePage(fault="gave_way", sent=True)
    backend = PageBackend("", page)
    with pytest.raises(BackendAway) as raised:
        await backend.generate(REQUEST)
    assert raised.value.was_sent
    page.parts, page.answer = (("Mira does.", ""),), {}
    await backend.generate(REQUEST)
    await backend.generate(REQUEST)
    told = [(params["persists"], params["quiet"]) for _, params in page.asked]
    assert told == [(False, 0), (True, 30_000), (False, 0)]


def test_what_the_model_had_already_is_counted() -> None:
    lost = page_fault("gave_way", "")
    assert broken_off("recap", "b", REQUEST, "", lost, len) is None
    lost.was_sent = True
    use = broken_off("recap", "b", REQUEST, "", lost, len)
    assert use is not None
    assert use.prompt_tokens == len(REQUEST.system + REQUEST.prompt)
