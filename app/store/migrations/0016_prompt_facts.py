"""Keeps what was learned of a chat's prompts, so that a start does not begin with guesses."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    # Learned anew from the next turn at any time: nothing to undo.
    db.execute_sql(
        """CREATE TABLE prompt_fact (
            chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
            connection TEXT NOT NULL,
            responder TEXT NOT NULL,
            context INTEGER NOT NULL,
            fixed INTEGER,
            seen REAL NOT NULL,
            PRIMARY KEY (chat_id, connection, responder)
        ) WITHOUT ROWID"""
    )
