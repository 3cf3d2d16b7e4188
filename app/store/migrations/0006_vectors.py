"""Keeps the vectors of texts, by model."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    # It can be made again at any time, so it takes no part in the undo journal.
    db.execute_sql(
        """CREATE TABLE vector (
            model TEXT NOT NULL,
            content_hash TEXT NOT NULL,
            numbers BLOB NOT NULL,
            UNIQUE (model, content_hash)
        )"""
    )
