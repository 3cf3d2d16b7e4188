"""Which stretch of a story a model is asked about next, where the cues leave open what ends. Pure.

One question names all ends in a stretch, so that there are at most two of them for 100 messages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from app.story.break_search import (
    BreakSearch,
    ScenesOfMessages,
    SearchCost,
    Searched,
    SearchRules,
    is_choosable,
)
from app.story.scenes import BreakOrigin, SceneBreak
from app.story.story import Story

STRETCH = 50  # messages of one question, and for each question
LEAST = 25  # messages that are asked about: with fewer a scene has hardly shown its end
SURE = 0.88  # confidence from which a break of the cues is not asked about
CONTEXT_BEFORE = 8  # messages shown before the first that may be chosen
LOOK_AHEAD = 4  # messages shown behind the last: the next scene has to show
LEAD = 3  # messages before the first place in doubt that may be chosen as well
NEXT_TO = 1  # messages between two ends of which only one can be right
TOKENS_SHOWN = 120  # of a message: cues stand at its two ends
INSTRUCTION_TOKENS = 700
ANSWER_TOKENS = 120
ASKED = "stretch"  # how rows of what was asked about in this way begin to say who was asked


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked about so far. until: index of its last message, -1 for none."""

    count: int = 0
    until: int = -1

    def may_ask(self, told: int) -> bool:
        """Whether a story of so many messages has room for a question more."""
        return self.count < ceil(told / STRETCH)


def asked(story: Story, searched: Collection[Searched]) -> Asked:
    """How often a model was asked about stretches of the story as it is, and how far.

    An edit asks nothing again: what a scene is rarely hangs on a word. Nor is anything asked about
    scenes that came with the chat: whoever set them has decided.
    """
    rows = [row for row in searched if row.by.startswith(ASKED)]
    imported = [a for a, mark in story.breaks.items() if mark.origin is BreakOrigin.IMPORT]
    ends = (*(_end_of(story, row) for row in rows), *map(story.places.get, imported))
    return Asked(len(rows), max((end for end in ends if end is not None), default=-1))


def _end_of(story: Story, row: Searched) -> int | None:
    """Index of the last message that a stretch was asked about, None where nothing of it is left.
    In a branch, or where that message is deleted, as far as it may have reached.
    """
    end, first = story.places.get(row.last), story.places.get(row.first)
    if end is not None or first is None:
        return end
    return min(first + STRETCH, len(story.messages)) - 1


def unasked(story: Story, done: Asked, rules: SearchRules) -> tuple[int, ...]:
    """Indexes of the messages that a next question may be about, () while it is too early."""
    told = [i for i, m in enumerate(story.messages) if is_choosable(m, rules.speakers)]
    left = tuple(_left(story, told, done, rules))
    return left if len(left) >= LEAST and done.may_ask(len(told)) else ()


def _left(story: Story, told: Sequence[int], done: Asked, rules: SearchRules) -> list[int]:
    """Indexes of what nobody was asked about; told: of the messages that may end a scene.

    What the running recap tells is cut no more: its recaps would tell of other scenes.
    """
    newest = len(story.messages) - 1 - max(1, rules.offset)
    until = max(done.until, story.places.last_of(story.running.reached))
    return [index for index in told if until < index <= newest]


def next_stretch(
    place: ScenesOfMessages,
    story: Story,
    doubts: Collection[str],
    done: Asked,
    rules: SearchRules,
) -> BreakSearch | None:
    """The next question, None when there is nothing to ask (yet).

    doubts: anchors of the messages that may end a scene or may not.
    """
    left = unasked(story, done, rules)
    open_places = [at for at, i in enumerate(left) if story.messages[i].anchor in doubts]
    if not open_places:
        return None
    stretch = left[max(0, open_places[0] - LEAD) :][:STRETCH]
    if len(stretch) < LEAST:
        return None
    barred = _sure(story, rules) | place.near_removed(stretch[0], stretch[-1])
    candidates = [index for index in stretch if index not in barred]
    if not candidates:
        return None
    told = [i for i, m in enumerate(story.messages) if is_choosable(m, rules.speakers)]
    first, last = told.index(stretch[0]), told.index(stretch[-1])
    shown = told[max(0, first - CONTEXT_BEFORE) : last + 1 + LOOK_AHEAD]
    # The stretch is what was asked about, so its ends stay, whatever is barred in it.
    return BreakSearch(
        tuple(shown), stretch[0], stretch[-1], frozenset(stretch) & barred, takes_several=True
    )


def _sure(story: Story, rules: SearchRules) -> frozenset[int]:
    """Indexes of messages that end a scene for sure, and of those too near to end another."""
    found: set[int] = set()
    for anchor, mark in story.breaks.items():
        index = story.places.get(anchor)
        if index is not None and mark.is_visible and not is_doubtful(mark):
            reach = max(1, rules.minimum) - 1
            found.update(range(index - reach, index + reach + 1))
    return frozenset(found)


def is_doubtful(mark: SceneBreak) -> bool:
    """Whether a model may say that a break is none: cues found it, and nobody touched it."""
    is_found = mark.origin is BreakOrigin.HEURISTIC and not mark.is_named
    return is_found and mark.confidence < SURE


def cost_of_stretches(
    story: Story, done: Asked, rules: SearchRules, doubts: Collection[str] = ()
) -> SearchCost:
    """What asking takes from here on, at most: not every stretch leaves something open. doubts: as
    for `next_stretch`; of what lies before the first of them nobody is asked.
    """
    told = [i for i, m in enumerate(story.messages) if is_choosable(m, rules.speakers)]
    left = _left(story, told, done, rules)
    first = next((at for at, i in enumerate(left) if story.messages[i].anchor in doubts), 0)
    left = left[max(0, first - LEAD) :]
    requests = min(len(left) // LEAST, ceil(len(left) / STRETCH))
    requests = max(0, min(requests, ceil(len(told) / STRETCH) - done.count))
    shown = sum(min(story.message_tokens[index], TOKENS_SHOWN) for index in left)
    return SearchCost(
        messages=len(left),
        requests=requests,
        requests_at_most=requests,
        prompt_tokens=requests * INSTRUCTION_TOKENS + shown if requests else 0,
        output_tokens=requests * ANSWER_TOKENS,
    )


def refuted(
    story: Story,
    breaks: Mapping[str, SceneBreak],
    search: BreakSearch,
    ends: Collection[int],
    covered: int,
) -> list[SceneBreak]:
    """Breaks in doubt that a model was asked about and did not name.

    ends: indexes that it named. covered: up to this index the running recap tells the scenes.
    """
    candidates = frozenset(search.candidates)
    found = []
    for anchor, mark in breaks.items():
        index = story.places.get(anchor)
        if index is None or index not in candidates or index <= covered:
            continue
        is_named = any(abs(index - end) <= NEXT_TO for end in ends)
        if mark.is_visible and is_doubtful(mark) and not is_named:
            found.append(mark)
    return found


def is_next_to_a_break(story: Story, breaks: Mapping[str, SceneBreak], index: int) -> bool:
    """Whether a visible break stands at a message or beside it."""
    near: Sequence[int] = range(index - NEXT_TO, index + NEXT_TO + 1)
    return any(
        0 <= at < len(story.messages)
        and (mark := breaks.get(story.messages[at].anchor)) is not None
        and mark.is_visible
        for at in near
    )
