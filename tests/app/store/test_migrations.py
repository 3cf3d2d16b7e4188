"""A database of an earlier version opens with all that it held."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import peewee
import pytest
from playhouse.migrations import Runner

from app.core.operations import OperationStatus
from app.store.database.database import MIGRATIONS
from app.store.store import Store
from app.story.messages import Absence, MessageRecap

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


@pytest.mark.weakness(45)
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


@pytest.mark.pitfall(29)
async def test_message_recaps_of_before_are_complete_and_can_be_undone(tmp_path: Path) -> None:
    path = tmp_path / "story.sqlite3"
    database_of(path, "0002_queue")
    with closing(sqlite3.connect(path)) as connection, connection:
        recaps = (("a", "Short.", 0, "", "h"), ("b", "", 0, "", "h"), ("c", "", 1, "", "h"))
        connection.executemany(
            "INSERT INTO message_recap (chat_id, anchor, text, is_excluded, is_remembered, "
            "is_edited, error, source_hash) VALUES (1, ?, ?, ?, 0, 0, ?, ?)",
            recaps,
        )
        connection.execute(
            "INSERT INTO setting VALUES ('chat', '1', 'message_recap_again', 'false')"
        )
    store = Store(path)
    await store.open()
    try:
        found = await store.run(lambda: store.recaps.message_recaps(1))
        cleared = MessageRecap(source_hash="h", absence=Absence.REMOVED)
        save = store.recaps.save_message_recaps
        await store.run_undoable(1, "clear", lambda: save(1, {"a": cleared}))
        changed = await store.run(lambda: store.recaps.message_recaps(1))
        await store.run(lambda: store.undo.undo(1))
        undone = await store.run(lambda: store.recaps.message_recaps(1))
        settings = await store.run(store.settings.load)
    finally:
        await store.aclose()
    assert found["a"] == MessageRecap("Short.", source_hash="h")
    assert found["b"].absence is Absence.NOTHING  # it was looked at
    assert found["c"] == MessageRecap(is_excluded=True, source_hash="h")
    assert changed == {**found, "a": cleared}
    assert undone == found
    assert settings == {
        ("chat", "1", "message_recap_again"): False,
        ("chat", "1", "message_recap_on_swipe"): False,
    }


async def test_writers_are_not_noted_at_the_start_and_can_be_later(tmp_path: Path) -> None:
    path = tmp_path / "story.sqlite3"
    database_of(path, "0011_model_use")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO known_message VALUES (1, 'm7', 0, 'i', 'w', 'h')")
    store = Store(path)
    await store.open()
    try:
        before = await store.run(lambda: store.speakers.is_lacking(1))
        named = [("m7", "Mara"), ("m8", "D\0v\ud800")]
        added = [await store.run(lambda: store.speakers.add(1, named)) for _ in range(2)]
        after = await store.run(lambda: store.speakers.is_lacking(1))
        called = await store.run(lambda: store.speakers.called(["mar"]))
    finally:
        await store.aclose()
    assert (before, after) == (True, False)
    assert added == [2, 0]
    assert len(called) == 1


async def test_message_recaps_learn_whose_they_are_and_undo_brings_that_back(
    tmp_path: Path,
) -> None:
    path = tmp_path / "story.sqlite3"
    database_of(path, "0017_part_of_a_backlog")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO message_recap (chat_id, anchor, text, is_excluded, is_remembered, "
            "is_edited, error, source_hash) VALUES (1, 'a', 'Short.', 0, 0, 0, '', 'h')"
        )
    store = Store(path, backups=tmp_path / "backups")
    await store.open()
    try:
        before = await store.run(lambda: store.recaps.message_recaps(1))
        assert before["a"].taken_from == ""
        theirs = MessageRecap("Long.", source_hash="h", taken_from="MessageSummarize")
        await store.run(lambda: store.recaps.save_message_recaps(1, {"a": theirs}))
        ours = MessageRecap("Mine.", source_hash="h", is_edited=True)
        change = lambda: store.recaps.save_message_recaps(1, {"a": ours})  # noqa: E731
        await store.run_undoable(1, "edit", change)
        assert (await store.run(lambda: store.recaps.message_recaps(1)))["a"].taken_from == ""
        await store.run(lambda: store.undo.undo(1))
        assert (await store.run(lambda: store.recaps.message_recaps(1)))["a"] == theirs
    finally:
        await store.aclose()
