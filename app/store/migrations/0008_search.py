"""Finds words in memories and messages: two indexes of words, kept up by triggers."""

from __future__ import annotations

from typing import Any

TOKENIZER = "unicode61 remove_diacritics 2"

STATEMENTS = (
    # Each text once, however many branches and copies show it. The words of a contentless index
    # could not be taken out again before SQLite 3.43.
    """CREATE TABLE message_text (
        id INTEGER PRIMARY KEY,
        content_hash TEXT NOT NULL UNIQUE,
        text TEXT NOT NULL
    )""",
    """CREATE TABLE memory_text (
        id INTEGER PRIMARY KEY REFERENCES memory(id) ON DELETE CASCADE,
        text TEXT NOT NULL
    )""",
    "CREATE INDEX known_message_by_text ON known_message (content_hash)",
    # Memories that are new or read otherwise since they were indexed. Its triggers do without OR
    # IGNORE, which the statement that fires them overrules.
    "CREATE TABLE memory_unindexed (id INTEGER PRIMARY KEY)",
    """CREATE TRIGGER memory_text_wanted AFTER INSERT ON memory BEGIN
        INSERT INTO memory_unindexed (id) SELECT NEW.id
        WHERE NEW.id NOT IN (SELECT id FROM memory_unindexed); END""",
    """CREATE TRIGGER memory_text_outdated AFTER UPDATE OF text, body ON memory BEGIN
        INSERT INTO memory_unindexed (id) SELECT NEW.id
        WHERE NEW.id NOT IN (SELECT id FROM memory_unindexed); END""",
    "INSERT INTO memory_unindexed (id) SELECT id FROM memory",
)


def index_of(table: str, words: str) -> tuple[str, ...]:
    """An index of a table's texts, and the triggers that keep it up."""
    out = f"INSERT INTO {words} ({words}, rowid, text) VALUES ('delete', OLD.id, OLD.text);"
    into = f"INSERT INTO {words} (rowid, text) VALUES (NEW.id, NEW.text);"
    return (
        f"CREATE VIRTUAL TABLE {words} USING fts5(text, content='{table}', content_rowid='id', "
        f"tokenize='{TOKENIZER}')",
        f"CREATE TRIGGER {table}_in AFTER INSERT ON {table} BEGIN {into} END",
        f"CREATE TRIGGER {table}_out AFTER DELETE ON {table} BEGIN {out} END",
        f"CREATE TRIGGER {table}_changed AFTER UPDATE ON {table} BEGIN {out} {into} END",
    )


def up(migrator: Any, db: Any) -> None:
    for statement in STATEMENTS:
        db.execute_sql(statement)
    for table, words in (("message_text", "message_words"), ("memory_text", "memory_words")):
        for statement in index_of(table, words):
            db.execute_sql(statement)
