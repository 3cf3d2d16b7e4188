"""The lore that a story's scenes gave: shown, given away, marked as done."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from app.settings.values import Settings
from app.sillytavern.world_info import world_info
from app.store.store import Store
from app.story.lore_entries.lore_proposals import LoreProposal, proposals
from app.work.chats.open_chats import OpenChats

DONE = "lore_done"
MOST_MARKS = 20_000


class StoryLore:
    """`path` is that of an open chat, else UsageError."""

    def __init__(self, store: Store, chats: OpenChats, settings: Settings) -> None:
        self._store = store
        self._chats = chats
        self._settings = settings

    def of(self, path: Path) -> tuple[LoreProposal, ...]:
        """All entries that scene recaps of the chat hold, in the order of the story."""
        chat = self._chats.required(path)
        return proposals(chat.story, self._done(chat.chat_id))

    async def mark(self, path: Path, keys: Collection[str], *, is_done: bool) -> None:
        """Note that entries were taken over, or that they were not."""
        chat = self._chats.required(path)
        done = self._done(chat.chat_id)
        done = done | frozenset(keys) if is_done else done - frozenset(keys)
        value = msgspec.json.encode(sorted(done)[:MOST_MARKS]).decode()
        with self._settings.as_before_on_error(DONE, chat_id=chat.chat_id):
            key = self._settings.put(DONE, value, chat_id=chat.chat_id)
            await self._store.run(lambda: self._store.settings.save(*key, value))

    def exported(self, path: Path, keys: Collection[str]) -> bytes:
        """The entries as a file that SillyTavern imports as a lorebook."""
        return world_info(found.entry for found in self.of(path) if found.key in set(keys))

    def _done(self, chat_id: int) -> frozenset[str]:
        stored = self._settings.in_force(DONE, chat_id=chat_id).value
        try:
            return frozenset(msgspec.json.decode(str(stored) or "[]", type=list[str]))
        except msgspec.MsgspecError:
            return frozenset()
