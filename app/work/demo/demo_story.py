"""The story that comes with Tavernkeep, and what its authors wrote for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app.core.resources import RESOURCES
from app.sillytavern.data_folders import chat_ref_for
from app.store.store import Store
from app.story.story import ChatRef, Story
from app.work.demo.demo_memories import give_demo_memories
from app.work.demo.demo_recaps import give_demo_recaps

Count = Callable[[str], int]
DEMO_CHATS = RESOURCES / "demo" / "data" / "default-user" / "chats"


def demo_chat() -> ChatRef:
    """The chat of the story."""
    return chat_ref_for(next(DEMO_CHATS.glob("*/*.jsonl")))


def is_demo(path: Path) -> bool:
    """Whether a chat is a story that comes with Tavernkeep."""
    return RESOURCES in path.parents


async def give_demo(
    store: Store, story: Story, settings: Mapping[str, Any], count: Count, *, keeps_memory: bool
) -> bool:
    """Let the demo story have what its authors wrote for it, before work on it is planned.

    count: tokens of a text. Says whether there is anything new.
    """
    path = story.chat.path
    is_new = await give_demo_recaps(store, path, story, settings, count)
    if keeps_memory:
        is_new |= await give_demo_memories(store, path)
    return is_new
