"""What a backend counts is learned from what it reports, and leaves its prompts the less room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.backends.backend import Answer, Request
from app.llm.prompts.prompt_files import load_prompts
from app.llm.writers.asking import Asker
from app.llm.writers.correction import Corrections
from app.llm.writers.written import OnText
from app.prompt.model_tokens import KnownTokenizer

SPEC = "ollama:m"


class Reporting:
    """A backend that says how long each prompt was: so many tokens for each of ours."""

    spec, label, context_tokens = SPEC, "m", 8000

    def __init__(self, factor: float | None) -> None:
        self._factor = factor

    async def generate(self, request: Request, *, on_text: OnText | None = None) -> Answer:
        words = len(f"{request.system} {request.prompt}".split())
        told = None if self._factor is None else round(words * self._factor)
        return Answer("{}", prompt_tokens=told, output_tokens=1)

    async def aclose(self) -> None: ...


def words(text: str) -> int:
    return len(text.split())


async def room_after(factor: float | None, corrections: Corrections) -> tuple[int, int]:
    """The room of a task before and after a request that was reported."""
    prompt = load_prompts(None)["scene_recap"]
    asker = Asker(Reporting(factor), count_tokens=words, corrections=corrections)
    nothing = dict.fromkeys(prompt.inputs, "")
    before = asker.room(prompt, nothing)
    await asker.answer(prompt, dict.fromkeys(prompt.inputs, "word " * 300))
    return before, asker.room(prompt, nothing)


@pytest.mark.parametrize("factor", [None, 0.8, 1.0, 1.1])
async def test_a_backend_that_counts_about_as_we_do_keeps_its_room(factor: float | None) -> None:
    before, after = await room_after(factor, Corrections())
    assert before == after


async def test_one_that_counts_far_more_gets_shorter_prompts() -> None:
    corrections = Corrections()
    told: list[KnownTokenizer] = []

    def hear(known: KnownTokenizer) -> None:
        told.append(known)

    corrections.learned.connect(hear)
    before, after = await room_after(1.6, corrections)
    assert after < before * 0.9
    assert corrections.factor(SPEC) == pytest.approx(1.6, abs=0.01)
    later = Corrections()
    later.load([*told, KnownTokenizer("openai/x", factor=3.0, weight=9)])
    assert later.factor(SPEC) == corrections.factor(SPEC)
    assert later.factor("openai/x") == 1.0


@given(st.lists(st.tuples(st.integers(0, 9000), st.integers(0, 90_000)), max_size=12))
def test_what_makes_no_sense_is_not_learned(reports: list[tuple[int, int]]) -> None:
    corrections = Corrections()
    for ours, reported in reports:
        corrections.learn(SPEC, ours, reported)
        assert 1.0 <= corrections.factor(SPEC) <= 3.0


def test_a_server_that_reports_only_what_is_new_changes_nothing() -> None:
    corrections = Corrections()
    corrections.learn(SPEC, 4000, 90)
    assert corrections.factor(SPEC) == 1.0
