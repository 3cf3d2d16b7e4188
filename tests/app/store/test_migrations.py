"""A database of an earlier version opens with all that it held."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import peewee
from playhouse.migrations import Runner

from app.operations import OperationStatus
from app.store.database import MIGRATIONS
from app.store.store import Store

COLUMNS = (
    "chat_id, kind, key, anchor, label, priority, params, status, attempts, error, created,"
    " not_before, prompt_tokens, output_tokens, backend"
)


def database_of(path: Path, version: str) -> None:
    """A database as the program of that migration left it, with one operation that waits."""
    database = peewee.SqliteDatabase(str(path), pragmas={"journal_mode": "wal"})
    with database.connection_context():
        Runner(database, directory=str(MIGRATIONS)).up(version)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO chat (path, first_seen) VALUES ('a chat', 1.0)")
        values = (1, "scene_recap", "key", "m7", "Recap of scene 2", 10, "{}", "running", 1, "")
        connection.execute(
            f"INSERT INTO operation ({COLUMNS}) VALUES ({', '.join('?' * 15)})",
            (*values, 5.0, 0.0, 0, 0, ""),
        )


async def test_a_first_database_keeps_its_queue(tmp_path: Path) -> None:
    path, backups = tmp_path / "story.sqlite3", tmp_path / "backups"
    database_of(path, "0001_first")
    store = Store(path, backups=backups)
    await store.open()
    try:
        await store.run(store.operations.recover)
        (operation,) = await store.run(store.operations.unfinished)
        catch_up = await store.run(lambda: store.catch_ups.of(1))
    finally:
        await store.aclose()
    assert operation.status is OperationStatus.PENDING
    assert (operation.spec.label, operation.rank, operation.place) == ("Recap of scene 2", 10, 1.0)
    assert (operation.spec.needs, operation.spec.after) == ((), ())
    assert not operation.pauses_before
    assert catch_up is None
    assert len(list(backups.iterdir())) == 1
