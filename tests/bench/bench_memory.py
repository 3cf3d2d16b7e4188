"""Counts what memory asks of a model for 100 messages: requests, tokens, and what it repeats."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.llm.tokenizer import counter_for
from tests.fakes import RecordedRequest
from tests.oracle.gold import Gold
from tests.oracle.play import play

STORY = Path(__file__).parent.parent / "data" / "stories" / "lantern-district.json"
SHORT = 60  # messages, as many as were measured of the rival
CONTEXT = 32_768
# Smart Memory 1.8.1, default settings, a chat of 60 messages, measured; by profile.
RIVAL = {"A": (158, 284_000, 0.29), "B": (352, 374_000, 0.40)}


@dataclass(frozen=True, slots=True)
class Cost:
    """For 100 messages. repeated: share of the tokens that begin an earlier request, too."""

    requests: float
    tokens: float
    repeated: float
    longest: int


def cost_of(requests: Sequence[RecordedRequest], messages: int) -> Cost:
    """What these requests cost."""
    count = counter_for().count
    seen: list[str] = []
    tokens = repeated = longest = 0
    for request in requests:
        text = request.text
        # By signs, as servers keep what they have read.
        shared = (len(os.path.commonprefix([text, old])) for old in seen)  # noqa: RUF071
        prefix = max(shared, default=0)
        size = count(text)
        tokens += size
        repeated += count(text[:prefix])
        longest = max(longest, size)
        seen.append(text)
    share = 100 / messages
    rates = len(requests) * share, tokens * share, repeated / tokens
    return Cost(*rates, longest)


def report() -> None:
    """Print what each profile and form takes, with the recaps and for memory alone."""
    whole = Gold.read(STORY)
    print("memory, for 100 messages        requests  prompt tokens  repeated  longest  its rival")
    for length in (SHORT, len(whole.messages)):
        story = {**whole.story, "messages": whole.messages[:length]}
        gold = Gold(story, until=length - 1)
        for profile in RIVAL:
            for form in ("one", "separate"):
                _report(gold, length, profile, form)


def _report(gold: Gold, length: int, profile: str, form: str) -> None:
    settings: dict[str, object] = {"memory_requests": form, "hardware_profile": profile.lower()}
    played = asyncio.run(
        play(gold, recaps=True, settings=settings, is_talkative=True, context=CONTEXT)
    )
    alone = [request for request in played.requests if not is_recap(request.text)]
    requests, tokens, share = RIVAL[profile]
    rival = f"{requests} requests, {tokens:,} tokens, {share:.0%}" if length == SHORT else ""
    for what, chosen in (("with recaps", played.requests), ("memory alone", alone)):
        cost = cost_of(chosen, length)
        print(
            f"{length:3} messages, {profile}, {form:8}, {what:12} {cost.requests:4.0f}"
            f"  {cost.tokens:13,.0f}  {cost.repeated:8.0%}  {cost.longest:7,}  {rival}"
        )


def is_recap(text: str) -> bool:
    """Whether a request is for a scene recap or the running recap, and not for memories."""
    return "You read one finished scene" in text or "You keep the running recap" in text
