"""Counts the requests of each operation: one may be asked twice, or for several things in turn.

Of what was done before nobody knows: 0, and it is counted by its tokens alone.
"""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE operation ADD COLUMN requests INTEGER NOT NULL DEFAULT 0")
