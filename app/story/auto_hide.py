"""Which messages are hidden from SillyTavern's own prompt because the memory tells of them. Pure.

Golden numbers: spec/auto-recap.md §3.5 and §12. Unlike the extension we hide only what the running
recap that is injected covers, and touch only what we hid ourselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.story.messages import Message, MessageKind
from app.story.recaps import RunningRecap, injected_version

OFF = -1

Range = tuple[int, int]  # first and last index, inclusive


class HideState(StrEnum):
    """What we know of a message that we hid or are about to.

    A message that was seen hidden and is not any more was shown again by the user, so it stays
    released until it would not be hidden anyway.
    """

    ASKED = "asked"
    HIDDEN = "hidden"
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class HidePlan:
    """What to do now, as ranges of indexes. states: what is then to be remembered, by anchor."""

    hide: tuple[Range, ...]
    unhide: tuple[Range, ...]
    states: dict[str, HideState]

    def __bool__(self) -> bool:
        return bool(self.hide or self.unhide)


def first_visible(breaks: Sequence[int], newest: int) -> int:
    """Index of the first message that stays, when the newest scenes stay; below it all go.

    breaks: indexes of visible scene breaks, ascending. newest: scenes that stay, the open one
    counted; with fewer breaks than that nothing goes, and for 0 or less neither.
    """
    if newest <= 0 or len(breaks) < newest:
        return 0
    return breaks[len(breaks) - newest] + 1


def covered_end(running: RunningRecap, positions: Mapping[str, int]) -> int:
    """Index behind the last message that the injected running recap tells of."""
    version = injected_version(running, positions)
    return 0 if version is None else positions.get(version.last_anchor, -1) + 1


def plan_hiding(
    messages: Sequence[Message],
    breaks: Sequence[int],
    newest: int,
    covered: int,
    states: Mapping[str, HideState],
) -> HidePlan:
    """What to hide and to show, compared with how the messages are now.

    newest: scenes that stay (OFF: hide nothing). covered: index behind what the memory tells.
    states: as remembered, by anchor. Hidden messages that are not in it were hidden by somebody
    else and stay so; narrator messages and SillyTavern's remarks are never touched.
    """
    end = min(first_visible(breaks, newest), covered)
    hide: list[int] = []
    unhide: list[int] = []
    after: dict[str, HideState] = {}
    for index, message in enumerate(messages):
        state = states.get(message.anchor)
        if index < end and message.kind is MessageKind.CHAT:
            if message.is_hidden:
                if state is not None:
                    after[message.anchor] = HideState.HIDDEN
            elif state in (HideState.HIDDEN, HideState.RELEASED):
                after[message.anchor] = HideState.RELEASED
            else:
                hide.append(index)
                after[message.anchor] = HideState.ASKED
        elif state is not None and message.is_hidden and state is not HideState.RELEASED:
            unhide.append(index)
            after[message.anchor] = state
    return HidePlan(ranges_of(hide), ranges_of(unhide), after)


def ranges_of(indexes: Iterable[int]) -> tuple[Range, ...]:
    """Maximal runs of ascending indexes."""
    ranges: list[Range] = []
    for index in indexes:
        if ranges and ranges[-1][1] == index - 1:
            ranges[-1] = (ranges[-1][0], index)
        else:
            ranges.append((index, index))
    return tuple(ranges)
