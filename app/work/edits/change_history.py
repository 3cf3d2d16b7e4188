"""What was done to an open chat, newest first, and the way back to any of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from pathlib import Path

from app.store.store import Store
from app.views.journal import JournalEntry
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats


class ChangeHistory:
    """`path` is always that of an open chat. taken_in: shows what undo put into the database, and
    is told the names of what was done again.

    Raises UsageError for a chat that is not open.
    """

    def __init__(
        self,
        store: Store,
        chats: OpenChats,
        taken_in: Callable[[OpenChat, Collection[str]], Awaitable[None]],
    ) -> None:
        self._store = store
        self._chats = chats
        self._taken_in = taken_in

    async def entries(self, path: Path) -> tuple[JournalEntry, ...]:
        """The changes of a chat, the newest first; above them those that were taken back."""
        chat, journal = self._chats.required(path), self._store.undo
        return await self._store.run(lambda: journal.entries(chat.chat_id))

    async def go_to(self, path: Path, entry_id: int) -> int:
        """Make this change the last one that counts, all or nothing; gives the number of steps.

        entry_id: of one of `entries`, or AT_FIRST for the state before all of them. Raises
        UsageError for a change that is no longer there.
        """
        chat, journal = self._chats.required(path), self._store.undo
        undone = {entry.when for entry in await self.entries(path) if entry.is_undone}
        steps = await self._store.run(lambda: journal.go_to(chat.chat_id, entry_id))
        if steps:
            now = await self.entries(path)
            again = [e.label for e in now if e.when in undone and not e.is_undone]
            await self._taken_in(chat, again)
        return steps
