"""Which message recaps go into the prompt, and why the others do not.

The decision tree is that of spec/auto-recap.md §3.1 and §3.2.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import floor

from app.core.translation import N_, number, tr
from app.story.anchors import common_ends
from app.story.messages import Absence, Message, MessageKind, MessageRecap, places_of


class InclusionState(StrEnum):
    """Where a message's recap goes; the words and colours of look.md §2.3."""

    INCLUDED = N_("included")
    LONG_TERM = N_("long-term")
    OUT_OF_BUDGET = N_("out of budget")
    EXCLUDED = N_("excluded")
    LAGGING = N_("lagging")
    FAILED = N_("failed")
    NONE = N_("none")  # no recap yet


@dataclass(frozen=True, slots=True)
class Inclusion:
    """What became of one message.

    reason: one sentence, in English where nothing was filled in: shown through `tr`. tokens: of the
    recap, 0 when there is none. is_stale: the text changed since the recap was made. is_edited: the
    recap was written by hand.
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

    @property
    def takes_all(self) -> bool:
        """Whether no message of the chat itself is left out for who wrote it, or for its length."""
        return (
            self.include_user
            and self.include_hidden
            and not self.left_out
            and self.minimum_tokens <= 0
        )


NOTHING_TO_RECAP = Inclusion(InclusionState.NONE, N_("It contains nothing of the story."))
REMOVED = Inclusion(InclusionState.NONE, N_("You removed its recap."))
NO_RECAP_YET = Inclusion(InclusionState.NONE, N_("No recap yet."))
SEPARATOR = "\n"
_NO_RECAP = MessageRecap()
# To look a member of an enumeration up takes as long as all else that is asked of a message.
_NOTICE, _THOUGHT, _NARRATOR = MessageKind.NOTICE, MessageKind.THOUGHT, MessageKind.NARRATOR
_CHAT = MessageKind.CHAT


_IN_BUDGET = N_("In the budget of message recaps.")
_LAGGING = (
    InclusionState.LAGGING,
    N_("One of the newest messages, which are in the prompt themselves."),
)
_INCLUDED = (InclusionState.INCLUDED, _IN_BUDGET)
_REMEMBERED = (InclusionState.LONG_TERM, _IN_BUDGET)
_LONG_TERM = (InclusionState.LONG_TERM, N_("In the budget of recaps you keep."))
_OUT = InclusionState.OUT_OF_BUDGET


def limit_in_tokens(limit: int, limit_type: str, context_tokens: int) -> int:
    """The budget in tokens; percent is of the context, rounded down (8192 and 10 give 819)."""
    if limit_type == "percent":
        return floor(context_tokens * limit / 100)
    return limit


def exclusion_reason(message: Message, recap: MessageRecap, rules: InclusionRules) -> str:
    """Why a message's recap is not counted, "" when it is. First match wins."""
    kind, is_user = message.kind, message.is_user
    if kind is _NOTICE:
        return N_("A notice of SillyTavern, not part of the story.")
    if recap.is_remembered:
        return ""
    if recap.is_excluded:
        return N_("You left its recap out. The message stays in the chat and the prompt.")
    if is_user and not rules.include_user:
        return N_("Recaps of your own messages are switched off.")
    if kind is _THOUGHT:
        return N_("A character's thoughts before it speaks.")
    if message.is_hidden and not rules.include_hidden:
        return N_("Hidden from the prompt, and recaps of hidden messages are switched off.")
    if kind is _NARRATOR and not rules.include_narrator:
        return N_("Recaps of the narrator are switched off.")
    left_out = rules.left_out
    if left_out and not is_user and not left_out.isdisjoint((message.name, message.avatar)):
        return tr("Recaps of {name}'s messages are switched off.", name=message.name)
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
    decided = Decided().after(messages, recaps, rules, message_tokens=message_tokens, count=count)
    return decided.inclusions


@dataclass(frozen=True, slots=True)
class Decided:
    """What `include` decided, and what it takes to decide only on what is new after that.

    candidates: indexes of messages whose recaps compete for the budget, ascending; remembered:
    those of them that are to be remembered. sizes: their tokens, parallel to candidates. inside:
    candidates that are in a budget, or lag.
    """

    messages: Sequence[Message] = ()
    recaps: Mapping[str, MessageRecap] = field(default_factory=dict)
    rules: InclusionRules | None = None
    message_tokens: Sequence[int] = ()
    count: Callable[[str], int] | None = None
    inclusions: tuple[Inclusion, ...] = ()
    candidates: list[int] = field(default_factory=list)
    remembered: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    inside: frozenset[int] = frozenset()

    def after(
        self,
        messages: Sequence[Message],
        recaps: Mapping[str, MessageRecap],
        rules: InclusionRules,
        *,
        message_tokens: Sequence[int],
        count: Callable[[str], int],
        head: int = 0,
    ) -> Decided:
        """What is decided now: looked at from the first message for which something changed.

        head: so many messages, from the first, are known to be the same.
        """
        with_prefill = rules.with_prefill
        is_same_question = rules == self.rules and count == self.count
        first = self._first_new(messages, recaps, message_tokens, head) if is_same_question else 0
        takes_all = rules.takes_all
        new: list[Inclusion] = []
        known = bisect_left(self.candidates, first)
        candidates, sizes = self.candidates[:known], self.sizes[:known]
        remembered = self.remembered[: bisect_left(self.remembered, first)]
        for index, message in enumerate(messages[first:], first):
            recap = recaps.get(message.anchor, _NO_RECAP)
            if takes_all and recap.text and message.kind is _CHAT and not recap.is_excluded:
                inclusion = None  # as nearly all are: what follows would say the same
            else:
                inclusion = _without_budget(message, recap, rules, message_tokens[index])
            if inclusion is None:
                candidates.append(index)
                sizes.append(
                    count(recap.shown_text(with_prefill=True) if with_prefill else recap.text)
                )
                if recap.is_remembered:
                    remembered.append(index)
                inclusion = NO_RECAP_YET  # until the budget is known
            new.append(inclusion)
        budget = _Budget(messages, recaps, rules, candidates, sizes, remembered, count)
        # What is older than all that and was out of the budget stays so.
        moved = {bisect_left(candidates, i) for i in self.inside | budget.inside if i < first}
        before = self.inclusions[:first]
        if moved:
            settled = list(before)
            for place in moved:
                settled[candidates[place]] = budget.inclusion(place)
            before = tuple(settled)
        for place, index in enumerate(candidates[known:], known):
            new[index - first] = budget.inclusion(place)
        return Decided(
            messages,
            recaps,
            rules,
            message_tokens,
            count,
            before + tuple(new),
            candidates,
            remembered,
            sizes,
            budget.inside,
        )

    def _first_new(
        self,
        messages: Sequence[Message],
        recaps: Mapping[str, MessageRecap],
        message_tokens: Sequence[int],
        head: int,
    ) -> int:
        """Index of the first message that may be decided otherwise, but for the budget."""
        first = head + common_ends(self.messages[head:], messages[head:])[0]
        if self.rules is not None and self.rules.minimum_tokens:
            first = min(first, common_ends(self.message_tokens, message_tokens)[0])
        if recaps is self.recaps:
            return first
        before = self.recaps
        others = {anchor for anchor, recap in recaps.items() if before.get(anchor) != recap}
        others |= before.keys() - recaps.keys()
        return min((first, *places_of(messages, others).values())) if others else first


def _without_budget(
    message: Message, recap: MessageRecap, rules: InclusionRules, tokens: int
) -> Inclusion | None:
    """What becomes of a message whatever the budget is; None when that is to be asked."""
    reason = exclusion_reason(message, recap, rules)
    if not reason and tokens < rules.minimum_tokens:
        reason = tr("Shorter than {n} tokens.", n=number(rules.minimum_tokens))
    if reason:
        return _inclusion(InclusionState.EXCLUDED, reason, message, recap)
    if recap.text:
        return None
    if recap.error:
        return _inclusion(InclusionState.FAILED, recap.error, message, recap)
    return _without_recap(message, recap)


class _Budget:
    """Which of the candidates fit, newest first. Lists as in Decided."""

    # 7 parameters: as of `included`: the story's parts that decide.
    def __init__(
        self,
        messages: Sequence[Message],
        recaps: Mapping[str, MessageRecap],
        rules: InclusionRules,
        candidates: Sequence[int],
        sizes: Sequence[int],
        remembered: Sequence[int],
        count: Callable[[str], int],
    ) -> None:
        self._messages, self._recaps, self._rules = messages, recaps, rules
        self._candidates, self._sizes = candidates, sizes
        self._said: dict[tuple[int, str, bool, bool], Inclusion] = {}
        self._lagging = len(messages) - rules.lag
        self._taken = tr("Newer recaps use up the {n} tokens.", n=number(rules.limit_tokens))
        self._taken_long = tr(
            "The {n} tokens for recaps you keep are used up.", n=number(rules.long_term_tokens)
        )
        timely = bisect_left(candidates, self._lagging)
        newest, their = candidates[:timely][::-1], sizes[:timely][::-1]
        self._short = self._fitting(newest, their, rules.limit_tokens, count)
        kept = remembered[: bisect_left(remembered, self._lagging)][::-1]
        kept = [index for index in kept if index not in self._short]
        self._long = self._fitting(kept, map(self._size, kept), rules.long_term_tokens, count)
        self.inside = self._short | self._long | frozenset(candidates[timely:])

    def _fitting(
        self,
        newest: Sequence[int],
        sizes: Iterable[int],
        limit: int,
        count: Callable[[str], int],
    ) -> frozenset[int]:
        """Those of the candidates, newest first, whose recaps fit, counted as one joined text."""

        def texts(number: int) -> list[str]:
            return list(map(self._text, newest[:number]))

        if not self._rules.skip_oversized:
            return frozenset(newest[: _cut(texts, sizes, len(newest), limit, count)])
        taken: list[int] = []
        joined, total = "", 0
        for index, size in zip(newest, sizes, strict=True):
            # What is far too long for the room left is passed by without counting the joined text.
            if size > limit or total + size > limit + len(taken) + 8:
                continue
            text = self._text(index)
            candidate = f"{joined}{SEPARATOR}{text}" if joined else text
            if count(candidate) <= limit:
                taken.append(index)
                joined, total = candidate, total + size
        return frozenset(taken)

    def _text(self, index: int) -> str:
        recap = self._recaps[self._messages[index].anchor]
        return recap.shown_text(with_prefill=self._rules.with_prefill)

    def _size(self, index: int) -> int:
        return self._sizes[bisect_left(self._candidates, index)]

    def inclusion(self, place: int) -> Inclusion:
        """What becomes of the candidate at that place."""
        index = self._candidates[place]
        message = self._messages[index]
        recap = self._recaps[message.anchor]
        if index >= self._lagging:
            state, reason = _LAGGING
        elif index in self._short:
            state, reason = _REMEMBERED if recap.is_remembered else _INCLUDED
        elif index in self._long:
            state, reason = _LONG_TERM
        else:
            state = _OUT
            reason = self._taken_long if recap.is_remembered else self._taken
        # Of thousands most are like others: to look one up is faster than to make it.
        size, is_edited, source = self._sizes[place], recap.is_edited, recap.source_hash
        is_stale = bool(source) and source != message.content_hash
        key = (size, reason, is_stale, is_edited)
        said = self._said.get(key)
        if said is None or said.state is not state:
            said = Inclusion(state, reason, size, is_stale=is_stale, is_edited=is_edited)
            self._said[key] = said
        return said


def _without_recap(message: Message, recap: MessageRecap) -> Inclusion:
    if recap.absence is Absence.REMOVED:
        return REMOVED
    is_looked_at = recap.absence is Absence.NOTHING and recap.source_hash == message.content_hash
    return NOTHING_TO_RECAP if is_looked_at else NO_RECAP_YET


def _inclusion(
    state: InclusionState, reason: str, message: Message, recap: MessageRecap, tokens: int = 0
) -> Inclusion:
    is_stale = _is_stale(message, recap)
    return Inclusion(state, reason, tokens, is_stale=is_stale, is_edited=recap.is_edited)


def _is_stale(message: Message, recap: MessageRecap) -> bool:
    source = recap.source_hash
    return bool(source) and source != message.content_hash and bool(recap.text)


def _cut(
    texts: Callable[[int], Sequence[str]],
    sizes: Iterable[int],
    most: int,
    limit: int,
    count: Callable[[str], int],
) -> int:
    """How many texts fit: the same cut as recounting the growing text at each step.

    texts: the first ones, so many; most: of all. The sum of the single counts is never far off, so
    it says where to look, and exact counts of the joined text settle the boundary: a few counts of
    at most `limit` tokens in all.
    """

    def fits(number: int) -> bool:
        return count(SEPARATOR.join(texts(number))) <= limit

    total, guess = 0, 0
    for size in sizes:
        total += size
        if total > limit:
            break
        guess += 1
    while guess > 0 and not fits(guess):
        guess -= 1
    while guess < most and fits(guess + 1):
        guess += 1
    return guess
