"""Counts what memory asks of a model for 100 messages: requests, tokens, and what it repeats."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.llm.tokenizer import counter_for
from tests.fakes import RecordedRequest
from tests.oracle.gold import Gold
from tests.oracle.play import play

STORY = Path(__file__).parent.parent / "data" / "stories" / "lantern-district.json"
MESSAGES = 60
CONTEXT = 32_768
# Smart Memory 1.8.1, default settings, a chat of 60 messages, measured; by profile.
RIVAL = {"A": (158, 284_000, 0.29), "B": (352, 374_000, 0.40)}
KINDS = {
    "Write every kind of entry": "reading, all tiers",
    "Your task: note the session memory": "reading, session",
    "Your task: note the long-term memory": "reading, long-term",
    "Your task: note the feelings": "reading, relationships",
    "Your task: note the open arcs": "reading, arcs",
    "Your task: note the state ledger": "reading, state ledger",
    "Your task: note who knows what": "reading, who knows what",
    "You keep the notes of a long story in order": "merging",
    "You keep the running recap": "running recap",
}


@dataclass(frozen=True, slots=True)
class Cost:
    """For 100 messages. repeated: share of the tokens that begin an earlier request, too."""

    requests: float
    tokens: float
    repeated: float
    longest: int
    kinds: Counter[str]
    tokens_of: Counter[str]
    repeated_of: Counter[str]


def cost_of(requests: Sequence[RecordedRequest], messages: int) -> Cost:
    """What these requests cost."""
    count = counter_for().count
    seen: list[str] = []
    tokens = repeated = longest = 0
    kinds: Counter[str] = Counter()
    tokens_of: Counter[str] = Counter()
    repeated_of: Counter[str] = Counter()
    for request in requests:
        text = request.text
        # By signs, as servers keep what they have read.
        shared = (len(os.path.commonprefix([text, old])) for old in seen)  # noqa: RUF071
        prefix = max(shared, default=0)
        size = count(text)
        tokens += size
        again = count(text[:prefix])
        repeated += again
        longest = max(longest, size)
        kind = kind_of(text)
        kinds[kind] += 1
        tokens_of[kind] += size
        repeated_of[kind] += again
        seen.append(text)
    share = 100 / messages
    rates = len(requests) * share, tokens * share, repeated / tokens
    return Cost(*rates, longest, kinds, tokens_of, repeated_of)


def kind_of(text: str) -> str:
    """What a request is for, by its instruction."""
    for words, name in KINDS.items():
        if words in text:
            return name
    return text.splitlines()[0][:60]


def report() -> None:
    """Print one line for each profile and form."""
    whole = Gold.read(STORY)
    gold = Gold({**whole.story, "messages": whole.messages[:MESSAGES]}, until=MESSAGES - 1)
    print("memory, for 100 messages     requests  prompt tokens  repeated  longest  its rival")
    for profile in RIVAL:
        for form in ("one", "separate"):
            settings: dict[str, object] = {
                "memory_requests": form,
                "hardware_profile": profile.lower(),
            }
            played = asyncio.run(
                play(gold, recaps=True, settings=settings, is_talkative=True, context=CONTEXT)
            )
            cost = cost_of(played.requests, MESSAGES)
            rival = RIVAL[profile]
            print(
                f"profile {profile}, {form:9}         {cost.requests:9.0f}  {cost.tokens:13,.0f}"
                f"  {cost.repeated:8.0%}  {cost.longest:7,}"
                f"  {rival[0]} requests, {rival[1]:,} tokens, {rival[2]:.0%}"
            )
            for kind, number in cost.kinds.most_common():
                tokens = cost.tokens_of[kind]
                again = cost.repeated_of[kind] / tokens
                print(f"    {number:4} {kind:28} {tokens:9,} tokens, {again:4.0%} repeated")
