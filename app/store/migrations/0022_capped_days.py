"""Keeps what a day had taken when its limit was set: how it went beyond it is told by that."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    db.execute_sql(
        "CREATE TABLE capped_day (day TEXT PRIMARY KEY, requests INTEGER NOT NULL,"
        " prompt_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL) WITHOUT ROWID"
    )
