"""Killed while it writes, the program damages no chat, loses nothing, and does nothing twice.

TAVERNKEEP_TEST_LONG=1 kills 80 times each instead of 6.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.sillytavern.extensions.extras_writing import NAMESPACE
from app.sillytavern.extensions.running_writing import RUNNING_KEY
from app.store.database.recovery import write_backup
from app.store.store import Store
from app.story.messages import MessageRecap
from tests import killed_work
from tests.killed_work import (
    CAN_KILL,
    DEEDS,
    LENGTH,
    Work,
    chat_in,
    database_in,
    deed,
    killed,
    make_chat,
    moments,
    old_database,
    rows,
    rows_of,
)

pytestmark = [
    pytest.mark.skipif(not CAN_KILL, reason="there is no SIGKILL"),
    pytest.mark.timeout(600),
]
KILLS = 80 if os.environ.get("TAVERNKEEP_TEST_LONG") == "1" else 6
OURS = (NAMESPACE, "auto_recap_memory")
Check = Callable[[Path, list[str]], None]


def kill_again_and_again(
    work: Work, prepared: Path, folder: Path, check: Check, *, seed: int
) -> tuple[Path, list[Path]]:
    """Kill the work KILLS times in all, each folder until its work is done, with a look after each.

    Gives the folder of a run that nobody disturbed, and those that are done in spite of all.
    """
    calm = folder / "calm"
    shutil.copytree(prepared, calm)
    *_, took = killed(work, calm, None)
    when = moments(seed, took)
    ended: list[Path] = []
    count = number = 0
    while count < KILLS:
        number += 1
        world = folder / f"world {number}"
        shutil.copytree(prepared, world)
        told: list[str] = []
        is_done = False
        while not is_done:
            more, is_done, _ = killed(work, world, next(when) if count < KILLS else None)
            told += more
            count += not is_done
            check(world, told)
        ended.append(world)
    return calm, ended


def bare(chat: Path) -> list[Any]:
    """A chat's lines without what is ours."""
    lines = [json.loads(line) for line in chat.read_bytes().splitlines()]
    lines[0]["chat_metadata"].pop(RUNNING_KEY, None)
    for line in lines[1:]:
        for extra in (line["extra"], *(info["extra"] for info in line.get("swipe_info", ()))):
            for key in [key for key in extra if key in OURS or "tavernkeep" in key.lower()]:
                del extra[key]
    return lines


def test_a_chat_is_whole_whenever_its_writer_dies(tmp_path: Path) -> None:
    prepared = tmp_path / "prepared"
    untouched = bare(make_chat(prepared))

    def check(world: Path, told: list[str]) -> None:
        assert bare(chat_in(world)) == untouched
        for backup in (world / "chat backups").glob("*.jsonl"):
            assert bare(backup) == untouched
        if database_in(world).exists() and told:
            anchors = {row[0] for row in rows(world, "SELECT anchor FROM scene_break")}
            assert set(told) <= anchors
        # Nobody has to know what a dead writer left: an hour later it is swept away.
        for left in chat_in(world).parent.iterdir():
            if left != chat_in(world):
                os.utime(left, (time.time() - 7200, time.time() - 7200))

    calm, ended = kill_again_and_again(killed_work.mirror, prepared, tmp_path, check, seed=1)
    wanted = chat_in(calm).read_bytes()
    assert wanted != chat_in(prepared).read_bytes()
    once = ("scene_break", "scene_recap", "running_version", "undo_entry")
    for world in ended:
        assert told_without_anchors(chat_in(world)) == told_without_anchors(chat_in(calm))
        for table in once:
            count = f"SELECT count(*) FROM {table}"
            assert rows(world, count) == rows(calm, count) == [(LENGTH // 12,)]
        assert list(chat_in(world).parent.iterdir()) == [chat_in(world)]


def told_without_anchors(chat: Path) -> list[Any]:
    """A chat's lines without the moments at which we wrote."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            times = ("timestamp", "combined_at", "created", "written")
            return {key: plain(found) for key, found in value.items() if key not in times}
        return [plain(item) for item in value] if isinstance(value, list) else value

    return [plain(json.loads(line)) for line in chat.read_bytes().splitlines()]


def test_recaps_of_a_chat_are_taken_in_once_however_often_it_dies(tmp_path: Path) -> None:
    prepared = tmp_path / "prepared"
    chat = make_chat(prepared, with_recaps=True).read_bytes()

    def check(world: Path, told: list[str]) -> None:
        assert chat_in(world).read_bytes() == chat

    calm, ended = kill_again_and_again(killed_work.import_recaps, prepared, tmp_path, check, seed=2)
    known = (
        "SELECT name, origin FROM scene_break ORDER BY name",
        "SELECT text, is_excluded FROM message_recap ORDER BY text",
        "SELECT text FROM scene_recap ORDER BY text",
        "SELECT count(*) FROM chat UNION SELECT count(*) + 1000 FROM undo_entry",
        "SELECT count(*) FROM known_message",
    )
    assert len(rows(calm, known[0])) == LENGTH // 6
    assert len(rows(calm, known[1])) == LENGTH
    for world in ended:
        for statement in known:
            assert rows(world, statement) == rows(calm, statement)


def test_a_step_is_done_or_taken_back_whole_or_not_at_all(tmp_path: Path) -> None:
    prepared = tmp_path / "prepared"
    prepared.mkdir()

    def check(world: Path, told: list[str]) -> None:
        if not database_in(world).exists() or not rows(world, "SELECT name FROM sqlite_master"):
            return
        steps = [int(step) for step in told]
        assert sorted(set(steps)) == steps, "a step was done twice"
        found = rows(world, "SELECT value FROM setting WHERE name = 'next step'") if steps else []
        if not found:
            assert not steps
            return
        reached = int(found[0][0])
        assert steps[-1] < reached  # the last may be kept without a word of it
        done: list[str] = []
        taken_back: list[str] = []
        for number in range(reached):
            match deed(number):
                case "do":
                    done.append(f"m{number}")
                    taken_back.clear()
                case "undo":
                    taken_back.append(done.pop())
                case "redo":
                    done.append(taken_back.pop())
        marks = rows(world, "SELECT anchor FROM scene_break")
        assert {anchor for (anchor,) in marks} == set(done)
        labels = rows(world, "SELECT label FROM undo_entry WHERE direction = 'undo' ORDER BY id")
        assert [label for (label,) in labels] == done

    _, ended = kill_again_and_again(killed_work.undo, prepared, tmp_path, check, seed=3)
    for world in ended:
        assert rows(world, "SELECT value FROM setting WHERE name = 'next step'") == [(str(DEEDS),)]


COUNT = "SELECT count(*) FROM message_recap WHERE text LIKE 'What happened%'"


def test_a_migration_that_dies_goes_on_at_the_next_start(tmp_path: Path) -> None:
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    old_database(database_in(prepared))

    def check(world: Path, told: list[str]) -> None:
        assert rows(world, COUNT) == [(2000,)]
        assert set(told) <= {""}  # nothing had to be mended
        for backup in (world / "backups").glob("tavernkeep-*.sqlite3"):
            assert rows_of(backup, COUNT) == [(2000,)], "half a backup looks like a whole one"

    calm, ended = kill_again_and_again(killed_work.open_store, prepared, tmp_path, check, seed=4)
    schema = "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2"
    for world in ended:
        assert rows(world, schema) == rows(calm, schema)
        assert list((world / "backups").glob("tavernkeep-*.sqlite3"))


def test_what_looks_like_a_backup_is_one(tmp_path: Path) -> None:
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    killed(killed_work.open_store, prepared, None)
    fill(database_in(prepared), 2000)

    def check(world: Path, told: list[str]) -> None:
        assert rows(world, COUNT) == [(2000,)]
        for backup in (world / "backups").glob("tavernkeep-*.sqlite3"):
            assert rows_of(backup, COUNT) == [(2000,)]

    _, ended = kill_again_and_again(killed_work.back_up, prepared, tmp_path, check, seed=5)
    for world in ended:
        assert list((world / "backups").glob("tavernkeep-*.sqlite3"))
        assert [p.name for p in (world / "backups").iterdir() if ".part" in p.name] == []


def fill(path: Path, count: int) -> None:
    """Let a database know that many message recaps."""

    async def work() -> None:
        store = Store(path)
        await store.open()

        def unit() -> None:
            recaps = {
                f"m{number}": MessageRecap(f"What happened, part {number}. " * 20, source_hash="h")
                for number in range(count)
            }
            store.recaps.save_message_recaps(store.chats.id_of("a chat"), recaps)

        await store.run(unit)
        await store.aclose()

    asyncio.run(work())


@pytest.mark.parametrize("has_backup", [True, False])
def test_mending_that_dies_is_made_up_for_at_the_next_start(
    tmp_path: Path, has_backup: bool
) -> None:
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    killed(killed_work.open_store, prepared, None)
    path = database_in(prepared)
    fill(path, 500)
    if has_backup:
        (prepared / "backups").mkdir(exist_ok=True)
        assert write_backup(path, prepared / "backups" / "tavernkeep-20260101-000000.sqlite3")
    fill(path, 2000)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size * 3 // 4)
        file.write(b"\xa5" * 4096 * 4)

    def check(world: Path, told: list[str]) -> None:
        asides = list(world.glob("tavernkeep-damaged-*.sqlite3"))
        assert len(asides) <= 1, "what is damaged is set aside once"

    calm, ended = kill_again_and_again(killed_work.open_store, prepared, tmp_path, check, seed=6)
    [(wanted,)] = rows(calm, COUNT)
    assert 1000 < wanted <= 2000
    for world in ended:
        assert rows(world, COUNT) == [(wanted,)]
