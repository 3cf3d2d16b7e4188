"""The stretch of a story that a model is shown for extraction, its messages numbered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from msgspec import structs

from app.memory.reading.answers import as_prose
from app.memory.records import Source
from app.story.messages import Message, MessageKind

# At the beginning of a line in a message: it would pass for the number of another message.
NUMBERED = re.compile(r"^([^\S\n]*)\[([^\S\n]*\d{1,9}[^\S\n]*)\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Window:
    """Messages for one request, numbered from 1 in the order of the story.

    messages: those with text that are visible to the story. new_from: number of the first message
    that was not extracted before; the ones before it are there to understand it.
    """

    chat: int
    messages: tuple[Message, ...]
    new_from: int = 1

    @property
    def text(self) -> str:
        """The numbered transcript as prompts show it.

        What a message holds that looks like the number of a message, or like an entry of an answer,
        loses its square brackets: a model that repeats it makes no memory of it.
        """
        return "\n\n".join(
            f"[{number}] {' '.join(message.name.split())}: {_shown(message.text.strip())}"
            for number, message in enumerate(self.messages, 1)
        )

    @property
    def new(self) -> tuple[Message, ...]:
        """The messages that are to be extracted."""
        return self.messages[self.new_from - 1 :]

    @property
    def speakers(self) -> tuple[str, ...]:
        """Distinct names of who speaks, in the order of their first line."""
        return tuple(dict.fromkeys(message.name for message in self.messages))

    def sources(self, numbers: Iterable[int]) -> tuple[Source, ...] | None:
        """The cited messages, None when a number is not in the window: such a claim is invalid as a
        whole (spec §21.3).
        """
        cited = sorted(set(numbers))
        if any(not 1 <= number <= len(self.messages) for number in cited):
            return None
        shown = (self.messages[number - 1] for number in cited)
        return tuple(Source(self.chat, m.anchor, m.content_hash) for m in shown)


def text_of(messages: Iterable[Message]) -> str:
    """What messages say and who says it, to see what they are about."""
    return "\n".join(f"{message.name}: {message.text}" for message in messages)


def is_told(message: Message) -> bool:
    """Whether a message belongs to the story that is extracted: shown, not a notice, with text."""
    return (
        not message.is_hidden
        and message.kind is not MessageKind.NOTICE
        and any(map(str.isalnum, message.text))
    )


def settled(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages that nobody swipes any more: a trailing reply waits (design.md, decision 6)."""
    return messages if not messages or messages[-1].is_user else messages[:-1]


def windows_within(window: Window, room: int, count: Callable[[str], int]) -> tuple[Window, ...]:
    """The window, in parts of at most `room` tokens each; nothing that is new is left out.

    Messages that are only there to understand it go first. A message that is too long by itself is
    shown piece by piece, each under its own number of one part.
    """
    if count(window.text) <= room:
        return (window,)
    if window.new_from > 1:
        shorter = Window(window.chat, window.messages[1:], window.new_from - 1)
        return windows_within(shorter, room, count)
    parts: list[Window] = []
    part: list[Message] = []
    for message in window.messages:
        for piece in _pieces(message, room, count):
            if part and count(Window(window.chat, (*part, piece)).text) > room:
                parts.append(Window(window.chat, tuple(part)))
                part = []
            part.append(piece)
    return (*parts, Window(window.chat, tuple(part)))


def _shown(text: str) -> str:
    return NUMBERED.sub(r"\1(\2)", as_prose(text)) if "[" in text else text


def _pieces(message: Message, room: int, count: Callable[[str], int]) -> list[Message]:
    """The message, cut between words where it is longer than the room."""
    whole = Window(0, (message,)).text
    tokens = count(whole)
    if tokens <= room:
        return [message]
    # One slice may be denser than the whole: a fifth is left free.
    size = max(200, len(message.text) * room * 4 // (tokens * 5))
    pieces, start, text = [], 0, message.text
    while start < len(text):
        end = start + size
        if end < len(text):
            end = max(text.rfind(" ", start + size // 2, end), text.rfind("\n", start, end)) + 1
            end = end if end > start else start + size
        pieces.append(structs.replace(message, text=text[start:end]))
        start = end
    return pieces
