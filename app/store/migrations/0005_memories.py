"""Adds what is remembered: memories, entities, longer texts, and what was extracted already."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

STATEMENTS = (
    # `character` is "" for what belongs to the chat alone; what a character keeps outlives chats.
    """CREATE TABLE memory (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        memory_id TEXT NOT NULL UNIQUE,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        character TEXT NOT NULL,
        tier TEXT NOT NULL,
        type TEXT NOT NULL,
        text TEXT NOT NULL,
        importance INTEGER NOT NULL,
        expiration TEXT NOT NULL,
        is_pinned INTEGER NOT NULL,
        body TEXT NOT NULL,
        endings TEXT NOT NULL,
        review TEXT NOT NULL,
        confidence REAL NOT NULL,
        unconfirmed_passes INTEGER NOT NULL,
        last_confirmed REAL NOT NULL,
        recalls INTEGER NOT NULL,
        is_consolidated INTEGER NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX memory_by_chat ON memory (chat_id, character)",
    "CREATE INDEX memory_by_character ON memory (character) WHERE character <> ''",
    """CREATE TABLE entity (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        entity_id TEXT NOT NULL UNIQUE,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        character TEXT NOT NULL,
        name TEXT NOT NULL,
        type TEXT NOT NULL,
        aliases TEXT NOT NULL,
        first_seen TEXT NOT NULL,
        last_seen TEXT NOT NULL,
        is_locked INTEGER NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX entity_by_chat ON entity (chat_id, character)",
    """CREATE TABLE document (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        document_id TEXT NOT NULL UNIQUE,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        character TEXT NOT NULL,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        text TEXT NOT NULL,
        sections TEXT NOT NULL,
        until TEXT NOT NULL,
        inputs TEXT NOT NULL,
        made_by TEXT NOT NULL,
        created REAL NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX document_by_chat ON document (chat_id, character)",
    # A message in these words was read by this task: it is not paid for twice.
    """CREATE TABLE extracted (
        id INTEGER PRIMARY KEY,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        task TEXT NOT NULL,
        anchor TEXT NOT NULL,
        content_hash TEXT NOT NULL,
        UNIQUE (chat_id, task, anchor, content_hash)
    )""",
)

JOURNALLED = {
    "memory": "memory_id chat_id character tier type text importance expiration is_pinned "
    "body endings review confidence unconfirmed_passes last_confirmed recalls is_consolidated "
    "is_deleted",
    "entity": "entity_id chat_id character name type aliases first_seen last_seen is_locked "
    "is_deleted",
    "document": "document_id chat_id character kind subject text sections until inputs made_by "
    "created is_deleted",
    # What the user forgets is not read again, and undo brings both back.
    "extracted": "chat_id task anchor content_hash",
}


def up(migrator: Any, db: Any) -> None:
    for statement in STATEMENTS:
        db.execute_sql(statement)
    first = runpy.run_path(str(Path(__file__).with_name("0001_first.py")))
    for table, columns in JOURNALLED.items():
        for statement in first["journal_triggers"](table, columns.split()):
            db.execute_sql(statement)
