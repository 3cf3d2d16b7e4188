"""Which message recaps go into the prompt, and why the others do not.

The decision tree is that of spec/auto-recap.md §3.1 and §3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import floor
from typing import Any

from app.story.messages import Absence, Message, MessageKind, MessageRecap


class InclusionState(StrEnum):
    """Where a message's recap goes; the words and colours of look.md §2.3."""

    INCLUDED = "included"
    LONG_TERM = "long-term"
    OUT_OF_BUDGET = "out of budget"
    EXCLUDED = "excluded"
    LAGGING = "lagging"
    FAILED = "failed"
    NONE = "none"  # no recap yet


@dataclass(frozen=True, slots=True)
class Inclusion:
    """What became of one message.

    reason: one sentence. tokens: of the recap, 0 when there is none. is_stale: the text changed
    since the recap was made. is_edited: the recap was written by hand.
    """

    state: InclusionState
    reason: str
    tokens: int = 0
    is_stale: bool = False
    is_edited: bool = False


@dataclass(frozen=True, slots=True)
class InclusionRules:
    """What the user wants counted.

    limit_tokens: budget of all recaps together. long_term_tokens: budget of those recaps that are
    to be remembered and did not fit in the first. lag: so many of the newest messages keep their
    recaps out, since they stand in the chat themselves. left_out: names or card files of the
    characters whose recaps do not count. with_prefill: recaps are read with what began them.
    """

    limit_tokens: int
    long_term_tokens: int = 0
    lag: int = 0
    include_user: bool = True
    include_hidden: bool = True
    include_narrator: bool = True
    minimum_tokens: int = 0
    skip_oversized: bool = False
    left_out: frozenset[str] = frozenset()
    with_prefill: bool = False


def rules_of(settings: Mapping[str, Any], context_tokens: int) -> InclusionRules:
    """The rules by the settings. context_tokens: of the chat's model."""
    kind = settings["inclusion_limit_type"]
    return InclusionRules(
        limit_tokens=limit_in_tokens(int(settings["inclusion_limit"]), kind, context_tokens),
        long_term_tokens=limit_in_tokens(int(settings["long_term_limit"]), kind, context_tokens),
        lag=int(settings["inclusion_lag"]),
        include_user=settings["include_user_messages"],
        include_hidden=settings["include_hidden_messages"],
        include_narrator=settings["include_narrator_messages"],
        minimum_tokens=int(settings["inclusion_minimum_tokens"]),
        skip_oversized=settings["inclusion_skip_oversized"],
        left_out=frozenset(filter(None, map(str.strip, str(settings["left_out"]).split(",")))),
        with_prefill=bool(settings["message_recap_prefill_shown"]),
    )


NOTHING_TO_RECAP = Inclusion(InclusionState.NONE, "Nothing of the story in it.")
REMOVED = Inclusion(InclusionState.NONE, "You removed its recap.")
NO_RECAP_YET = Inclusion(InclusionState.NONE, "No recap yet.")
SEPARATOR = "\n"
_NO_RECAP = MessageRecap()


def limit_in_tokens(limit: int, limit_type: str, context_tokens: int) -> int:
    """The budget in tokens; percent is of the context, rounded down (8192 and 10 give 819)."""
    if limit_type == "percent":
        return floor(context_tokens * limit / 100)
    return limit


def exclusion_reason(message: Message, recap: MessageRecap, rules: InclusionRules) -> str:
    """Why a message's recap is not counted, "" when it is. First match wins."""
    if message.kind is MessageKind.NOTICE:
        return "A notice of SillyTavern, not part of the story."
    if recap.is_remembered:
        return ""
    if recap.is_excluded:
        return "Its recap is left out by you. The message stays in the chat and the prompt."
    if message.is_user and not rules.include_user:
        return "Recaps of your own messages are switched off."
    if message.kind is MessageKind.THOUGHT:
        return "A character's thoughts before it speaks."
    if message.is_hidden and not rules.include_hidden:
        return "Hidden from the prompt, and recaps of hidden messages are switched off."
    if message.kind is MessageKind.NARRATOR and not rules.include_narrator:
        return "Recaps of the narrator are switched off."
    if not message.is_user and not rules.left_out.isdisjoint((message.name, message.avatar)):
        return f"Recaps of {message.name}'s messages are switched off."
    return ""


def include(
    messages: Sequence[Message],
    recaps: Mapping[str, MessageRecap],
    rules: InclusionRules,
    *,
    message_tokens: Sequence[int],
    count: Callable[[str], int],
) -> tuple[Inclusion, ...]:
    """Decide for every message, newest first, until the budget is spent.

    recaps: by anchor. message_tokens: tokens of each message's text. count: tokens of a text; it
    is asked once for each recap and a few times for the text that just fits, never for more.
    """
    settled: list[Inclusion | None] = [None] * len(messages)
    candidates: list[int] = []
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        recap = recaps.get(message.anchor, _NO_RECAP)
        reason = exclusion_reason(message, recap, rules)
        if not reason and message_tokens[index] < rules.minimum_tokens:
            reason = f"Shorter than {rules.minimum_tokens} tokens."
        if reason:
            settled[index] = _inclusion(InclusionState.EXCLUDED, reason, message, recap)
        elif not recap.text and recap.error:
            settled[index] = _inclusion(InclusionState.FAILED, recap.error, message, recap)
        elif not recap.text:
            settled[index] = _without_recap(message, recap)
        else:
            candidates.append(index)
    lagging = len(messages) - rules.lag
    late = [index for index in candidates if index >= lagging]
    candidates = [index for index in candidates if index < lagging]
    texts = {
        index: recaps[messages[index].anchor].shown_text(with_prefill=rules.with_prefill)
        for index in (*late, *candidates)
    }
    tokens = {index: count(text) for index, text in texts.items()}
    short = _fitting(candidates, texts, tokens, rules, count)
    kept = [i for i in candidates if i not in short and recaps[messages[i].anchor].is_remembered]
    long_rules = InclusionRules(rules.long_term_tokens, skip_oversized=rules.skip_oversized)
    long = _fitting(kept, texts, tokens, long_rules, count)
    for index in (*late, *candidates):
        message, recap = messages[index], recaps[messages[index].anchor]
        if index >= lagging:
            state = InclusionState.LAGGING
            reason = "Still among the newest messages, which stand in the chat themselves."
        elif index in short:
            state = InclusionState.LONG_TERM if recap.is_remembered else InclusionState.INCLUDED
            reason = "In the budget of message recaps."
        elif index in long:
            state, reason = InclusionState.LONG_TERM, "In the budget of what is to be remembered."
        else:
            state = InclusionState.OUT_OF_BUDGET
            reason = f"The {rules.limit_tokens} tokens are taken by newer recaps."
            if recap.is_remembered:
                reason = f"The {rules.long_term_tokens} tokens for what is remembered are taken."
        settled[index] = _inclusion(state, reason, message, recap, tokens[index])
    return tuple(inclusion for inclusion in settled if inclusion is not None)


def _without_recap(message: Message, recap: MessageRecap) -> Inclusion:
    if recap.absence is Absence.REMOVED:
        return REMOVED
    is_looked_at = recap.absence is Absence.NOTHING and recap.source_hash == message.content_hash
    return NOTHING_TO_RECAP if is_looked_at else NO_RECAP_YET


def _inclusion(
    state: InclusionState, reason: str, message: Message, recap: MessageRecap, tokens: int = 0
) -> Inclusion:
    is_stale = bool(recap.text and recap.source_hash and recap.source_hash != message.content_hash)
    return Inclusion(state, reason, tokens, is_stale=is_stale, is_edited=recap.is_edited)


def _fitting(
    candidates: Sequence[int],
    text_of: Mapping[int, str],
    tokens: Mapping[int, int],
    rules: InclusionRules,
    count: Callable[[str], int],
) -> frozenset[int]:
    """Those of the candidates, newest first, whose recaps fit, counted as one joined text."""
    texts = [text_of[index] for index in candidates]
    sizes = [tokens[index] for index in candidates]
    if not rules.skip_oversized:
        return frozenset(candidates[: _cut(texts, sizes, rules.limit_tokens, count)])
    taken: list[int] = []
    joined, total = "", 0
    for index, text, size in zip(candidates, texts, sizes, strict=True):
        # What is far too long for the room left is passed by without counting the joined text.
        if size > rules.limit_tokens or total + size > rules.limit_tokens + len(taken) + 8:
            continue
        candidate = f"{joined}{SEPARATOR}{text}" if joined else text
        if count(candidate) <= rules.limit_tokens:
            taken.append(index)
            joined, total = candidate, total + size
    return frozenset(taken)


def _cut(
    texts: Sequence[str], tokens: Sequence[int], limit: int, count: Callable[[str], int]
) -> int:
    """How many texts fit: the same cut as recounting the growing text at each step.

    The sum of the single counts is never far off, so it says where to look, and exact counts of
    the joined text settle the boundary: a few counts of at most `limit` tokens in all.
    """

    def fits(number: int) -> bool:
        return count(SEPARATOR.join(texts[:number])) <= limit

    total, guess = 0, 0
    for size in tokens:
        total += size
        if total > limit:
            break
        guess += 1
    while guess > 0 and not fits(guess):
        guess -= 1
    while guess < len(texts) and fits(guess + 1):
        guess += 1
    return guess
