"""Copies of a chat, and the alarm that there is one to go back to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ChatCopy:
    """A chat as it was. moment: seconds since the epoch. lines: of its file. bytes: packed.

    is_rest: no state of the chat, but messages that were in older copies and are in no other one.
    """

    path: Path
    moment: float
    lines: int
    bytes: int
    is_rest: bool = False

    @property
    def messages(self) -> int:
        """How many it holds, its first line being no message."""
        return max(0, self.lines - 1)


@dataclass(frozen=True, slots=True)
class Restored:
    """A copy that is a chat of its own again. sentence: how SillyTavern comes to it, "" where it
    shows the chat by itself.
    """

    path: Path
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class ChatAlarm:
    """A chat lost much, or cannot be read any more. copy: what there is to go back to. is_gone: its
    file is. lost: messages that the copy has and the chat has not.
    """

    chat: Path
    copy: ChatCopy
    sentence: str
    is_gone: bool = False
    lost: int = 0


@dataclass(frozen=True, slots=True)
class CopyComparison:
    """A copy held against the chat as it is. lost: first words of messages that only it has.

    elsewhere: messages that neither of them has, but another copy; newest: of these the newest.
    """

    copy: ChatCopy
    kept: int
    lost: tuple[str, ...]
    added: int
    elsewhere: int = 0
    newest: ChatCopy | None = None
