"""Keeps how many requests the user said yes to when they had a backlog worked off.

Of those that go on already nobody knows: 0, and nothing is asked about anew.
"""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE catch_up ADD COLUMN agreed INTEGER NOT NULL DEFAULT 0")
