"""What open chats need of the program around them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from app.work.chats.open_chat import OpenChat
from app.work.planning.writing import Writing


@dataclass(frozen=True, slots=True)
class Around:
    """Given to OpenChats when they are made.

    writing: who writes. follow: queues what a chat lacks. connection: SillyTavern's, as its
    tokenizer is named. reads_to_the_end: for memory, since nobody swipes the last reply any more.
    """

    writing: Callable[[], Writing] | None = None
    follow: Callable[[OpenChat], Awaitable[None]] | None = None
    connection: Callable[[], str] = str
    keeps_memory: bool = False
    reads_to_the_end: bool = False
