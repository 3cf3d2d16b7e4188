"""Keeps which chats tell one story, where memory only listens, and who keeps what."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

STATEMENTS = (
    # Branches, checkpoints, copies and views of one story have its number; 0: it stands alone.
    "ALTER TABLE chat ADD COLUMN story INTEGER NOT NULL DEFAULT 0",
    # Whether the memory that other programs kept of the chat was taken in.
    "ALTER TABLE chat ADD COLUMN has_foreign_memory INTEGER NOT NULL DEFAULT 0",
    # A chat in here is shown what is remembered and adds nothing; anchor and position: of its last
    # message then.
    """CREATE TABLE memory_pause (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        chat_id INTEGER NOT NULL UNIQUE REFERENCES chat(id) ON DELETE CASCADE,
        anchor TEXT NOT NULL,
        position INTEGER NOT NULL,
        since REAL NOT NULL
    )""",
    """CREATE TABLE memory_policy (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        character TEXT NOT NULL UNIQUE,
        policy TEXT NOT NULL
    )""",
)

JOURNALLED = {
    "memory_pause": "chat_id anchor position since",
    "memory_policy": "character policy",
}


def up(migrator: Any, db: Any) -> None:
    for statement in STATEMENTS:
        db.execute_sql(statement)
    _tell_stories_apart(db)
    first = runpy.run_path(str(Path(__file__).with_name("0001_first.py")))
    for table, columns in JOURNALLED.items():
        for statement in first["journal_triggers"](table, columns.split()):
            db.execute_sql(statement)


def _tell_stories_apart(db: Any) -> None:
    """Chats that know the same messages tell one story: anchors are only ever handed on."""
    shared = db.execute_sql(
        "SELECT group_concat(chat_id) FROM known_message GROUP BY anchor HAVING count(*) > 1"
    )
    story: dict[int, int] = {}

    def root(chat: int) -> int:
        while story.setdefault(chat, chat) != chat:
            chat = story[chat]
        return chat

    for (listed,) in shared.fetchall():
        chats = [root(int(number)) for number in listed.split(",")]
        story.update(dict.fromkeys(chats, min(chats)))
    for chat in story:
        db.execute_sql("UPDATE chat SET story = ? WHERE id = ?", (root(chat), chat))
