"""Keeps which part of a backlog the user wants worked off: all of it, the recaps, or memory."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE catch_up ADD COLUMN part TEXT NOT NULL DEFAULT ''")
