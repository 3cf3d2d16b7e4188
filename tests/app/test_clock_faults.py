"""Whatever becomes of the clock and its zone: each kind of write is done, once, and the newest."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus
from app.core.paths import user_folders
from app.core.resources import RESOURCES
from app.core.tasks import TaskSupervisor
from app.prompt.slots import SlotSet
from app.sillytavern.bridge.bridge_file import BridgeFile, read_bridge_file
from app.sillytavern.bridge.bridge_protocol import ChatIdentity
from app.sillytavern.bridge.published import Published
from app.sillytavern.chat_copies import ChatCopies
from app.sillytavern.chat_file import read_chat
from app.sillytavern.guarded_write import BACKUPS_KEPT, guarded_replace
from app.store.database.database import BACKUP_SECONDS
from app.store.database.database import BACKUPS_KEPT as DATABASES_KEPT
from app.store.store import Store
from app.views.chat_copies import ChatAlarm
from app.views.offered_settings import NewSettings
from app.work.chats.guarding.chat_guard import ChatGuard
from app.work.queue.waiting import next_operation, surroundings
from tests.chat_files import HEADER, jsonl, message, write_chat
from tests.clock_faults import set_clock
from tests.killed_work import LENGTH, another_story, chat_in, make_chat, old_database, rows_of

HOUR, YEAR = 3600.0, 365 * 86_400.0
# How far ahead the clock is, and its zone; right at first and at last.
SETTINGS = (
    (0.0, "UTC"),
    (-2 * HOUR, "Pacific/Pago_Pago"),
    (-YEAR, "Europe/Berlin"),
    (3 * YEAR, "Pacific/Kiritimati"),
    (0.0, "Asia/Kathmandu"),
)
SLOT_CHAT = ChatIdentity("solo", "Mira.png", "Harbour")


@dataclass
class World:
    """A tavern that is looked after. step: how often the clock was set."""

    companion: Companion
    folder: Path
    guard: ChatGuard
    step: int = 0
    alarms: list[ChatAlarm] = field(default_factory=list)

    def hear(self, alarm: ChatAlarm) -> None:
        self.alarms.append(alarm)

    @property
    def chat(self) -> Path:
        return chat_in(self.folder)


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[World]:
    tasks = TaskSupervisor()
    guard = ChatGuard(folder / "copies", tasks, clock=lambda: time.time())
    chat = chat_in(folder)
    async with open_companion(
        user_folders(folder / "own"), tavern=chat.parents[2], llm="builtin", watch=False
    ) as companion:
        story = await companion.open_story(chat)
        if not story.breaks:
            await companion.edits.scenes.mark(chat, story.messages[2].anchor)
        await companion.settled(chat)
        world = World(companion, folder, guard)
        guard.alarm.connect(world.hear)
        yield world
    guard.close()
    await tasks.aclose()


async def take_in(world: World) -> None:
    """A chat with what ST-Auto-Recap left in it, seen for the first time."""
    left = world.chat.with_name(f"Before {world.step}.jsonl")
    story = await world.companion.open_story(another_story(world.folder / "left.jsonl", left))
    assert len(story.message_recaps) == LENGTH
    assert len(story.recaps) == LENGTH // 6


async def operate(world: World) -> None:
    """The queue recaps a scene anew: one version more, and it is the one that counts."""
    before = world.companion.story(world.chat)
    assert before is not None
    anchor = before.messages[before.scenes[0].last].anchor
    await world.companion.edits.redo_scene_recap(world.chat, anchor)
    story = await world.companion.settled(world.chat)
    assert len(story.recaps[anchor]) == len(before.recaps[anchor]) + 1
    assert [recap.is_current for recap in story.recaps[anchor]][-1]


async def edit_and_undo(world: World) -> None:
    """What was done last is what is taken back."""
    edits, chat = world.companion.edits, world.chat
    story = world.companion.story(chat)
    assert story is not None
    anchor = story.messages[story.scenes[0].last].anchor
    for name in ("Fog", f"Harbour {world.step}"):
        await edits.scenes.rename(chat, anchor, name)
    assert scene_name(world) == f"Harbour {world.step}"
    await edits.undo(chat)
    assert scene_name(world) == "Fog"
    await edits.redo(chat)
    assert scene_name(world) == f"Harbour {world.step}"


def scene_name(world: World) -> str:
    story = world.companion.story(world.chat)
    assert story is not None
    return story.scenes[0].name


async def put(world: World) -> None:
    """A setting; what held before an import is kept beside what was kept before."""
    settings, files = world.companion.settings, world.companion.settings_file
    assert not world.step or settings["context_tokens"] == 9_999 + world.step
    kept = await files.take_over(NewSettings({"context_tokens": 9_000}, 0))
    await world.companion.put_setting("context_tokens", 10_000 + world.step)
    assert kept in kept.parent.iterdir()
    assert len(list(kept.parent.iterdir())) == world.step + 1


async def back_up(world: World) -> None:
    """The database has a backup of this day, whatever day it is."""
    await world.companion._store.back_up_if_due()
    backups = list(world.companion.folders.backups.glob("tavernkeep-*.sqlite3"))
    ages = [time.time() - backup.stat().st_mtime for backup in backups]
    assert any(-60 < age <= BACKUP_SECONDS for age in ages)
    assert len(backups) <= DATABASES_KEPT


async def write_back(world: World) -> None:
    """Each backup of a chat is the chat as it was just before."""
    path, backups = world.folder / "tales" / "Mira" / "chat.jsonl", world.folder / "backups"
    if not path.exists():
        write_chat(path, [message(0)])
    before = path.read_bytes()
    backup = guarded_replace(
        path, read_chat(path), jsonl([HEADER, message(0, f"{world.step}")]), backups
    )
    assert backup.read_bytes() == before
    assert len(list(backups.iterdir())) == world.step + 1


async def keep_copy(world: World) -> None:
    """What was there last is kept, and named when it is lost, whatever the clock says."""
    path = world.folder / "tales" / "Ana" / "chat.jsonl"
    length = 60 * (world.step + 1)
    known = set(await world.guard.copies(path))
    for more in range(0, 60, 20):
        write_chat(path, [message(n) for n in range(length + more)])
        await world.guard.look(path)
        await world.guard.look(path)
    made = set(await world.guard.copies(path)) - known
    assert max(copy.messages for copy in made) == length + 40
    write_chat(path, [message(n) for n in range(length // 2)])
    await world.guard.look(path)
    alarm = world.alarms.pop()
    assert not world.alarms
    assert alarm.copy.messages == length + 40
    assert alarm.copy in made


async def leave_slots(world: World) -> None:
    """The bridge file says what was published last."""
    user_folder, tasks = world.chat.parents[2], TaskSupervisor()
    before = read_bridge_file(user_folder).sequence
    file = BridgeFile(user_folder, f"session {world.step}", tasks)
    file.publish(SLOT_CHAT, Published(SlotSet()))
    await file.aclose()
    await tasks.aclose()
    content = read_bridge_file(user_folder)
    assert content.sequence == before + 1
    assert content.chats[SLOT_CHAT.key].session == f"session {world.step}"


async def migrate(world: World) -> None:
    """A database of the first version, with a backup of what it was."""
    folder = world.folder / f"old {world.step}"
    folder.mkdir()
    path = folder / "tavernkeep.sqlite3"
    old_database(path, count=20)
    store = Store(path, backups=folder / "backups", mends=True)
    await store.open()
    await store.aclose()
    (backup,) = (folder / "backups").iterdir()
    for database in (path, backup):
        assert rows_of(database, "SELECT count(*) FROM message_recap") == [(20,)]


Kind = Callable[[World], Awaitable[None]]
KINDS: tuple[Kind, ...] = (
    *(take_in, operate, edit_and_undo, put, back_up, write_back, keep_copy, leave_slots, migrate),
)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="time zones of POSIX")
async def test_each_kind_of_write_is_done_whatever_the_clock_says(tmp_path: Path) -> None:
    """It is set while the program runs, and is what it is at the next start."""
    make_chat(tmp_path / "left", with_recaps=True).rename(tmp_path / "left.jsonl")
    make_chat(tmp_path)
    with set_clock() as clock:
        before: object = None
        for step, (ahead, zone) in enumerate(SETTINGS):
            async with opened(tmp_path) as world:
                assert before in (None, known(world)), "another time is no other story"
                world.step = step
                clock.set(ahead, zone)
                for kind in KINDS:
                    await kind(world)
                await world.companion.settled(world.chat)
                before = known(world)


def known(world: World) -> object:
    story = world.companion.story(world.chat)
    assert story is not None
    return story.breaks, story.recaps, story.running, world.companion.settings["context_tokens"]


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
        copies.keep(chat, b'{"mes":"1"}\n{"mes":"%d"}\n' % day, now + YEAR + day * 86_400)
    for day in range(4):
        made = copies.keep(chat, b'{"mes":"1"}\n' * (day + 1), now + day * 86_400)
        assert made in copies.of(chat)
    assert sum(copy.moment < now + YEAR for copy in copies.of(chat)) == 4
    assert len(copies.of(chat)) <= 4 + 10


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


def test_no_wait_in_the_page_hangs_on_a_clock_that_is_set() -> None:
    for path in (RESOURCES / "bridge").glob("*.js"):
        assert "Date.now" not in path.read_text("utf-8"), path.name
