"""The database thread: whole units, honest errors, migrations and backups."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from app.errors import StoreError, StoreTooNew
from app.store.store import Store


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

    numbers = await asyncio.gather(
        *(store.run(lambda name=f"chat {n}": unit(name)) for n in range(50))
    )
    assert sorted(numbers) == list(range(1, 51))


async def test_a_cancelled_caller_leaves_a_whole_transaction(store: Store) -> None:
    async def write() -> None:
        await store.run(lambda: [store.chats.id_of(f"chat {n}") for n in range(200)])

    task = asyncio.get_running_loop().create_task(write())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await store.run(lambda: store.chats.id_of("chat 199")) in (1, 200)


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
