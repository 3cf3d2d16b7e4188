"""A tavern that is looked after with its memory, and the store behind it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.memory.records import Memory, MemoryChange, Source, Tier
from app.store.store import Store
from app.views.memory_view import MemoryView
from tests.labelled import WrittenTavern


@dataclass
class World:
    """A tavern that is looked after, and the store behind it."""

    companion: Companion
    store: Store
    tavern: WrittenTavern
    owner: str = ""
    chat: int = 0
    anchors: tuple[str, ...] = ()

    async def open(self, path: Path | None = None, *, until: int | None = None) -> MemoryView:
        path = path or self.tavern.chat
        await self.companion.open_story(path, until=until)
        return self.companion.memory(path, until=until)

    def source(self, index: int) -> Source:
        return Source(self.chat, self.anchors[index])

    async def write(self, *memories: Memory, **more: Any) -> None:
        change = MemoryChange(memories, **more)
        await self.store.run(lambda: self.store.memories.write(change))
        await self.refreshed()

    async def refreshed(self) -> None:
        await self.companion.put_setting("context_tokens", 8000)

    def memory(self, name: str, *sources: int, **fields: Any) -> Memory:
        fields = {"tier": Tier.SESSION, "type": "detail", "text": name} | fields
        return Memory(name, self.chat, sources=tuple(map(self.source, sources)), **fields)

    def kept(self, name: str, *sources: int, **fields: Any) -> Memory:
        fields = {"tier": Tier.LONG_TERM, "type": "fact", "character": self.owner} | fields
        return self.memory(name, *sources, **fields)

    def branch(self, name: str, messages: int, *, parent: Path | None = None) -> Path:
        """A file that shares the first messages, as SillyTavern writes one."""
        path = parent or self.tavern.chat
        lines = path.read_text("utf-8").splitlines()
        header = json.loads(lines[0])
        header["chat_metadata"]["main_chat"] = path.stem
        made = path.with_name(f"{name}.jsonl")
        made.write_text("\n".join([json.dumps(header), *lines[1 : messages + 1]]), "utf-8")
        return made


@asynccontextmanager
async def opened(tavern: WrittenTavern, data: Path) -> AsyncIterator[World]:
    folders = user_folders(data)
    async with open_companion(
        folders, tavern=tavern.user_folder, watch=False, keeps_memory=True
    ) as companion:
        companion.settings.put("memory_auto", False)
        store = Store(folders.database)
        await store.open()
        try:
            world = World(companion, store, tavern)
            view = await world.open()
            world.owner = view.story.chat.owner_key
            world.chat = view.ground.chat
            world.anchors = tuple(m.anchor for m in view.story.messages)
            yield world
        finally:
            await store.aclose()


def texts(view: MemoryView) -> set[str]:
    return {standing.memory.text for standing in view.memories}


def active(view: MemoryView) -> set[str]:
    return {standing.memory.text for standing in view.memories if standing.is_active}
