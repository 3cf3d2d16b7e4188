"""Keeps which extension a message's recap was taken over from.

Of those that are there already nobody knows whose they are: nothing is said of them.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

COLUMNS = (
    "chat_id anchor text is_excluded is_remembered is_edited error source_hash reasoning prefill "
    "absence swipe taken_from"
)


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE message_recap ADD COLUMN taken_from TEXT NOT NULL DEFAULT ''")
    # The journal's triggers name the columns that they bring back.
    first = runpy.run_path(str(Path(__file__).with_name("0001_first.py")))
    for event in ("inserted", "deleted", "updated"):
        db.execute_sql(f"DROP TRIGGER message_recap_{event}")
    for statement in first["journal_triggers"]("message_recap", COLUMNS.split()):
        db.execute_sql(statement)
