"""Keeps the last turns of each chat as they were sent, and what is known of tokenizers."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    # Both are notes on what happened elsewhere: nothing to undo.
    db.execute_sql(
        """CREATE TABLE turn (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
            moment REAL NOT NULL,
            record BLOB NOT NULL,
            prompt BLOB
        )"""
    )
    db.execute_sql("CREATE INDEX turn_chat ON turn(chat_id, id)")
    db.execute_sql(
        """CREATE TABLE tokenizer (
            name TEXT PRIMARY KEY,
            encoding TEXT NOT NULL,
            overhead INTEGER NOT NULL,
            factor REAL NOT NULL,
            weight INTEGER NOT NULL,
            seen REAL NOT NULL
        )"""
    )
