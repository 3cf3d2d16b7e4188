"""Keeps when each chat was last played, to tell what happened before after an absence."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    # Nothing that the user does, so it takes no part in the undo journal.
    db.execute_sql(
        """CREATE TABLE activity (
            chat_id INTEGER PRIMARY KEY REFERENCES chat(id) ON DELETE CASCADE,
            last_active REAL NOT NULL
        )"""
    )
