"""Keeps what models were asked for each day, and on which days the user went past the cap."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    # Sums, not single requests: a year of them is small. Of no chat, so that clearing one does
    # not make what it cost unhappened; and nothing that the user does, so no undo.
    db.execute_sql(
        """CREATE TABLE model_use (
            day TEXT NOT NULL,
            task TEXT NOT NULL,
            backend TEXT NOT NULL,
            requests INTEGER NOT NULL,
            prompt_tokens INTEGER NOT NULL,
            output_tokens INTEGER NOT NULL,
            estimated INTEGER NOT NULL,
            PRIMARY KEY (day, task, backend)
        ) WITHOUT ROWID"""
    )
    db.execute_sql("CREATE TABLE uncapped_day (day TEXT PRIMARY KEY) WITHOUT ROWID")
