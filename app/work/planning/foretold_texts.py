"""What comes of reading a story for memory: texts made of what was noted, told before. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import ceil
from typing import Any

from app.core.operations import OperationKind
from app.llm.backends.hardware_profile import HardwareProfile, profile_for
from app.memory.arcs.arc_summaries import MOST_AT_ONCE as MOST_ARCS
from app.memory.documents.profiles import MOST_AT_ONCE as MOST_PROFILES
from app.memory.documents.profiles import cast
from app.memory.keywords.triggers import MOST_AT_ONCE as MOST_KEYWORDS
from app.settings.memory import MemorySettings
from app.story.story import ChatKind, Story
from app.views.catch_up import CatchUpPlan
from app.work.planning.writing import Writing

# Measured in long stories with capable models: so much comes of so many messages at most.
NOTES_OF_MESSAGE, THREADS_OF_MESSAGE = 1.0, 0.1
MERGES_OF_READING = 0.5  # of notes that tell nearly the same
# Tokens of one request with its answer, about.
MERGE, LOOK, THREADS, PORTRAITS, KEYWORDS, HISTORY = 700, 3_200, 3_600, 2_800, 1_200, 2_200
LATELY = 400  # messages: who has not spoken in them gets no text of their own


def with_texts(
    plan: CatchUpPlan | None, story: Story, settings: Mapping[str, Any], writing: Writing
) -> CatchUpPlan | None:
    """The plan with the requests that follow from its readings at most."""
    if plan is None or not plan.reading.requests:
        return plan
    found = [*_texts(plan, story, settings, writing)]
    found.append((ceil(plan.reading.passes * MERGES_OF_READING), MERGE))
    texts = sum(count for count, _ in found)
    tokens = sum(count * of_each for count, of_each in found)
    return replace(plan, texts=texts, text_tokens=tokens)


def _texts(
    plan: CatchUpPlan, story: Story, settings: Mapping[str, Any], writing: Writing
) -> Iterator[tuple[int, int]]:
    """How many requests of each kind there are at most, and the tokens of each."""
    wanted, messages = MemorySettings(settings), plan.reading.messages

    def profile(kind: OperationKind) -> HardwareProfile:
        return profile_for(settings, writing.of(kind).spec).profile

    def asks(kind: OperationKind, *, is_wanted: bool) -> bool:
        return is_wanted and not writing.of(kind).is_free

    speakers = cast(story.messages[-LATELY:], story.chat.speakers)
    looks = wanted.upkeep_enabled and profile(OperationKind.UPKEEP).looks_through
    if asks(OperationKind.UPKEEP, is_wanted=looks):
        yield 1, LOOK
    if asks(OperationKind.ARC_SUMMARY, is_wanted=True):
        yield _requests(messages * THREADS_OF_MESSAGE, MOST_ARCS), THREADS
    if asks(OperationKind.PROFILE, is_wanted=wanted.profiles_enabled):
        yield _requests(len(speakers), MOST_PROFILES), PORTRAITS
    calls = wanted.triggers_enabled or profile(OperationKind.TRIGGERS).makes_triggers
    if asks(OperationKind.TRIGGERS, is_wanted=calls):
        yield _requests(messages * NOTES_OF_MESSAGE, MOST_KEYWORDS), KEYWORDS
    tells = wanted.canon_auto and profile(OperationKind.CANON).writes_canon
    if asks(OperationKind.CANON, is_wanted=tells):
        yield len(speakers) if story.chat.kind is ChatKind.GROUP else 1, HISTORY


def _requests(count: float, at_once: int) -> int:
    return ceil(count / at_once)
