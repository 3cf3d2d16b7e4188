"""The database thread: whole units, honest errors, migrations and backups."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import peewee
import pytest
from playhouse.migrations import Runner

from app.core.errors import OperationOutdated, StoreError, StoreTooNew
from app.store.database.database import MIGRATIONS
from app.store.store import Store
from app.story.scenes import BreakOrigin, SceneBreak


async def test_a_unit_that_fails_changes_nothing(store: Store) -> None:
    def unit() -> None:
        store.chats.id_of("half written")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await store.run(unit)
    number = await store.run(lambda: store.chats.id_of("first"))
    assert number == 1


async def test_units_of_many_tasks_never_meet_in_one_transaction(store: Store) -> None:
    def unit(name: str) -> int:
        return store.chats.id_of(name)

    numbers = await asyncio.gather(*(store.run(partial(unit, f"chat {n}")) for n in range(50)))
    assert sorted(numbers) == list(range(1, 51))


async def test_what_belongs_to_a_chat_that_is_gone_is_outdated(store: Store) -> None:
    mark = SceneBreak("anchor", BreakOrigin.HAND)
    with pytest.raises(OperationOutdated):
        await store.run(lambda: store.scenes.save(99, [mark]))


async def test_a_cancelled_caller_leaves_a_whole_transaction(store: Store) -> None:
    async def write() -> None:
        await store.run(lambda: [store.chats.id_of(f"chat {n}") for n in range(200)])

    task = asyncio.get_running_loop().create_task(write())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await store.run(lambda: store.chats.id_of("chat 199")) in (1, 200)


async def test_a_unit_that_fails_after_its_caller_left_is_rolled_back_in_silence(
    store: Store,
) -> None:
    begun = threading.Event()

    def unit() -> None:
        store.chats.id_of("half written")
        begun.set()
        time.sleep(0.05)
        raise ZeroDivisionError

    task = asyncio.get_running_loop().create_task(store.run(unit))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    del task
    gc.collect()  # what nobody asked for would be logged here
    assert await store.run(lambda: store.chats.id_of("first")) == 1


async def test_a_database_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "story.sqlite3"
    store = Store(path)
    await store.open()
    await store.aclose()
    with sqlite3.connect(path) as connection:
        connection.execute(
            "INSERT INTO schema_migration (name, applied) VALUES ('9999_future', '2030-01-01')"
        )
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreTooNew, match="9999_future"):
        await store_at(path)
    assert path.read_bytes() == before


async def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "story.sqlite3"
    path.write_bytes(b"This is not a database, it is a shopping list." * 50)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"story\.sqlite3"):
        await store_at(path)
    assert path.read_bytes() == before


async def store_at(path: Path) -> None:
    store = Store(path)
    try:
        await store.open()
    finally:
        await store.aclose()


async def test_breaks_of_the_first_schema_get_an_empty_rationale_that_undo_knows(
    tmp_path: Path,
) -> None:
    path = tmp_path / "story.sqlite3"
    old = peewee.SqliteDatabase(str(path))
    Runner(old, directory=str(MIGRATIONS)).up("0001_first")
    perform = cast("Callable[[str], object]", old.execute_sql)
    perform("INSERT INTO chat (id, path, first_seen) VALUES (1, 'chat', 0)")
    perform(
        "INSERT INTO scene_break (chat_id, anchor, origin, cue, confidence, name, is_visible, "
        "is_collapsed) VALUES (1, 'a', 'model', 'model', 1, 'Old', 1, 0)"
    )
    old.close()

    store = Store(path)
    await store.open()
    mark = SceneBreak("a", BreakOrigin.MODEL, "model", name="Old")
    assert await store.run(lambda: store.scenes.breaks(1)) == {"a": mark}
    told = replace(mark, rationale="They part.")
    await store.run_undoable(1, "reason", lambda: store.scenes.save(1, [told]))
    assert await store.run(lambda: store.scenes.breaks(1)) == {"a": told}
    await store.run(lambda: store.undo.undo(1))
    assert await store.run(lambda: store.scenes.breaks(1)) == {"a": mark}
    await store.aclose()
