"""Databases in which the demo story has been worked through, made once for many tests."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from pathlib import Path

from app.companion import Companion, open_companion
from app.core.paths import Folders, user_folders
from app.core.resources import RESOURCES
from app.store.store import Store
from app.work.demo.demo_memories import give_demo_memories
from tests.labelled import WrittenTavern


def tell_demo(folder: Path) -> Path:
    """Write all recaps of the demo story without a model. Returns the database."""
    data = folder / "data"
    shutil.copytree(RESOURCES / "demo" / "data", data)
    [chat] = data.glob("default-user/chats/*/*.jsonl")
    folders = user_folders(folder / "own")

    async def tell() -> None:
        async with open_companion(folders, tavern=data, llm="builtin", watch=False) as running:
            await running.open_story(chat)
            await running.settled(chat)

    _run(tell())
    return folders.database


def remember_demo(told: Path, folder: Path) -> Path:
    """Add the demo story's memories to what `tell_demo` made. Returns another database."""
    folders = user_folders(folder)
    shutil.copyfile(told, folders.database)

    async def remember() -> None:
        store = Store(folders.database, backups=folders.backups)
        await store.open()
        await give_demo_memories(store, Path(_chat_of(folders.database)))
        await store.aclose()

    _run(remember())
    return folders.database


@asynccontextmanager
async def keeping_memory(
    database: Path, own: Path, written: WrittenTavern
) -> AsyncIterator[Companion]:
    """A companion without a model that keeps memory and begins with such a database."""
    folders = user_folders(own)
    put_demo(database, folders, written.chat)
    async with open_companion(
        folders,
        tavern=written.user_folder.parent,
        llm="builtin",
        watch=False,
        keeps_memory=True,
    ) as running:
        yield running


def put_demo(database: Path, folders: Folders, chat: Path) -> None:
    """Let a companion begin with such a database, the story's file being `chat`."""
    shutil.copyfile(database, folders.database)
    with closing(sqlite3.connect(folders.database)) as connection, connection:
        done = connection.execute("UPDATE chat SET path = ?", (str(chat),))
    assert done.rowcount == 1


def _chat_of(database: Path) -> str:
    with closing(sqlite3.connect(database)) as connection:
        [[path]] = connection.execute("SELECT path FROM chat").fetchall()
    return str(path)


def _run(work: Coroutine[object, object, None]) -> None:
    """In another thread, since the loop of this one may be running."""
    with ThreadPoolExecutor(1) as other:
        other.submit(asyncio.run, work).result()
