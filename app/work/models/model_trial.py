"""Finding models and trying one out before it is chosen, each within a few seconds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from app.core.errors import BackendError
from app.core.translation import number, tr
from app.llm.backends.factory import offered_models
from app.llm.backends.ollama import found_models
from app.llm.backends.specs import OLLAMA_URL, BackendSpec, clean_url
from app.llm.writers.writer import RecapWriter
from app.llm.writers.written import OnText
from app.story.messages import Message, digest
from app.views.model_trial import SAMPLE, FoundModel, ModelTrial

LOOK_SECONDS = 2.0
ASK_SECONDS = 8.0
TRIAL_SECONDS = 20.0


async def models_here(url: str = OLLAMA_URL) -> tuple[FoundModel, ...]:
    """Models of an Ollama on this machine; none when there is no Ollama, or it does not answer."""
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            return await found_models(url)
    except TimeoutError:
        return ()


async def models_at(kind: str, url: str, *, api_key: str | None = None) -> tuple[str, ...]:
    """Names of the models that a server of this kind offers. Raises UsageError, BackendError."""
    address = clean_url(url)
    try:
        async with asyncio.timeout(ASK_SECONDS):
            return await offered_models(BackendSpec(kind, "", address), api_key=api_key)
    except TimeoutError as error:
        raise BackendError(
            tr(
                "{address} did not answer within {n} seconds.",
                address=address,
                n=number(ASK_SECONDS),
            )
        ) from error


async def try_writer(
    writer: RecapWriter, *, seconds: float = TRIAL_SECONDS, on_text: OnText | None = None
) -> ModelTrial:
    """Let a writer recap a sample of our own; never raises for what the model does."""
    began = time.monotonic()
    heard = [""]

    def hear(text: str) -> None:
        heard[0] = text
        if on_text is not None:
            on_text(text)

    def ended(text: str, error: str = "", tokens: int = 0) -> ModelTrial:
        return ModelTrial(text.strip(), time.monotonic() - began, error, tokens)

    told = tr(SAMPLE)
    sample = Message("sample", digest(told), tr("Narrator"), told)
    try:
        async with asyncio.timeout(seconds):
            written = await writer.message_recap(sample, on_text=hear)
    except TimeoutError:
        return ended(heard[0], _too_slow(seconds, heard))
    except BackendError as error:
        return ended(heard[0], str(error))
    return ended(written.value, tokens=written.output_tokens)


def _too_slow(seconds: float, heard: Sequence[str]) -> str:
    if heard[0]:
        return tr(
            "It was still writing after {n} seconds: slow, but it works.",
            n=number(seconds),
        )
    return tr(
        "Nothing came within {n} seconds. A large model may still be loading; test it again in a "
        "minute.",
        n=number(seconds),
    )
