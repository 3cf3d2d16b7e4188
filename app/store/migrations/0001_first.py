"""The first schema: chats and their messages, scenes, recaps, operations, settings, undo."""

from __future__ import annotations

from typing import Any

STATEMENTS = (
    """CREATE TABLE chat (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        integrity TEXT NOT NULL DEFAULT '',
        is_acquainted INTEGER NOT NULL DEFAULT 0,
        first_seen REAL NOT NULL
    )""",
    """CREATE TABLE known_message (
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        anchor TEXT NOT NULL,
        position INTEGER NOT NULL,
        identity TEXT NOT NULL,
        weak_identity TEXT NOT NULL,
        content_hash TEXT NOT NULL,
        PRIMARY KEY (chat_id, anchor)
    ) WITHOUT ROWID""",
    """CREATE TABLE scene_break (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        anchor TEXT NOT NULL,
        origin TEXT NOT NULL,
        cue TEXT NOT NULL,
        confidence REAL NOT NULL,
        name TEXT NOT NULL,
        is_visible INTEGER NOT NULL,
        is_collapsed INTEGER NOT NULL,
        UNIQUE (chat_id, anchor)
    )""",
    # Where a model looked for breaks and found none: it is not asked the same again.
    """CREATE TABLE searched_range (
        id INTEGER PRIMARY KEY,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        first TEXT NOT NULL,
        last TEXT NOT NULL,
        shown_first TEXT NOT NULL,
        shown_last TEXT NOT NULL,
        digest TEXT NOT NULL,
        searcher TEXT NOT NULL,
        is_forced INTEGER NOT NULL,
        UNIQUE (chat_id, first, last, is_forced)
    )""",
    """CREATE TABLE scene_recap (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        anchor TEXT NOT NULL,
        version INTEGER NOT NULL,
        name TEXT NOT NULL,
        text TEXT NOT NULL,
        source_digest TEXT NOT NULL,
        made_by TEXT NOT NULL,
        created REAL NOT NULL,
        stored TEXT NOT NULL DEFAULT '',
        is_deleted INTEGER NOT NULL DEFAULT 0,
        UNIQUE (chat_id, anchor, version)
    )""",
    """CREATE TABLE scene_recap_choice (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        anchor TEXT NOT NULL,
        version INTEGER NOT NULL,
        UNIQUE (chat_id, anchor)
    )""",
    """CREATE TABLE running_version (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        version INTEGER NOT NULL,
        content TEXT NOT NULL,
        scene_count INTEGER NOT NULL,
        first_anchor TEXT NOT NULL,
        last_anchor TEXT NOT NULL,
        made_by TEXT NOT NULL,
        created REAL NOT NULL,
        reason TEXT NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0,
        is_retired INTEGER NOT NULL DEFAULT 0,
        UNIQUE (chat_id, version)
    )""",
    """CREATE TABLE running_choice (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        chat_id INTEGER NOT NULL UNIQUE REFERENCES chat(id) ON DELETE CASCADE,
        version INTEGER NOT NULL
    )""",
    """CREATE TABLE message_recap (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        anchor TEXT NOT NULL,
        text TEXT NOT NULL,
        is_excluded INTEGER NOT NULL,
        is_remembered INTEGER NOT NULL,
        is_edited INTEGER NOT NULL,
        error TEXT NOT NULL,
        source_hash TEXT NOT NULL,
        UNIQUE (chat_id, anchor, source_hash)
    )""",
    """CREATE TABLE auto_hidden (
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        anchor TEXT NOT NULL,
        state TEXT NOT NULL,
        PRIMARY KEY (chat_id, anchor)
    ) WITHOUT ROWID""",
    """CREATE TABLE operation (
        id INTEGER PRIMARY KEY,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        anchor TEXT NOT NULL,
        label TEXT NOT NULL,
        priority INTEGER NOT NULL,
        params TEXT NOT NULL,
        status TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        error TEXT NOT NULL,
        created REAL NOT NULL,
        started REAL,
        finished REAL,
        not_before REAL NOT NULL,
        prompt_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        backend TEXT NOT NULL
    )""",
    "CREATE INDEX operation_by_status ON operation (status, priority)",
    "CREATE INDEX operation_by_key ON operation (chat_id, key)",
    # Results by what they were made from: a branch, a swipe back or an undone edit costs no call.
    """CREATE TABLE result (
        key TEXT PRIMARY KEY,
        value TEXT NOT NULL,
        created REAL NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE token_count (
        content_hash TEXT NOT NULL,
        encoding TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        PRIMARY KEY (content_hash, encoding)
    ) WITHOUT ROWID""",
    """CREATE TABLE setting (
        scope TEXT NOT NULL,
        scope_id TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (scope, scope_id, name)
    ) WITHOUT ROWID""",
    """CREATE TABLE draft (
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        anchor TEXT NOT NULL,
        text TEXT NOT NULL,
        base INTEGER,
        saved REAL NOT NULL,
        PRIMARY KEY (chat_id, kind, anchor)
    ) WITHOUT ROWID""",
    """CREATE TABLE undo_entry (
        id INTEGER PRIMARY KEY,
        chat_id INTEGER NOT NULL REFERENCES chat(id) ON DELETE CASCADE,
        label TEXT NOT NULL,
        direction TEXT NOT NULL,
        created REAL NOT NULL
    )""",
    """CREATE TABLE undo_statement (
        id INTEGER PRIMARY KEY,
        entry_id INTEGER NOT NULL REFERENCES undo_entry(id) ON DELETE CASCADE,
        statement TEXT NOT NULL
    )""",
    # One row: the entry that changes are recorded for right now, NULL when nothing is recorded.
    "CREATE TABLE undo_recording (id INTEGER PRIMARY KEY CHECK (id = 1), entry_id INTEGER)",
    "INSERT INTO undo_recording (id, entry_id) VALUES (1, NULL)",
)

JOURNALLED = {
    "scene_break": "chat_id anchor origin cue confidence name is_visible is_collapsed",
    "scene_recap": "chat_id anchor version name text source_digest made_by created stored "
    "is_deleted",
    "scene_recap_choice": "chat_id anchor version",
    "running_version": "chat_id version content scene_count first_anchor last_anchor made_by "
    "created reason is_deleted is_retired",
    "running_choice": "chat_id version",
    "message_recap": "chat_id anchor text is_excluded is_remembered is_edited error source_hash",
}


def literal(value: str) -> str:
    """SQL that gives a value as SQL. Not quote() alone: that ends a text at its first NUL."""
    text = f"'CAST(X''' || hex({value}) || ''' AS TEXT)'"
    return f"CASE typeof({value}) WHEN 'text' THEN {text} ELSE quote({value}) END"


def journal_triggers(table: str, columns: list[str]) -> tuple[str, ...]:
    """Triggers that write the inverse of each change, while an entry is being recorded."""
    recording = "(SELECT entry_id FROM undo_recording)"
    into = "INSERT INTO undo_statement (entry_id, statement) VALUES"
    names = ", ".join(["id", *columns])
    old = " || ', ' || ".join(literal(f"OLD.{c}") for c in ["id", *columns])
    # Only what really changed goes back, and only where nobody changed it since: undo never takes
    # later work along.
    restored = " || ".join(
        f"CASE WHEN OLD.{c} IS NOT NEW.{c} THEN ', {c} = ' || {literal(f'OLD.{c}')} ELSE '' END"
        for c in columns
    )
    untouched = " || ".join(
        f"CASE WHEN OLD.{c} IS NOT NEW.{c} THEN ' AND {c} IS ' || {literal(f'NEW.{c}')} ELSE '' END"
        for c in columns
    )
    as_made = " || ".join(f"' AND {c} IS ' || {literal(f'NEW.{c}')}" for c in columns)
    # A version is never removed, so that its number is never given again: 1 is deleted by the
    # user, 2 taken back.
    taken_back = (
        f"'UPDATE {table} SET is_deleted = 2 WHERE id = ' || NEW.id"
        if "is_deleted" in columns
        else f"'DELETE FROM {table} WHERE id = ' || NEW.id || {as_made}"
    )
    return (
        f"""CREATE TRIGGER {table}_inserted AFTER INSERT ON {table}
            WHEN {recording} IS NOT NULL BEGIN
            {into} ({recording}, {taken_back}); END""",
        f"""CREATE TRIGGER {table}_deleted BEFORE DELETE ON {table}
            WHEN {recording} IS NOT NULL BEGIN
            {into} ({recording},
                'INSERT OR IGNORE INTO {table} ({names}) VALUES (' || {old} || ')'); END""",
        f"""CREATE TRIGGER {table}_updated AFTER UPDATE ON {table}
            WHEN {recording} IS NOT NULL BEGIN
            {into} ({recording}, 'UPDATE {table} SET id = ' || OLD.id || {restored}
                || ' WHERE id = ' || OLD.id || {untouched}); END""",
    )


def up(migrator: Any, db: Any) -> None:
    for statement in STATEMENTS:
        db.execute_sql(statement)
    for table, columns in JOURNALLED.items():
        for statement in journal_triggers(table, columns.split()):
            db.execute_sql(statement)
