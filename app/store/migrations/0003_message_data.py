"""Keeps all of a message's recap, when a scene's recap was folded in, and what was cleared."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

STATEMENTS = (
    "ALTER TABLE message_recap ADD COLUMN reasoning TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE message_recap ADD COLUMN prefill TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE message_recap ADD COLUMN absence TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE message_recap ADD COLUMN swipe INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE scene_recap ADD COLUMN combined_at REAL",
    """UPDATE message_recap SET absence = 'nothing' WHERE text = '' AND error = ''
        AND is_excluded = 0 AND is_remembered = 0""",
    # What a chat's file may still hold of what the user cleared.
    """CREATE TABLE cleared (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        anchor TEXT NOT NULL,
        kind TEXT NOT NULL,
        value TEXT NOT NULL,
        UNIQUE (chat_id, anchor, kind, value)
    )""",
    # One switch became two: whoever turned it off wants neither.
    """INSERT OR IGNORE INTO setting (scope, scope_id, name, value)
        SELECT scope, scope_id, 'message_recap_on_swipe', value FROM setting
        WHERE name = 'message_recap_again'""",
)

JOURNALLED = {
    "message_recap": "chat_id anchor text is_excluded is_remembered is_edited error source_hash "
    "reasoning prefill absence swipe",
    "scene_recap": "chat_id anchor version name text source_digest made_by created stored "
    "is_deleted combined_at",
    "searched_range": "chat_id first last shown_first shown_last digest searcher is_forced",
    "cleared": "chat_id anchor kind value",
}


def up(migrator: Any, db: Any) -> None:
    for statement in STATEMENTS:
        db.execute_sql(statement)
    # The journal's triggers name the columns that they bring back.
    first = runpy.run_path(str(Path(__file__).with_name("0001_first.py")))
    for table, columns in JOURNALLED.items():
        for event in ("inserted", "deleted", "updated"):
            db.execute_sql(f"DROP TRIGGER IF EXISTS {table}_{event}")
        for statement in first["journal_triggers"](table, columns.split()):
            db.execute_sql(statement)
