"""Trying a model: what it wrote, or a sentence; never longer than it may take."""

from __future__ import annotations

import time

import pytest

from app.core import translation
from app.core.errors import BackendError, UsageError
from app.llm.backends.specs import OPENAI
from app.llm.writers.factory import make_writer
from app.llm.writers.writer import RecapWriter
from app.views.model_trial import SAMPLE, ModelTrial
from app.work.models.model_trial import models_at, models_here, try_writer
from tests.fakes import MODEL, FakeLlm

NOBODY = "http://127.0.0.1:9"


def writer_of(spec: str) -> RecapWriter:
    return make_writer(spec, count_tokens=len)


async def test_a_trial_shows_what_the_model_wrote() -> None:
    with FakeLlm(lambda request: "Ada hides a letter from the miller.") as llm:
        writer = writer_of(f"openai:{MODEL}@{llm.url}")
        trial = await try_writer(writer)
        await writer.aclose()
    assert trial.text == "Ada hides a letter from the miller."
    assert trial.error == ""
    assert trial.seconds > 0


async def test_a_model_is_tried_in_the_language_of_the_program() -> None:
    """A German saw an English scene, which tells nothing of how a model writes German."""
    translation.use("de")
    try:
        with FakeLlm(lambda request: "Ada versteckt einen Brief vor dem Müller.") as llm:
            writer = writer_of(f"openai:{MODEL}@{llm.url}")
            trial = await try_writer(writer)
            await writer.aclose()
    finally:
        translation.use(translation.ENGLISH)
    assert "Die letzte Fähre war fort" in llm.requests[0].text
    assert trial.verdict.is_usable


async def test_a_trial_ends_when_its_time_is_over() -> None:
    with FakeLlm() as llm:

        def reply(_request: object) -> str:
            time.sleep(1.0)
            return "Late."

        llm.reply = reply
        writer = writer_of(f"openai:{MODEL}@{llm.url}")
        trial = await try_writer(writer, seconds=0.3)
        await writer.aclose()
    assert "Nothing came" in trial.error
    assert trial.seconds < 3


async def test_a_trial_with_nobody_there_gives_a_sentence() -> None:
    writer = writer_of(f"openai:{MODEL}@{NOBODY}")
    trial = await try_writer(writer)
    await writer.aclose()
    assert trial.text == ""
    assert trial.error


async def test_the_built_in_way_can_be_tried_too() -> None:
    writer = writer_of("builtin")
    trial = await try_writer(writer)
    assert trial.text
    assert trial.error == ""


async def test_the_models_of_a_server_are_named() -> None:
    with FakeLlm() as llm:
        assert await models_at(OPENAI, llm.url) == (MODEL,)
    with pytest.raises(BackendError):
        await models_at(OPENAI, NOBODY)
    with pytest.raises(UsageError):
        await models_at(OPENAI, "ftp://nowhere")


async def test_no_ollama_means_no_models_and_no_fault() -> None:
    assert await models_here(NOBODY) == ()


@pytest.mark.parametrize(
    ("trial", "is_usable", "is_slow", "why"),
    [
        (ModelTrial("Ada hides a letter from the miller.", 2.0, "", 40), True, False, "fast"),
        (ModelTrial("Ada hides a letter from the miller.", 15.0, "", 40), True, True, "slow"),
        (ModelTrial("Ada hides a letter from", 20.0, "It was still writing."), True, True, "slow"),
        (ModelTrial("", 1.0, "The key is wrong."), False, False, "The key is wrong."),
        (ModelTrial("I'm sorry, but I can't help with that.", 1.0), False, False, "refused"),
        (ModelTrial("<think>Ada hides it", 1.0), False, False, "reasoning"),
        (ModelTrial("Ada sleeps.", 1.0), False, False, "next to nothing"),
        (ModelTrial("Here is what you asked for.", 1.0), False, False, "not tell the scene"),
        (ModelTrial(SAMPLE, 1.0), False, False, "as long as the scene"),
    ],
)
def test_a_trial_comes_to_a_verdict(
    trial: ModelTrial, is_usable: bool, is_slow: bool, why: str
) -> None:
    verdict = trial.verdict
    assert (verdict.is_usable, verdict.is_slow) == (is_usable, is_slow)
    assert why in verdict.sentence
