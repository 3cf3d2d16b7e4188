"""Knows which chat a number in the store stands for, for those who tell of its work."""

from __future__ import annotations

from pathlib import Path

from app.sillytavern.data_folders import chat_ref_for
from app.store.store import Store
from app.story.story import ChatRef
from app.work.chats.library import Library
from app.work.chats.open_chat import OpenChat


class ChatNames:
    """The chats of the store by their number: as they were read, else as SillyTavern lists them."""

    def __init__(self, store: Store, library: Library) -> None:
        self._store = store
        self._library = library
        self._paths: dict[int, Path] = {}
        self._read: dict[int, ChatRef] = {}

    async def load(self) -> None:
        """Take in the chats of earlier runs."""
        stored = await self._store.run(self._store.chats.paths)
        self._paths = {number: Path(name) for number, name in stored.items()}

    def note(self, chat: OpenChat) -> None:
        """A chat was read."""
        self._read[chat.chat_id] = chat.chat

    def of(self, chat_id: int) -> ChatRef | None:
        """The chat with this number, None for one that nobody knows any more."""
        if chat_id in self._read:
            return self._read[chat_id]
        path = self._paths.get(chat_id)
        if path is None:
            return None
        listed = (chat for chat in self._library.chats if chat.path == path)
        return next(listed, None) or chat_ref_for(path)
