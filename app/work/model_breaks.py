"""Finds scene breaks by asking a model, window by window (spec/auto-recap.md §4.7 to §4.9)."""

from __future__ import annotations

from collections.abc import Sequence

from app.llm.writer import RecapWriter
from app.story.messages import Message
from app.story.scenes import BreakOrigin, SceneBreak

WINDOW = 40  # messages shown at once
NEWEST_LEFT_OUT = 1  # the trailing reply may still be swiped


async def find_breaks(
    messages: Sequence[Message], writer: RecapWriter, *, start: int = 0, minimum: int
) -> list[SceneBreak]:
    """Breaks from message `start` on, where a scene begins.

    minimum: messages of a scene. Asks at most once for each window and once for each break, so
    that the cost is bounded by the length of the chat. Raises BackendError.
    """
    found: list[SceneBreak] = []
    first = start  # of the scene that is being looked for the end of
    looked_until = start  # messages before it are known to hold no break of this scene
    while True:
        end = min(len(messages), max(first, looked_until) + WINDOW)
        earliest = max(first + minimum - 1, looked_until)
        latest = min(end - 1, len(messages) - 1 - NEWEST_LEFT_OUT)
        if earliest > latest:
            return found
        begin = max(first, earliest - WINDOW // 2)
        shown = list(messages[begin:end])
        written = await writer.find_break(shown, first=earliest - begin, last=latest - begin)
        place = written.value
        if place is None:
            if end == len(messages):
                return found
            looked_until = latest + 1
            continue
        last = begin + place
        if not earliest <= last <= latest:  # asked for one of these: anything else is none
            looked_until = latest + 1
            continue
        found.append(SceneBreak(messages[last].anchor, BreakOrigin.MODEL, "model"))
        first = looked_until = last + 1
