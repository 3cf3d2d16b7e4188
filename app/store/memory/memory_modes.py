"""Where memory only listens, who keeps what, and which chats tell one story."""

from __future__ import annotations

import time
from collections.abc import Iterable

from app.memory.lifecycle.policy import Pause, Policy
from app.store.database.database import Database


class MemoryModes:
    """Per chat whether it is paused, per character what may be kept; for the database's thread."""

    def __init__(self, database: Database) -> None:
        self._execute = database.execute

    def pause_of(self, chat_id: int) -> Pause | None:
        """Since where a chat adds nothing to its memory, None while it does."""
        rows = self._execute(
            "SELECT anchor, position, since FROM memory_pause WHERE chat_id = ?", (chat_id,)
        )
        return Pause(*rows[0]) if rows else None

    def pause(self, chat_id: int, anchor: str, position: int) -> None:
        """Add nothing behind this message until told otherwise; a pause that is there stays."""
        self._execute(
            "INSERT OR IGNORE INTO memory_pause (chat_id, anchor, position, since) "
            "VALUES (?, ?, ?, ?)",
            (chat_id, anchor, position, time.time()),
        )

    def go_on(self, chat_id: int) -> None:
        """Remember again."""
        self._execute("DELETE FROM memory_pause WHERE chat_id = ?", (chat_id,))

    def policy(self, character: str) -> Policy:
        """What may be kept of a character; all of it where nobody said otherwise."""
        rows = self._execute(
            "SELECT policy FROM memory_policy WHERE character = ? AND character <> ''", (character,)
        )
        return Policy(rows[0][0]) if rows else Policy.FULL

    def set_policy(self, character: str, policy: Policy) -> None:
        """Say what may be kept of a character."""
        self._execute(
            "INSERT INTO memory_policy (character, policy) VALUES (?, ?) "
            "ON CONFLICT (character) DO UPDATE SET policy = excluded.policy",
            (character, policy.value),
        )

    def kin(self, chat_id: int) -> frozenset[int]:
        """The other chats that share messages with this one: branches, copies, views, parents."""
        rows = self._execute(
            "SELECT other.id FROM chat AS this JOIN chat AS other ON other.story = this.story "
            "WHERE this.id = ?1 AND this.story <> 0 AND other.id <> ?1",
            (chat_id,),
        )
        return frozenset(int(number) for (number,) in rows)

    def make_kin(self, source: int, target: int) -> None:
        """Note that two chats share messages."""
        self._execute("UPDATE chat SET story = id WHERE id = ? AND story = 0", (source,))
        self._execute(
            "UPDATE chat SET story = (SELECT story FROM chat WHERE id = ?) WHERE id = ?",
            (source, target),
        )

    def rename_character(self, old: str, new: str) -> None:
        """A character goes on under another key, with all that it keeps."""
        for table in ("memory", "entity", "document"):
            self._execute(f"UPDATE {table} SET character = ? WHERE character = ?", (new, old))
        self._execute(
            "UPDATE OR IGNORE memory_policy SET character = ? WHERE character = ?", (new, old)
        )

    def has_foreign_memory(self, chat_id: int) -> bool:
        """Whether what other programs remembered of a chat was taken in."""
        rows = self._execute("SELECT has_foreign_memory FROM chat WHERE id = ?", (chat_id,))
        return bool(rows and rows[0][0])

    def set_foreign_memory(self, chat_ids: Iterable[int]) -> None:
        """Note that it was, all of it."""
        for chat_id in chat_ids:
            self._execute("UPDATE chat SET has_foreign_memory = 1 WHERE id = ?", (chat_id,))
