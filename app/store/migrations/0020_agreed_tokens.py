"""Keeps how many tokens the user said yes to, beside the requests: one may take more than another.

Of backlogs that go on already nobody knows: 0, and they are held against their requests alone.
"""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE catch_up ADD COLUMN agreed_tokens INTEGER NOT NULL DEFAULT 0")
