"""Whatever a disk, a lock or a clock does to a write: nothing is lost, and it goes on."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.errors import TavernkeepError
from app.operations import Operation, OperationKind, OperationSpec, OperationStatus
from app.paths import user_folders
from app.sillytavern.chat_copies import DAYS_KEPT, NEWEST_KEPT, ChatCopies
from app.sillytavern.chat_file import read_chat
from app.sillytavern.guarded_write import BACKUPS_KEPT, guarded_replace
from app.store import database
from app.store.database import BACKUPS_KEPT as DATABASES_KEPT
from app.store.store import Store
from app.work.export import BibleFormat
from app.work.user_files import write_new
from app.work.waiting import next_operation, surroundings
from tests.chat_files import HEADER, jsonl, message, write_chat
from tests.disk_faults import full_disk, permission_lost
from tests.killed_work import chat_in, make_chat

YEAR = 365 * 86_400.0
posix = pytest.mark.skipif(os.name != "posix", reason="limits and rights of POSIX")


@dataclass
class World:
    """A tavern that is looked after, all of whose work is done."""

    companion: Companion
    chat: Path
    folder: Path

    @property
    def story(self) -> object:
        story = self.companion.story(self.chat)
        assert story is not None
        return story.breaks, story.recaps, story.running

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
        make_chat(folder)
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


async def undo(world: World) -> None:
    await world.companion.edits.undo(world.chat)


async def put(world: World) -> None:
    await world.companion.put_setting("context_tokens", 12_345)


async def export(world: World) -> None:
    data = await world.companion.exports.bible(world.chat, BibleFormat.MARKDOWN)
    await write_new(world.folder / "story.md", data or b"-")


async def save_prompt(world: World) -> None:
    text = await world.companion.prompts.shipped_text("scene_recap")
    await world.companion.prompts.save("scene_recap", f"{text}\nKeep it short.\n")


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


IN_DATABASE = (mark, undo, put)
IN_FILES = (export, save_prompt, copy, replace)
Write = Callable[[World], Awaitable[None]]


async def goes_wrong_and_on(
    world: World, write: Write, fault: Callable[[], AbstractContextManager[None]]
) -> None:
    """It is refused in words and changes nothing; when the fault is over it is done."""
    write_chat(world.folder / "chats" / "Mira" / "chat.jsonl", [message(0)])
    if write is undo:
        await mark(world)
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
    assert (world.story, world.files(), after) != (story, files, settings)


@posix
@pytest.mark.expects_log("app")
async def test_a_full_disk_is_said_and_over_when_there_is_room(tmp_path: Path) -> None:
    for write in (*IN_DATABASE, *IN_FILES):
        async with opened(tmp_path / write.__name__) as world:
            await goes_wrong_and_on(world, write, full_disk)


@posix
@pytest.mark.expects_log("app")
async def test_a_lost_permission_is_said_and_over_when_it_is_back(tmp_path: Path) -> None:
    for write in IN_FILES:
        async with opened(tmp_path / write.__name__) as world:
            await goes_wrong_and_on(world, write, permission_lost)


@pytest.mark.expects_log("app")
async def test_a_locked_database_is_said_and_over_when_it_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(database.PRAGMAS, "busy_timeout", 20)

    @contextlib.contextmanager
    def locked() -> Iterator[None]:
        path = world.companion.folders.database
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
            other.execute("ROLLBACK")

    for write in IN_DATABASE:
        async with opened(tmp_path / write.__name__) as world:
            await goes_wrong_and_on(world, write, locked)


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
    # Not below tmp_path: pytest's own folders are closed to others, and then they are to blame.
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        chat, own = make_chat(Path(name)), Path(name) / "own"
        words = [sys.executable, "-c", AS_NOBODY, str(own), what, "recap", str(chat)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        first, refused, again = done.stdout.partition("first 0")[0], "refused 1", "again 0"
        assert "Traceback" not in done.stderr
        assert refused in done.stdout, done.stderr
        assert again in done.stdout
        assert done.stdout.count(first) == 2, "what was known is not what is known"
        assert str(own) in done.stderr


def retry(due: float) -> Operation:
    spec = OperationSpec(OperationKind.SCENE_RECAP, 1, "key", "m1", "Recap of scene 1")
    return Operation(1, spec, status=OperationStatus.WAITING, not_before=due)


def test_a_retry_does_not_wait_for_a_time_that_the_clock_has_left() -> None:
    now = 1_790_000_000.0
    waiting = retry(now + 300)
    around = surroundings([waiting], {})
    assert next_operation([waiting], around, now=now) is None
    assert next_operation([waiting], around, now=now + 300) is waiting
    assert next_operation([waiting], around, now=now - YEAR) is waiting


def test_copies_of_today_are_kept_under_a_clock_that_was_set_back(tmp_path: Path) -> None:
    copies, chat = ChatCopies(tmp_path), tmp_path / "tavern" / "Mira" / "chat.jsonl"
    now = 1_790_000_000.0
    for day in range(10):
        copies.keep(chat, b"{}\n{}\n", now + YEAR + day * 86_400)
    for day in range(4):
        made = copies.keep(chat, b"{}\n{}\n{}\n", now + day * 86_400)
        assert made in copies.of(chat)
    assert sum(copy.moment < now + YEAR for copy in copies.of(chat)) == 4
    assert len(copies.of(chat)) <= 4 + NEWEST_KEPT + DAYS_KEPT + 8


def test_the_backup_of_a_chat_stays_under_a_clock_that_was_set_back(tmp_path: Path) -> None:
    path = write_chat(tmp_path / "chats" / "Mira" / "chat.jsonl", [message(0)])
    backups = tmp_path / "backups"
    for number in range(BACKUPS_KEPT + 2):
        data = jsonl([HEADER, message(number)])
        before = path.read_bytes()
        backup = guarded_replace(path, read_chat(path), data, backups)
        assert backup.read_bytes() == before
        if number < BACKUPS_KEPT:
            os.utime(backup, (time.time() + YEAR, time.time() + YEAR))
    assert len(list(backups.iterdir())) == BACKUPS_KEPT


async def test_a_database_is_backed_up_under_a_clock_that_was_set_back(tmp_path: Path) -> None:
    backups = tmp_path / "backups"
    store = Store(tmp_path / "story.sqlite3", backups=backups)
    await store.open()
    try:
        await store.back_up_if_due()
        (first,) = backups.iterdir()
        ahead = time.time() + YEAR
        for number in range(DATABASES_KEPT):
            future = backups / f"tavernkeep-20991231-00000{number}.sqlite3"
            shutil.copyfile(first, future)
            os.utime(future, (ahead, ahead))
        first.unlink()
        await store.back_up_if_due()
        today = [path for path in backups.iterdir() if path.stat().st_mtime < ahead - 60]
        assert len(today) == 1
        assert len(list(backups.iterdir())) == DATABASES_KEPT
    finally:
        await store.aclose()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="time zones of POSIX")
async def test_another_time_zone_changes_nothing_that_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        async with opened(tmp_path) as world:
            await mark(world)
            await world.companion.settled(world.chat)
            before = world.story
        for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            async with opened(tmp_path) as world:
                assert world.story == before
                await put(world)
                await copy(world)
                assert world.story == before
    finally:
        monkeypatch.undo()
        time.tzset()
