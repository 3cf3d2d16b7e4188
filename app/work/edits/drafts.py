"""Drafts of open stories: kept while they are written, gone once they are a version."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from app.store.store import Store
from app.story.drafts import Draft
from app.work.chats.open_chats import OpenChats


class StoryDrafts:
    """What the user is writing; `path` is that of an open chat, else UsageError."""

    def __init__(self, store: Store, chats: OpenChats) -> None:
        self._store = store
        self._chats = chats

    async def of(self, path: Path) -> tuple[Draft, ...]:
        """All drafts of a chat."""
        chat, drafts = self._chats.required(path), self._store.drafts
        return await self._store.run(lambda: drafts.of(chat.chat_id))

    async def save(self, path: Path, draft: Draft) -> None:
        """Keep a draft in place of the one before; its time is now."""
        chat, drafts = self._chats.required(path), self._store.drafts
        draft = replace(draft, saved=time.time())
        await self._store.run(lambda: drafts.save(chat.chat_id, draft))

    async def discard(self, path: Path, kind: str, anchor: str = "") -> None:
        """Forget a draft; one that is not there is fine."""
        chat, drafts = self._chats.required(path), self._store.drafts
        await self._store.run(lambda: drafts.discard(chat.chat_id, kind, anchor))
