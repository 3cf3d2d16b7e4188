"""What a page shows at a message: where scenes end, its recap, and what became of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zlib import crc32

import msgspec

from app.core.translation import N_, tr
from app.story.inclusion import Inclusion, InclusionState
from app.story.messages import Message, MessageRecap
from app.story.scenes import Scene
from app.story.story import Story

LONGEST_RECAP = 600
LONGEST_REASON = 300
LONGEST_NAME = 120
MOST_MESSAGES = 10_000  # of a page that shows still more, the newest get marks

_NO_RECAP = MessageRecap()
_WORDS: Mapping[InclusionState, str] = {
    InclusionState.INCLUDED: N_("Included"),
    InclusionState.LONG_TERM: N_("Long-term"),
    InclusionState.OUT_OF_BUDGET: N_("Out of budget"),
    InclusionState.EXCLUDED: N_("Excluded"),
    InclusionState.LAGGING: N_("Waiting"),
    InclusionState.FAILED: N_("Failed"),
    InclusionState.NONE: N_("None"),
}


class PageMark(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The marks of one message; without any it takes away what stood there.

    hash: the message's checksum, by which the page knows that it means the same one. end: number
    and name of the scene that ends here; the page, whose language may be another one than ours,
    says the rest. state: of the recap, a key for its colour; word: the same for people.
    """

    index: int
    hash: int
    end: str = ""
    state: str = ""
    word: str = ""
    reason: str = ""
    recap: str = ""


def message_checksum(message: Message) -> int:
    """What the page's `messageChecksum` gives for the same message."""
    text = f"{message.name}\0{message.text}\0{int(message.is_hidden)}\0{message.swipe}"
    try:
        return crc32(text.encode())
    except UnicodeEncodeError:  # TextEncoder writes lone surrogates as U+FFFD
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return crc32(whole.encode())


def page_marks(
    story: Story, first: int, *, with_ends: bool, with_recaps: bool
) -> dict[int, PageMark]:
    """What messages from `first` on show, by index; messages that show nothing are left out."""
    count = len(story.messages)
    closed = (scene for scene in story.scenes if scene.closing is not None)
    ends = {scene.last: scene for scene in closed} if with_ends else {}
    marks: dict[int, PageMark] = {}
    for index in range(max(first, count - MOST_MESSAGES, 0), count):
        end = _end(story, ends[index]) if index in ends else ""
        told = _told(story, index) if with_recaps else {}
        if end or told:
            checksum = message_checksum(story.messages[index])
            marks[index] = PageMark(index, checksum, end, **told)
    return marks


def difference(
    before: Mapping[int, PageMark], now: Mapping[int, PageMark], story: Story
) -> list[PageMark]:
    """What a page has to be told that was told `before`; the newest messages come first."""
    changed = [mark for index, mark in now.items() if before.get(index) != mark]
    gone = [
        PageMark(index, message_checksum(story.messages[index]))
        for index in before.keys() - now.keys()
        if index < len(story.messages)
    ]
    return sorted((*changed, *gone), key=lambda mark: -mark.index)


def _end(story: Story, scene: Scene) -> str:
    name = " ".join(story.scene_name(scene)[:LONGEST_NAME].split())
    return f"{scene.number}: {name}" if name else str(scene.number)


def _told(story: Story, index: int) -> dict[str, Any]:
    """State and recap of a message; nothing where it has neither recap nor failure."""
    if index >= len(story.inclusion):
        return {}
    inclusion = story.inclusion[index]
    recap = story.message_recaps.get(story.messages[index].anchor, _NO_RECAP)
    if not recap.text and inclusion.state is not InclusionState.FAILED:
        return {}
    return {
        "state": inclusion.state.value.replace(" ", "-"),
        "word": _word(inclusion),
        "reason": tr(inclusion.reason)[:LONGEST_REASON],
        "recap": _shortened(" ".join(recap.text[: LONGEST_RECAP * 2].split())),
    }


def _word(inclusion: Inclusion) -> str:
    word = tr(_WORDS[inclusion.state])
    return tr("{word}, from an earlier text", word=word) if inclusion.is_stale else word


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_RECAP else f"{text[: LONGEST_RECAP - 1]}…"
