"""Keeps which scene names the user gave, so that a model's name goes before those that a cue found.

Of names that are there already nobody knows whose they are: they stay before all others.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

COLUMNS = "chat_id anchor origin cue confidence name is_visible is_collapsed rationale is_named"


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE scene_break ADD COLUMN is_named INTEGER NOT NULL DEFAULT 0")
    # The journal's triggers name the columns that they bring back.
    first = runpy.run_path(str(Path(__file__).with_name("0001_first.py")))
    for event in ("inserted", "deleted", "updated"):
        db.execute_sql(f"DROP TRIGGER scene_break_{event}")
    db.execute_sql(
        "UPDATE scene_break SET is_named = 1 WHERE name != '' "
        "AND (origin = 'heuristic' OR cue NOT IN ('', 'hand', 'model', 'import'))"
    )
    for statement in first["journal_triggers"]("scene_break", COLUMNS.split()):
        db.execute_sql(statement)
