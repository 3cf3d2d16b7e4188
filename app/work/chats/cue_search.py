"""Searches one chat for scene breaks by their cues, where it was not searched before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.story.anchors import common_ends
from app.story.messages import Message
from app.story.scene_cues.language import LanguagePack
from app.story.scene_detection import SETTLES, Detector, FoundBreak

# So many messages are searched in some tenths of a second: nobody waits for more.
FAR = 1_000
PART = 500  # messages that are searched at once; between two parts the search can be broken off
_STEP = 256  # so that what is read before the new messages is the same for many of them


class CueSearch:
    """Knows what of a chat holds no more breaks, and finds those of the rest."""

    def __init__(self, packs: Sequence[LanguagePack]) -> None:
        self._packs = packs
        self._detector = Detector(packs)
        # These messages hold no more breaks from this index on.
        self._searched: tuple[tuple[Message, ...], int] = ((), 0)

    def since(self, messages: tuple[Message, ...], start: int) -> int | None:
        """From which message on breaks may be that were not found, None for nowhere.

        start: behind the last mark. Only other messages can hold other breaks, or those that a
        mark kept from being searched.
        """
        searched, searched_from = self._searched
        if searched is messages and start >= searched_from:
            return None
        # What is little is searched whole: it costs less than finding out what is new in it.
        if start != searched_from or len(messages) - start <= FAR:
            return start
        alike, _ = common_ends(searched, messages)
        return max(start, (alike - 1 - SETTLES) // _STEP * _STEP)

    def found(
        self, messages: tuple[Message, ...], *, start: int, since: int, minimum: int
    ) -> tuple[FoundBreak, ...]:
        """The breaks of all messages, at once. minimum: length of a scene."""
        return self._detector.detect(
            _settled(messages), start=start, minimum_length=minimum, since=since
        )

    def parts(
        self, messages: tuple[Message, ...], *, start: int, since: int, minimum: int
    ) -> Iterator[tuple[FoundBreak, ...]]:
        """The same, each time of one more part of a long chat; the detector's memory stays small.

        What a part ends with is not final: it is read again with the next one.
        """
        detector, settled = Detector(self._packs), _settled(messages)
        for end in range(since + PART, len(settled) + PART, PART):
            final = None if end >= len(settled) else end - SETTLES
            part = detector.detect(
                settled[:end], start=start, minimum_length=minimum, settled=final, since=since
            )
            start = part[-1].last + 1 if part else start
            since = max(start, end - SETTLES)
            yield part

    def note(self, messages: tuple[Message, ...], start: int) -> None:
        """From `start` on, these messages hold no more breaks; those found may be cleared again:
        then all of it is searched.
        """
        self._searched = messages, start


def _settled(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The trailing reply may still be swiped: not read."""
    return messages if messages and messages[-1].is_user else messages[:-1]
