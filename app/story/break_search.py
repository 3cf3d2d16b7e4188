"""Where a model is asked next for the end of a scene: one bounded question at a time. Pure.

Sources: spec/auto-recap.md §4.7 to §4.12 and §11, items 13, 34, 36, 43 and 44.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from app.story.answers.rationale import VETO_REACH
from app.story.messages import Message, MessageKind
from app.story.scenes import Scene, SceneBreak, scene_digest

WINDOW = 30  # messages shown at once
CONTEXT_BEFORE = 12  # messages shown before the first that may be chosen
LOOK_AHEAD = 3  # messages shown behind the last that may be chosen: the next scene has to show
NEAR_A_REMOVED_BREAK = 2  # messages around a break that was taken away: it would be set again
USUAL_LENGTH = 12  # messages of a scene, to say beforehand what a search takes

INSTRUCTION_TOKENS = 700
ANSWER_TOKENS = 80
ANSWER_SHARE = 0.35  # of the context, at most, is kept free for an answer
LONGEST_DETECTION = 1024
LONGEST_RECAP = 2048
MARGIN = 0.2  # other tokenizers cut a text into more pieces than the one that counts here
SMALLEST_MESSAGE = 56  # tokens that a message is clipped to at least
SMALLEST_ROOM = 256


@dataclass(frozen=True, slots=True)
class Searched:
    """The messages from `first` to `last` were offered to a model, and it chose none of them.

    All four are anchors; those from `shown_first` to `shown_last` were shown. digest: of what was
    shown, so that an edit re-opens the range. by: backend and prompt version.
    """

    first: str
    last: str
    shown_first: str
    shown_last: str
    digest: str
    by: str
    is_forced: bool = False


@dataclass(frozen=True, slots=True)
class BreakSearch:
    """One question: which of the messages `first` to `last` ends its scene?

    shown: indexes of the messages shown, in order. barred: indexes from first to last that may
    not be chosen. is_forced: none is no answer. takes_several: all ends are asked for, not the
    first (app/story/doubtful_breaks.py).
    """

    shown: tuple[int, ...]
    first: int
    last: int
    barred: frozenset[int]
    is_forced: bool = False
    takes_several: bool = False

    @property
    def candidates(self) -> tuple[int, ...]:
        """Indexes that may be chosen."""
        return tuple(i for i in self.shown if self.first <= i <= self.last and i not in self.barred)


@dataclass(frozen=True, slots=True)
class SearchRules:
    """How to search.

    minimum: messages that both scenes at a break keep. offset: so many of the newest messages
    cannot be chosen. speakers: whose messages count: both, user or character. batch: the open
    scene is searched when so many new messages can be chosen. context_tokens: of the model, None
    while unknown. previous_tokens: of the running recap that stands before a scene in its recap's
    request. is_forcing: choose a break when a scene outgrows that request. by: as in Searched.
    """

    minimum: int
    offset: int
    speakers: str = "both"
    batch: int = 1
    context_tokens: int | None = None
    previous_tokens: int = 0
    is_forcing: bool = True
    by: str = ""

    @property
    def room(self) -> int | None:
        """Tokens of the messages shown in one question."""
        return self._room(LONGEST_DETECTION, 0)

    @property
    def scene_room(self) -> int | None:
        """Tokens of a scene whose recap one request can write."""
        return self._room(LONGEST_RECAP, self.previous_tokens)

    def _room(self, answer: int, besides: int) -> int | None:
        if self.context_tokens is None:
            return None
        free = self.context_tokens - min(answer, int(self.context_tokens * ANSWER_SHARE))
        return max(SMALLEST_ROOM, int(free * (1 - MARGIN)) - INSTRUCTION_TOKENS - besides)


@dataclass(frozen=True, slots=True)
class SearchCost:
    """What a search takes, before it begins.

    messages: that can be chosen and were not offered yet. requests: about, when scenes are of
    the usual length and answers are sound. requests_at_most: whatever the model answers, its
    repairs included. The token counts go with `requests`.
    """

    messages: int = 0
    requests: int = 0
    requests_at_most: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: SearchCost) -> SearchCost:
        return SearchCost(
            self.messages + other.messages,
            self.requests + other.requests,
            self.requests_at_most + other.requests_at_most,
            self.prompt_tokens + other.prompt_tokens,
            self.output_tokens + other.output_tokens,
        )

    def share(self, part: float) -> SearchCost:
        """So much of it, 0 to 1."""
        return SearchCost(
            round(self.messages * part),
            round(self.requests * part),
            round(self.requests_at_most * part),
            round(self.prompt_tokens * part),
            round(self.output_tokens * part),
        )


class ScenesOfMessages:
    """The messages of a story in which scene breaks are searched.

    tokens: of each message. breaks: all, hidden ones too. searched: what was looked at before.
    """

    def __init__(
        self,
        messages: Sequence[Message],
        tokens: Sequence[int],
        breaks: Mapping[str, SceneBreak],
        searched: Collection[Searched],
    ) -> None:
        self.messages = messages
        self.tokens = tokens
        self.searched = searched
        self._positions = {message.anchor: index for index, message in enumerate(messages)}
        self._removed = sorted(
            self._positions[anchor]
            for anchor, mark in breaks.items()
            if not mark.is_visible and anchor in self._positions
        )

    def next_search(self, scene: Scene, rules: SearchRules) -> BreakSearch | None:
        """The next question about a scene, None when there is nothing to ask (yet).

        An answer that names a message cuts the scene in two, each of at least `minimum` messages;
        one that names none makes the messages that could be chosen `Searched`. So the number of
        questions is bounded by that of the messages, whatever is answered.
        """
        part = self._part(scene, rules)
        if not part.candidates:
            return None
        forced = self._forced(part, scene, rules)
        if forced is not None:
            return forced
        left = part.unsearched
        if len(left) < (1 if scene.is_closed else rules.batch):
            return None
        return part.window(left[0], rules)

    def cost(self, scene: Scene, rules: SearchRules) -> SearchCost:
        """What it takes to ask about all of a scene."""
        part = self._part(scene, rules)
        left = part.unsearched
        if len(left) < (1 if scene.is_closed else rules.batch):
            return SearchCost()
        windows = list(part.windows(rules))
        shown = sum(part.shown_tokens(window, rules) for window in windows) // len(windows)
        usual = sum(len(window.shown) for window in windows) // len(windows)
        least = min(len(window.candidates) for window in windows[:-1] or windows)
        likely = len(left) // USUAL_LENGTH
        # A hit begins a new scene, and is followed by a search of the scene that it closed.
        forward = max(len(windows), likely)
        backward = shown * min(usual, USUAL_LENGTH) // usual
        vetoed = ceil(len(left) / (1 + VETO_REACH))
        at_most = ceil(len(left) / least) + vetoed + 2
        if self._outgrows(part, rules):  # both parts of each cut may be asked about once more
            at_most += 3 * (len(part.told) // max(1, rules.minimum))
        else:  # each cut has both parts looked at to their ends, and each answer settles a message
            at_most = min(len(left), at_most + 2 * part.most_breaks(left, rules))
        return SearchCost(
            messages=len(left),
            requests=forward + likely,
            requests_at_most=2 * at_most,
            prompt_tokens=forward * shown
            + likely * backward
            + (forward + likely) * INSTRUCTION_TOKENS,
            output_tokens=(forward + likely) * ANSWER_TOKENS,
        )

    def _outgrows(self, part: _Part, rules: SearchRules) -> bool:
        """Whether one request cannot write the recap of all of it."""
        room = rules.scene_room
        return room is not None and sum(self.tokens[index] for index in part.told) > room

    def shown_between(self, ends: Sequence[str], speakers: str) -> tuple[int, ...] | None:
        """Indexes of the messages that count from one anchor to another, None when one is gone."""
        start, end = self._positions.get(ends[0]), self._positions.get(ends[1])
        if start is None or end is None:
            return None
        return _told(self.messages, start, end, speakers)

    def digest_of(self, shown: Sequence[int]) -> str:
        """Digest of what is shown."""
        return scene_digest(self.messages[index] for index in shown)

    def near_removed(self, first: int, last: int) -> frozenset[int]:
        """Indexes at breaks that were taken away by hand."""
        reach = NEAR_A_REMOVED_BREAK
        return frozenset(
            index
            for removed in self._removed
            if first - reach <= removed <= last + reach
            for index in range(removed - reach, removed + reach + 1)
        )

    def _part(self, scene: Scene, rules: SearchRules) -> _Part:
        told = _told(self.messages, scene.first, scene.last, rules.speakers)
        candidates = told[rules.minimum - 1 :]
        if scene.is_closed:
            candidates = candidates[: max(0, len(told) - 2 * rules.minimum + 1)]
        else:
            # A break has a message behind it, and the trailing reply may still be swiped.
            newest = len(self.messages) - 1 - max(1, rules.offset)
            candidates = tuple(index for index in candidates if index <= newest)
        barred = self.near_removed(scene.first, scene.last)
        done = self._done(scene, rules, is_forced=False)
        return _Part(self.tokens, told, candidates, barred, done)

    def _done(self, scene: Scene, rules: SearchRules, *, is_forced: bool) -> frozenset[int]:
        """Indexes in a scene that were offered before, in the same words.

        The range before a break that a model set was searched when it was set; another model is
        asked about what is still open only.
        """
        found: set[int] = set()
        for row in self.searched:
            if row.is_forced != is_forced or (row.by != rules.by and not scene.is_closed):
                continue
            first, last = self._positions.get(row.first), self._positions.get(row.last)
            if first is None or last is None or last < scene.first or first > scene.last:
                continue
            shown = self.shown_between((row.shown_first, row.shown_last), rules.speakers)
            if shown is not None and self.digest_of(shown) == row.digest:
                found.update(range(first, last + 1))
        return frozenset(found)

    def _forced(self, part: _Part, scene: Scene, rules: SearchRules) -> BreakSearch | None:
        """The question that takes no for no answer, when the scene outgrows its recap's request.

        It is asked once, when no message of the range that fits was chosen freely.
        """
        room = rules.scene_room
        if room is None or not rules.is_forcing:
            return None
        spent, fitting = 0, 0
        for index in part.told:
            spent += self.tokens[index]
            if spent > room:
                break
            fitting += 1
        newest = part.candidates[-1]
        if fitting == len(part.told) or newest < part.told[fitting]:
            return None
        candidates = [i for i in part.candidates if i < part.told[fitting] and i not in part.barred]
        if not candidates or any(index not in part.done for index in candidates):
            return None
        if self._done(scene, rules, is_forced=True).issuperset(candidates):
            return None
        end = min(len(part.told), fitting + LOOK_AHEAD)
        return _search(part.told[:end], candidates, is_forced=True)


@dataclass(frozen=True, slots=True)
class _Part:
    """A scene to be searched: its messages that count, and those of them that may end it."""

    tokens: Sequence[int]
    told: tuple[int, ...]
    candidates: tuple[int, ...]
    barred: frozenset[int]
    done: frozenset[int]

    @property
    def unsearched(self) -> list[int]:
        return [i for i in self.candidates if i not in self.done and i not in self.barred]

    def most_breaks(self, left: Sequence[int], rules: SearchRules) -> int:
        """How many of these may end scenes that are long enough."""
        places, apart = {index: at for at, index in enumerate(self.told)}, max(1, rules.minimum)
        breaks, last = 0, -apart
        for index in left:
            if places[index] - last >= apart:
                breaks, last = breaks + 1, places[index]
        return breaks

    def windows(self, rules: SearchRules) -> Iterator[BreakSearch]:
        """All questions about this part, when each is answered with no."""
        left = self.unsearched
        wanted, places = frozenset(left), {index: at for at, index in enumerate(self.told)}
        at = 0
        while at < len(left):
            window = self._window(places[left[at]], wanted, rules)
            yield window
            at += len(window.candidates)

    def window(self, first: int, rules: SearchRules) -> BreakSearch:
        """The question that begins with this message."""
        return self._window(self.told.index(first), frozenset(self.unsearched), rules)

    def shown_tokens(self, search: BreakSearch, rules: SearchRules) -> int:
        return sum(self._cost(index, rules.room) for index in search.shown)

    def _window(self, at: int, left: frozenset[int], rules: SearchRules) -> BreakSearch:
        room = rules.room
        longest = WINDOW if room is None else max(2, min(WINDOW, room // SMALLEST_MESSAGE))
        begin, spent = at, 0
        while begin > 0 and at - begin < min(CONTEXT_BEFORE, longest // 3):
            cost = self._cost(self.told[begin - 1], room)
            if room is not None and spent + cost > room // 3:
                break
            begin, spent = begin - 1, spent + cost
        end = at
        while end < len(self.told) and end - begin < longest:
            cost = self._cost(self.told[end], room)
            if room is not None and spent + cost > room and end > at + 1:
                break
            end, spent = end + 1, spent + cost
        newest = len(self.told) if end == len(self.told) else max(at + 1, end - LOOK_AHEAD)
        candidates = [index for index in self.told[at:newest] if index in left]
        return _search(self.told[begin:end], candidates, is_forced=False)

    def _cost(self, index: int, room: int | None) -> int:
        """Tokens of a message as it is shown: a huge one is clipped."""
        return self.tokens[index] if room is None else min(self.tokens[index], room // 4)


def is_choosable(message: Message, speakers: str = "both") -> bool:
    """Whether a message counts (§4.8): it tells something, and its kind of speaker is wanted."""
    if message.kind is MessageKind.NOTICE or not message.text.strip():
        return False
    return speakers == "both" or message.is_user == (speakers == "user")


def _told(messages: Sequence[Message], first: int, last: int, speakers: str) -> tuple[int, ...]:
    return tuple(i for i in range(first, last + 1) if is_choosable(messages[i], speakers))


def _search(shown: Sequence[int], candidates: Collection[int], *, is_forced: bool) -> BreakSearch:
    first, last = min(candidates), max(candidates)
    wanted = frozenset(candidates)
    barred = frozenset(i for i in shown if first <= i <= last and i not in wanted)
    return BreakSearch(tuple(shown), first, last, barred, is_forced)
