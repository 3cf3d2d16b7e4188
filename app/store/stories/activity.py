"""When each chat was last played."""

from __future__ import annotations

from app.store.database.database import Database


class Activity:
    """One moment of each chat, seconds since the epoch."""

    def __init__(self, database: Database) -> None:
        self._table = database.tables.Activity

    def last(self, chat_id: int) -> float | None:
        """When somebody was last there, None when never."""
        row = self._table.get_or_none(chat_id=chat_id)
        return None if row is None else float(row.last_active)

    def save(self, chat_id: int, moment: float) -> None:
        """Somebody is there."""
        self._table.replace(chat_id=chat_id, last_active=moment).execute()
