"""Pieces of the program's writing that a test kills: each runs in a process of its own.

Each gets a folder that outlives it and `told`, by which it says what it has done for good, and does
only what is not done yet: run again it goes on.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import peewee
from playhouse.migrations import Runner

from app.core.tasks import TaskSupervisor
from app.llm.tokenizer import counter_for
from app.settings.values import Settings
from app.sillytavern.bridge.bridge_link import Page
from app.store.database import database
from app.store.database.database import Database
from app.store.store import Store
from app.story.recaps import RunningVersion, SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak
from app.work.chats.mirroring.mirror import Mirror
from app.work.chats.open_chats import OpenChats
from tests.chat_files import HEADER, jsonl, message, swiped

LENGTH = 60  # messages of a chat
DEEDS = 40
READY = "ready"

Told = Callable[[str], None]
Work = Callable[[Path, Told], None]


def chat_in(folder: Path) -> Path:
    """Where the chat of such a folder is."""
    return folder / "default-user" / "chats" / "Mira" / "Harbour.jsonl"


def database_in(folder: Path) -> Path:
    """Where its database is."""
    return folder / "tavernkeep.sqlite3"


def make_chat(folder: Path, *, with_recaps: bool = False) -> Path:
    """A chat, as nobody but SillyTavern touched it, or as ST-Auto-Recap left it."""
    path = chat_in(folder)
    path.parent.mkdir(parents=True)
    (path.parents[2] / "settings.json").write_text("{}")
    chat = [
        swiped(n, f"Reply {n}.", f"Other {n}.", shown=0) if n % 2 else message(n)
        for n in range(LENGTH)
    ]
    if with_recaps:
        for number, raw in enumerate(chat):
            block: dict[str, Any] = {"memory": f"Short {number}."}
            raw["extra"]["auto_recap_memory"] = block
            if number % 6 == 5:
                stored = json.dumps({"scene_name": f"Scene {number}", "recap": f"Told {number}."})
                block |= {
                    "scene_break": True,
                    "scene_break_visible": True,
                    "scene_break_name": f"Scene {number}",
                    "scene_recap_memory": stored,
                    "scene_recap_versions": [stored],
                    "scene_recap_current_index": 0,
                }
    path.write_bytes(jsonl([HEADER, *chat]))
    return path


def old_database(path: Path, *, count: int = 2000) -> None:
    """A database as the first version left it, with a story's recaps."""
    made = peewee.SqliteDatabase(str(path), pragmas={"journal_mode": "wal"})
    with made.connection_context():
        Runner(made, directory=str(database.MIGRATIONS)).up("0001_first")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO chat (path, first_seen) VALUES ('a chat', 1.0)")
        connection.executemany(
            "INSERT INTO message_recap (chat_id, anchor, text, is_excluded, is_remembered, "
            "is_edited, error, source_hash) VALUES (1, ?, ?, 0, 0, 0, '', 'h')",
            [(f"m{number}", f"What happened, part {number}. " * 20) for number in range(count)],
        )


def another_story(chat: Path, target: Path) -> Path:
    """The same chat as a story of its own, no copy of any."""
    header, *lines = chat.read_bytes().splitlines()
    other = json.loads(header)
    other["chat_metadata"]["integrity"] = target.stem
    target.write_bytes(b"\n".join([json.dumps(other).encode(), *lines]))
    return target


class NoPages:
    """SillyTavern is closed."""

    pages: tuple[Page, ...] = ()

    def is_paired(self, _: Path) -> bool:
        return True

    async def ask(self, page: Page, kind: str, params: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[Store, OpenChats]]:
    """The store of a folder, and its chats."""
    settings = Settings()
    settings.put("mirror_to_chat", True)
    settings.put("scene_breaks_auto", False)
    tasks = TaskSupervisor()
    store = Store(database_in(folder), backups=folder / "backups", mends=True)
    await store.open()
    try:
        yield store, OpenChats(store, counter_for(), (), settings, tasks)
    finally:
        await tasks.aclose()
        await store.aclose()


def mirror(folder: Path, told: Told) -> None:
    """Ends scenes one after another, and writes each into the chat."""

    async def work() -> None:
        async with opened(folder) as (store, chats):
            chat = await chats.open(chat_in(folder))
            writing = Mirror(
                store,
                NoPages(),
                backups=folder / "chat backups",
                debounce_seconds=0,
                quiet_seconds=0,
            )

            def end_scene(anchor: str, number: int) -> None:
                mark = SceneBreak(anchor, BreakOrigin.HAND, "hand", name=f"Scene {number}")
                recap = SceneRecap(anchor, 0, f"Scene {number}", "Fog.", "", "built-in", 1.0)
                version = RunningVersion(0, f"v{number}", number, "", anchor, "built-in", 1.0)
                store.scenes.save(chat.chat_id, [mark])
                store.recaps.add_scene_recap(chat.chat_id, recap)
                store.recaps.add_running_version(chat.chat_id, version)

            for number, known in enumerate(chat.story.messages[5:LENGTH:12]):
                if known.anchor not in chat.story.breaks:
                    await store.run_undoable(
                        chat.chat_id,
                        f"end scene {number}",
                        lambda anchor=known.anchor, number=number: end_scene(anchor, number),  # type: ignore[misc]
                    )
                    told(known.anchor)
                await chats.refresh(chat)
                writing.soon(chat)
                await writing.flush()
                assert not writing.waiting
            await writing.aclose()

    asyncio.run(work())


def import_recaps(folder: Path, told: Told) -> None:
    """Sees a chat with recaps for the first time."""

    async def work() -> None:
        async with opened(folder) as (_, chats):
            await chats.open(chat_in(folder))
            told("seen")

    asyncio.run(work())


def deed(number: int) -> str:
    """What is done at a step of `undo`: three are done, one is taken back, one done again."""
    return ("do", "do", "do", "undo", "redo")[number % 5] if number % 10 < 5 else "do"


def undo(folder: Path, told: Told) -> None:
    """Does, undoes and redoes; the number of the next step is kept with each."""

    async def work() -> None:
        store = Store(database_in(folder), backups=folder / "backups", mends=True)
        await store.open()

        def step(chat: int, number: int) -> None:
            match deed(number):
                case "do":
                    mark = SceneBreak(f"m{number}", BreakOrigin.HAND, "hand")
                    store.undo.record(chat, f"m{number}", lambda: store.scenes.save(chat, [mark]))
                case "undo":
                    assert store.undo.undo(chat)
                case "redo":
                    assert store.undo.redo(chat)
            store.settings.save("", "", "next step", number + 1)

        try:
            chat = await store.run(lambda: store.chats.id_of("story.jsonl"))
            settings = await store.run(store.settings.load)
            for number in range(int(settings.get(("", "", "next step"), 0)), DEEDS):
                await store.run(lambda number=number: step(chat, number))  # type: ignore[misc]
                told(str(number))
        finally:
            await store.aclose()

    asyncio.run(work())


def open_store(folder: Path, told: Told) -> None:
    """Opens the database: an old one is backed up and migrated, a damaged one mended."""

    async def work() -> None:
        store = Store(database_in(folder), backups=folder / "backups", mends=True)
        await store.open()
        told(store.recovery.sentence if store.recovery else "")
        await store.aclose()

    asyncio.run(work())


def back_up(folder: Path, told: Told) -> None:
    """Backs the database up again and again."""
    database.BACKUP_SECONDS = -1.0
    store = Database(database_in(folder), backups=folder / "backups")
    for _ in range(10):
        store.back_up_if_due()
        told("kept")


def run_told(work: Work, folder: Path, telling: Connection) -> None:
    """What a process of its own begins with."""
    # A kill is no power cut: what the system was given it keeps. It takes most of the time.
    os.fsync = lambda _: None  # type: ignore[assignment]
    telling.send(READY)
    work(folder, telling.send)


def killed(work: Work, folder: Path, seconds: float | None) -> tuple[list[str], bool, float]:
    """Do the work and kill it after so many seconds, None: never.

    Gives what it told, whether it came to its end, and for how long it worked.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    reader, writer = context.Pipe(duplex=False)
    process = context.Process(target=run_told, args=(work, folder, writer))
    process.start()
    writer.close()
    try:
        if not reader.poll(60):
            raise TimeoutError
        assert reader.recv() == READY
        began = time.monotonic()
        process.join(60 if seconds is None else seconds)
        if process.is_alive():
            process.kill()
        process.join(60)
        took = time.monotonic() - began
        told = list(_received(reader))
        code = process.exitcode
    finally:
        process.kill()
        process.join(60)
        process.close()
        reader.close()
    assert code in (0, -9), f"it ended with {code}"
    return told, code == 0, took


def _received(reader: Connection) -> Iterator[str]:
    try:
        while True:
            yield reader.recv()
    except EOFError:
        return


def rows(folder: Path, statement: str) -> list[tuple[Any, ...]]:
    """What a query finds in a folder's database, which is whole."""
    return rows_of(database_in(folder), statement)


def rows_of(path: Path, statement: str) -> list[tuple[Any, ...]]:
    """What a query finds in a database, which is whole."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
        return connection.execute(statement).fetchall()


def moments(seed: int, longest: float) -> Iterator[float]:
    """When to kill, at random."""
    rng = random.Random(seed)
    while True:
        yield rng.random() * longest


CAN_KILL = sys.platform != "win32"
