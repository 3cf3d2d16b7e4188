"""Keeps why a model set a scene break."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

COLUMNS = "chat_id anchor origin cue confidence name is_visible is_collapsed rationale"


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE scene_break ADD COLUMN rationale TEXT NOT NULL DEFAULT ''")
    # The journal's triggers name the columns that they bring back.
    first = runpy.run_path(str(Path(__file__).with_name("0001_first.py")))
    for event in ("inserted", "deleted", "updated"):
        db.execute_sql(f"DROP TRIGGER scene_break_{event}")
    for statement in first["journal_triggers"]("scene_break", COLUMNS.split()):
        db.execute_sql(statement)
