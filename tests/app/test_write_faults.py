"""Whatever a disk or a lock does to a write: nothing is lost, and it goes on."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring

from app.companion import Companion, open_companion
from app.core.errors import StoreError, TavernkeepError
from app.core.paths import user_folders
from app.llm.backends.api_keys import ApiKeys
from app.memory.documents.bible_files import BibleFormat
from app.sillytavern.chat_copies import ChatCopies
from app.sillytavern.chat_file import read_chat
from app.sillytavern.guarded_write import guarded_replace
from app.store.database import database
from app.store.store import Store
from app.views.offered_settings import NewSettings
from tests.chat_files import HEADER, jsonl, message, write_chat
from tests.disk_faults import (
    FILE_FAULTS,
    Fault,
    closed_folder,
    full_disk,
    locked_database,
    open_to_all,
)
from tests.killed_work import LENGTH, another_story, chat_in, make_chat, old_database, rows_of

posix = pytest.mark.skipif(os.name != "posix", reason="limits and rights of POSIX")
OLD_ROWS = "SELECT count(*) FROM message_recap WHERE text LIKE 'What happened%'"


@dataclass
class World:
    """A tavern that is looked after, all of whose work is done."""

    companion: Companion
    chat: Path
    folder: Path

    @property
    def story(self) -> object:
        story, before = self.companion.story(self.chat), self.companion.story(self.before)
        assert story is not None
        taken_in = before and (len(before.message_recaps), len(before.breaks))
        return story.breaks, story.recaps, story.running, taken_in

    @property
    def before(self) -> Path:
        """Another chat, as ST-Auto-Recap left it."""
        return self.chat.with_name("Before.jsonl")

    def files(self) -> dict[str, bytes]:
        """Every file but the database's own and what a lock says."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and "sqlite3" not in path.name and path.name != "in-use"
        }


@contextlib.asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[World]:
    chat = chat_in(folder)
    if not chat.exists():
        left = make_chat(folder / "left", with_recaps=True)
        another_story(left, make_chat(folder).with_name("Before.jsonl"))
    async with open_companion(
        user_folders(folder / "own"), tavern=chat.parents[2], llm="builtin", watch=False
    ) as companion:
        await companion.open_story(chat)
        await companion.settled(chat)
        yield World(companion, chat, folder)


def break_off(world: World) -> str:
    return world.companion.story(world.chat).messages[2].anchor  # type: ignore[union-attr]


async def mark(world: World) -> None:
    await world.companion.edits.scenes.mark(world.chat, break_off(world), name="By hand")


async def mark_and_recap(world: World) -> None:
    await mark(world)
    await world.companion.settled(world.chat)


async def undo(world: World) -> None:
    await world.companion.edits.undo(world.chat)


async def put(world: World) -> None:
    await world.companion.put_setting("context_tokens", 12_345)


async def take_in(world: World) -> None:
    """A chat with what ST-Auto-Recap left in it, seen for the first time."""
    story = await world.companion.open_story(world.before)
    assert len(story.message_recaps) == LENGTH
    assert len(story.recaps) == len(story.breaks) == LENGTH // 6


async def ask_anew(world: World) -> None:
    """For a recap of a scene, which the queue begins when it is let go on."""
    companion = world.companion
    anchor = next(iter(companion.story(world.chat).recaps))  # type: ignore[union-attr]
    companion.work.pause()
    await companion.edits.redo_scene_recap(world.chat, anchor)


async def operate(world: World) -> None:
    """The queue does what waits; where the store refuses it pauses, and says why."""
    world.companion.work.resume()
    await world.companion.settled(world.chat)
    if reason := world.companion._queue.pause_reason:
        raise StoreError(reason)


async def export(world: World) -> None:
    data = await world.companion.exports.bible(world.chat, BibleFormat.MARKDOWN)
    await world.companion.files.write(world.folder / "story.md", data or b"-")


async def save_prompt(world: World) -> None:
    text = await world.companion.prompts.shipped_text("scene_recap")
    await world.companion.prompts.save("scene_recap", f"{text}\nKeep it short.\n")


async def save_settings(world: World) -> None:
    await world.companion.settings_file.save(world.folder / "settings of mine.json")


async def take_settings_over(world: World) -> None:
    """What held before is kept in a file."""
    new = NewSettings({"context_tokens": world.companion.settings["context_tokens"] + 1}, 0)
    await world.companion.settings_file.take_over(new)


async def keep_key(world: World) -> None:
    await ApiKeys(world.folder / "keys.json").keep("http://127.0.0.1:1", "a-key")


async def copy(world: World) -> None:
    """Of a chat; a restored one stands beside it."""
    copies = ChatCopies(world.folder / "copies")
    with words_for_os_errors():
        copies.keep(world.chat, world.chat.read_bytes(), time.time())


async def replace(world: World) -> None:
    path = world.folder / "chats" / "Mira" / "chat.jsonl"
    if not path.exists():
        pytest.fail("it was damaged")
    guarded_replace(
        path, read_chat(path), jsonl([HEADER, message(0, "New.")]), world.folder / "saved"
    )


@contextlib.contextmanager
def words_for_os_errors() -> Iterator[None]:
    """As the guard of chats has it, whose own test shows its sentence."""
    try:
        yield
    except OSError as error:
        raise TavernkeepError(f"No copy could be kept ({error.strerror}).") from error


Write = Callable[[World], Awaitable[None]]
IN_DATABASE: tuple[Write, ...] = (undo, mark, put, operate, take_in)
IN_FILES: tuple[Write, ...] = (
    *(export, save_prompt, save_settings, take_settings_over, keep_key, copy, replace),
)
BEFORE: dict[Write, Write] = {undo: mark_and_recap, operate: ask_anew}


async def goes_wrong_and_on(world: World, write: Write, fault: Fault) -> None:
    """It is refused in words and changes nothing; when the fault is over it is done."""
    write_chat(world.folder / "chats" / "Mira" / "chat.jsonl", [message(0)])
    await world.companion.settled(world.chat)
    if write in BEFORE:
        await BEFORE[write](world)
    story, files = world.story, world.files()
    settings = world.companion.settings["context_tokens"]
    with fault(), pytest.raises(TavernkeepError) as refused:
        await write(world)
    sentence = str(refused.value)
    assert sentence.endswith("."), sentence
    assert "Traceback" not in sentence
    assert "Errno" not in sentence
    assert world.story == story, write.__name__
    assert world.companion.settings["context_tokens"] == settings
    assert world.files() == files, f"{write.__name__} left something behind"
    await write(world)
    after = world.companion.settings["context_tokens"]
    assert (world.story, world.files(), after) != (story, files, settings), write.__name__


@contextlib.contextmanager
def read_only_database(world: World) -> Iterator[None]:
    """SQLite is told that the disk takes nothing, as on one that was mounted anew."""
    of_world = world.companion._store._database

    def tell(is_on: int) -> None:
        of_world._thread.submit(
            of_world._sqlite.execute_sql, f"PRAGMA query_only = {is_on}"
        ).result(10)

    tell(1)
    try:
        yield
    finally:
        tell(0)


DATABASE_FAULTS: dict[str, Callable[[World], AbstractContextManager[None]]] = {
    "full": lambda _: full_disk(),
    "locked": lambda world: locked_database(world.companion.folders.database),
    "read-only": read_only_database,
}


@posix
@pytest.mark.expects_log("app")
@pytest.mark.parametrize("name", DATABASE_FAULTS)
async def test_what_keeps_the_database_from_being_written_is_said_and_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(database.PRAGMAS, "busy_timeout", 20)
    async with opened(tmp_path) as world:
        for write in IN_DATABASE:
            await goes_wrong_and_on(world, write, partial(DATABASE_FAULTS[name], world))


@posix
@pytest.mark.expects_log("app")
@pytest.mark.parametrize("fault", FILE_FAULTS)
async def test_what_keeps_a_file_from_being_written_is_said_and_passes(
    tmp_path: Path, fault: Fault
) -> None:
    ring = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())  # type: ignore[no-untyped-call]
    try:
        async with opened(tmp_path) as world:
            for write in IN_FILES:
                await goes_wrong_and_on(world, write, fault)
    finally:
        keyring.set_keyring(ring)


async def opened_store(path: Path) -> str:
    """Open a database, which is migrated, or mended; what was said of that."""
    store = Store(path, backups=path.parent / "backups", mends=True)
    try:
        await store.open()
        return store.recovery.sentence if store.recovery else ""
    finally:
        await store.aclose()


def damage(path: Path) -> None:
    """What no start can overlook, of a database with a backup."""
    (path.parent / "backups").mkdir()
    backup = path.parent / "backups" / "tavernkeep-20260101-000000.sqlite3"
    path.rename(backup)
    path.write_bytes(b"\xa5" * 40_000)


AT_THE_START: dict[str, Callable[[Path], AbstractContextManager[None]]] = {
    "full": lambda _: full_disk(),
    "locked": locked_database,
    "closed": lambda path: closed_folder(path.parent),
}


@posix
@pytest.mark.parametrize(
    ("name", "is_damaged"),
    # What is no database cannot be locked.
    [*((name, False) for name in AT_THE_START), ("full", True), ("closed", True)],
)
@pytest.mark.expects_log("app.store.database.recovery")
async def test_a_database_that_cannot_be_migrated_or_mended_is_when_the_fault_is_over(
    monkeypatch: pytest.MonkeyPatch, name: str, *, is_damaged: bool
) -> None:
    monkeypatch.setitem(database.PRAGMAS, "busy_timeout", 20)
    with open_to_all() as folder:
        path = folder / "tavernkeep.sqlite3"
        old_database(path, count=200)
        if is_damaged:
            damage(path)
        with AT_THE_START[name](path), pytest.raises(StoreError) as refused:
            await opened_store(path)
        assert str(path) in str(refused.value)
        said = await opened_store(path)
        assert ("Nothing seems to be missing" in said or "replaced it" in said) == is_damaged
        assert rows_of(path, OLD_ROWS) == [(200,)]
        backups = list((folder / "backups").glob("tavernkeep-*.sqlite3"))
        assert backups
        assert all(rows_of(backup, OLD_ROWS) == [(200,)] for backup in backups)


@posix
@pytest.mark.parametrize("name", ["full", "closed"])
async def test_a_backup_that_cannot_be_written_is_when_the_fault_is_over(name: str) -> None:
    with open_to_all() as folder:
        path = folder / "tavernkeep.sqlite3"
        (folder / "backups").mkdir()
        store = Store(path, backups=folder / "backups")
        await store.open()
        try:
            with AT_THE_START[name](path), pytest.raises(StoreError, match="is unchanged"):
                await store.back_up_if_due()
            assert list((folder / "backups").iterdir()) == []
            await store.back_up_if_due()
            (backup,) = (folder / "backups").iterdir()
            assert rows_of(backup, "SELECT count(*) FROM chat") == [(0,)]
        finally:
            await store.aclose()


# Run once as who may do all, so that every module is there, then as who may not write.
AS_NOBODY = """
import os, sys
from pathlib import Path
from app.commands import main
own, what, *words = sys.argv[1:]
print("first", main([*words, "--data-dir", own]))
closed = [Path(own)] if what == "folder" else [Path(own, "tavernkeep.sqlite3")]
modes = [path.stat().st_mode for path in closed]
if what != "folder":
    Path(own).chmod(0o777)
    Path(own, "in-use").chmod(0o666)
for path in closed:
    path.chmod(0o555 if path.is_dir() else 0o444)
is_root = os.getuid() == 0
if is_root:
    os.seteuid(65534)
print("refused", main([*words, "--data-dir", own]))
if is_root:
    os.seteuid(0)
for path, mode in zip(closed, modes):
    path.chmod(mode)
print("again", main([*words, "--data-dir", own]))
"""


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="permissions of POSIX")
@pytest.mark.parametrize("what", ["folder", "database"])
def test_a_data_folder_that_became_read_only_is_said_and_over_when_it_is_not(what: str) -> None:
    with open_to_all() as folder:
        chat, own = make_chat(folder), folder / "own"
        words = [sys.executable, "-c", AS_NOBODY, str(own), what, "recap", str(chat)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        first, refused, again = done.stdout.partition("first 0")[0], "refused 1", "again 0"
        assert "Traceback" not in done.stderr
        assert refused in done.stdout, done.stderr
        assert again in done.stdout
        assert done.stdout.count(first) == 2, "what was known is not what is known"
        assert str(own) in done.stderr
