"""Which chats are played now: what they lack goes before what is wanted of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from app.work.chats.open_chats import OpenChats
from app.work.queue.waiting import Front


def played_chats(
    chats: OpenChats, shown: Iterable[Path], is_caught_up: Callable[[int], bool]
) -> Front:
    """Those that SillyTavern's pages show, of the open ones. is_caught_up: whether the backlog of
    a chat is worked off.
    """
    found = (chats.get(path) for path in shown)
    numbers = frozenset(chat.chat_id for chat in found if chat is not None)
    return Front(numbers, frozenset(filter(is_caught_up, numbers)))
