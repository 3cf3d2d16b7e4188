"""Finding models and trying one out before it is chosen, each within a few seconds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.errors import BackendError
from app.core.translation import N_, number, tr
from app.llm.backends.factory import offered_models
from app.llm.backends.ollama import FoundModel, found_models
from app.llm.backends.specs import OLLAMA_URL, BackendSpec, clean_url
from app.llm.writers.writer import RecapWriter
from app.llm.writers.written import OnText
from app.story.answers.refusals import is_refusal
from app.story.messages import Message, digest

LOOK_SECONDS = 2.0
ASK_SECONDS = 8.0
TRIAL_SECONDS = 20.0
# In the program's language, or nobody could tell from it how a model writes in theirs.
SAMPLE = N_(
    "The last ferry was gone, so Ada paid the miller two coins for a bed in the loft and asked "
    'him to wake her before the bell. "The road to Harrow is shut," he said. "You will need '
    'the ford." She hid the sealed letter under the straw and did not tell him about it.'
)

# Of a recap of the sample, in whichever language: at least one of these stands in it.
TOLD = ("ada", "harrow", "miller", "ferry", "letter", "müller", "fähre", "brief")
FEWEST_WORDS = 3
SLOW_SECONDS, SLOW_SPEED = 12.0, 5.0  # tokens a second


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """How a model did on a sample. text: what it wrote, "" for nothing. error: a sentence, "" when
    all went well. seconds: how long it took. output_tokens: 0 where nobody counted.
    """

    text: str = ""
    seconds: float = 0.0
    error: str = ""
    output_tokens: int = 0

    @property
    def verdict(self) -> Verdict:
        """Whether what it wrote is usable as a recap, why not, and how fast it is."""
        return verdict_of(self)


@dataclass(frozen=True, slots=True)
class Verdict:
    """is_usable: as a recap. is_slow: it is, but long scenes take patience. sentence: all of it."""

    is_usable: bool
    is_slow: bool
    sentence: str


def verdict_of(trial: ModelTrial) -> Verdict:
    """What a trial comes to."""
    why = _fault_of(trial)
    if why:
        return Verdict(False, False, tr("Not usable: {why}", why=why))
    speed = trial.output_tokens / trial.seconds if trial.seconds and trial.output_tokens else None
    is_slow = bool(trial.error) or trial.seconds > SLOW_SECONDS
    is_slow = is_slow or (speed is not None and speed < SLOW_SPEED)
    if is_slow:
        return Verdict(True, True, tr("Usable as a recap, but slow: long scenes take minutes."))
    return Verdict(True, False, tr("Usable as a recap, and fast enough to play with."))


def _fault_of(trial: ModelTrial) -> str:
    """Why the text is no recap of the sample, "" where it is one."""
    text = " ".join(trial.text.split())
    if not text:
        return trial.error or tr("it wrote nothing.")
    if is_refusal(text):
        return tr("it refused to write about the scene.")
    if "<think" in text.casefold():
        return tr("its reasoning stands in its answer. Name its marks in the settings, Use.")
    if len(text.split()) < FEWEST_WORDS:
        return tr("it wrote next to nothing.")
    if not any(word in text.casefold() for word in TOLD):
        return tr("it does not tell of the scene.")
    if len(text) >= len(tr(SAMPLE)):
        return tr("it is as long as the scene itself.")
    return ""


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
        "Nothing came within {n} seconds. A big model may still be loading: "
        "test it once more in a minute.",
        n=number(seconds),
    )
