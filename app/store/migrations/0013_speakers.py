"""Keeps who wrote which message, so that a search can be for what somebody said.

Nothing is filled in here: a start must not wait for it. A chat's writers are noted when it is
indexed next, and those of older chats behind a search that asks for them
(app/work/queries/searching.py).
"""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("CREATE TABLE speaker (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
    # By anchor, since the same text may have another writer elsewhere. Made anew from the chats'
    # files at any time: nothing to undo or to salvage.
    db.execute_sql(
        """CREATE TABLE message_speaker (
            chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
            anchor TEXT NOT NULL,
            speaker INTEGER NOT NULL REFERENCES speaker(id),
            PRIMARY KEY (chat_id, anchor)
        ) WITHOUT ROWID"""
    )
