"""What operations wait for, where the user has moved them, and catch-ups that go on after a crash.

Additive only: an operation of before waits for nothing and stands where it came.
"""

from __future__ import annotations

from typing import Any

STATEMENTS = (
    "ALTER TABLE operation ADD COLUMN moved_rank INTEGER",
    "ALTER TABLE operation ADD COLUMN moved_place REAL",
    "ALTER TABLE operation ADD COLUMN pauses_before INTEGER NOT NULL DEFAULT 0",
    # By key, not by row: what failed and is tried again is another row of the same work.
    """CREATE TABLE operation_need (
        operation_id INTEGER NOT NULL REFERENCES operation(id) ON DELETE CASCADE,
        key TEXT NOT NULL,
        is_required INTEGER NOT NULL,
        PRIMARY KEY (operation_id, key)
    ) WITHOUT ROWID""",
    """CREATE TABLE catch_up (
        chat_id INTEGER PRIMARY KEY REFERENCES chat(id) ON DELETE CASCADE,
        begun REAL NOT NULL,
        backend TEXT NOT NULL,
        is_stopped INTEGER NOT NULL
    )""",
)


def up(migrator: Any, db: Any) -> None:
    for statement in STATEMENTS:
        db.execute_sql(statement)
