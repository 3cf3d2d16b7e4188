"""What a search of all chats found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Hit:
    """One find. tier, type, memory_id: "" for a message. chat: its file. index: of the message, or
    of the first that a memory stands on, None when there is none. snippet: plain text; marks: where
    in it the words are, begin and end. is_current: a memory holds, as far as the index knows.
    elsewhere: how many other chats show the same message. is_doubtful: somebody was asked for, and
    who wrote this one was not noted yet.
    """

    text: str
    snippet: str
    marks: tuple[tuple[int, int], ...]
    score: float
    chat: Path
    index: int | None = None
    anchor: str = ""
    tier: str = ""
    type: str = ""
    memory_id: str = ""
    is_current: bool = True
    elsewhere: int = 0
    is_doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """What a search found, best first. is_complete: false when time ran out on the way."""

    hits: tuple[Hit, ...] = ()
    is_complete: bool = True
