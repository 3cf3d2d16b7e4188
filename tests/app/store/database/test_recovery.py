"""A damaged database is found, set aside, and brought back as far as it can be."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from app.core.errors import StoreError
from app.store.database.recovery import SALVAGED, is_damaged, newest_sound, write_backup
from app.store.store import Store
from app.story.recaps import SceneRecap

pytestmark = pytest.mark.expects_log("app.store.database.recovery")

RECAPS = 400


def recap(number: int) -> SceneRecap:
    text = f"What happened, part {number}. " * 20
    return SceneRecap(f"scene {number}", 1, "", text, "digest", "model", 0.0)


async def filled(path: Path, backups: Path, *, numbers: range = range(RECAPS)) -> None:
    """A store with as many scene recaps, and closed again."""
    store = Store(path, backups=backups, mends=True)
    await store.open()

    def unit() -> None:
        chat = store.chats.id_of("story.jsonl")
        for number in numbers:
            store.recaps.add_scene_recap(chat, recap(number))

    await store.run(unit)
    await store.aclose()


async def recaps_in(store: Store) -> set[str]:
    def unit() -> set[str]:
        return set(store.recaps.scene_recaps(store.chats.id_of("story.jsonl")))

    return await store.run(unit)


def list_of(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def flip(path: Path, seed: int, *, begin: int = 0) -> None:
    """Overwrite three stretches of the file, behind its first page when `begin` says so."""
    random_bytes = random.Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(3):
        place = random_bytes.randrange(begin, len(data) - 512)
        data[place : place + 512] = random_bytes.randbytes(512)
    path.write_bytes(data)


async def test_a_whole_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "story.sqlite3"
    await filled(path, tmp_path / "backups")
    assert not is_damaged(path)
    store = Store(path, mends=True)
    await store.open()
    assert store.recovery is None
    await store.aclose()
    assert list_of(tmp_path) == ["story.sqlite3"]


@pytest.mark.parametrize("seed", range(12))
async def test_flipped_bytes_cost_no_more_than_they_hit(tmp_path: Path, seed: int) -> None:
    path, backups = tmp_path / "story.sqlite3", tmp_path / "backups"
    await filled(path, backups, numbers=range(RECAPS // 2))
    backups.mkdir()
    assert write_backup(path, backups / "tavernkeep-20260101-000000.sqlite3")
    await filled(path, backups, numbers=range(RECAPS // 2, RECAPS))
    flip(path, seed)
    before = path.read_bytes()
    damaged = is_damaged(path)
    store = Store(path, backups=backups, mends=True)
    await store.open()
    try:
        kept = await recaps_in(store)
        assert {f"scene {n}" for n in range(RECAPS // 2)} <= kept
        await store.run(lambda: store.settings.save("", "", "backend", "built-in"))
    finally:
        await store.aclose()
    assert (store.recovery is not None) == damaged
    if store.recovery is not None:
        assert store.recovery.aside.read_bytes() == before
        assert str(store.recovery.aside) in store.recovery.sentence
        missing = len(kept) < RECAPS
        assert not missing or "scene recaps" in store.recovery.incomplete
    assert not is_damaged(path)


async def test_without_a_backup_what_can_be_read_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "story.sqlite3"
    await filled(path, tmp_path / "backups")
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size * 3 // 4)  # among the recaps, far behind the names of the tables
        file.write(os.urandom(4096 * 4))
    store = Store(path, backups=tmp_path / "backups", mends=True)
    await store.open()
    try:
        assert store.recovery is not None
        assert store.recovery.backup is None
        assert len(await recaps_in(store)) > RECAPS // 4
        assert "no backup" in store.recovery.sentence
    finally:
        await store.aclose()


def page_that_names(path: Path, what: bytes) -> int:
    """Where the page begins, behind the first, on which the list of tables says this."""
    data = path.read_bytes()
    place = data.index(what, 4096)
    return place - place % 4096


@pytest.mark.parametrize("tail", [True, False])
async def test_a_broken_line_in_the_list_of_tables_costs_no_more_than_that(
    tmp_path: Path, *, tail: bool
) -> None:
    """Nothing at all was read of a file of which one such page was hit."""
    path, backups = tmp_path / "story.sqlite3", tmp_path / "backups"
    await filled(path, backups)
    begin = page_that_names(path, b"CREATE TABLE memory_policy")
    with path.open("r+b") as file:
        file.seek(begin + (3000 if tail else 8))
        file.write(random.Random(1).randbytes(256))
    store = Store(path, backups=backups, mends=True)
    await store.open()
    try:
        assert store.recovery is not None
        assert len(await recaps_in(store)) == RECAPS
        assert store.recovery.added > RECAPS
    finally:
        await store.aclose()


async def test_what_lies_between_two_broken_pages_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "story.sqlite3"
    await filled(path, tmp_path / "backups")
    with closing(sqlite3.connect(path)) as connection, connection:
        for number in range(RECAPS):
            key = f"{number * 0x9E3779B1 % 2**32:08x}"
            connection.execute("INSERT INTO result VALUES (?, ?, 1.0)", (key, "answer " * 80))
    places = [page_that_names(path, f"part {number}. What".encode()) for number in (120, 280)]
    pages, data = range(0, path.stat().st_size, 4096), path.read_bytes()
    of_results = [at for at in pages if b"answer answer" in data[at : at + 4096]]
    places += [of_results[len(of_results) // 3], of_results[len(of_results) * 2 // 3]]
    with path.open("r+b") as file:
        for place in places:
            file.seek(place)
            file.write(random.Random(place).randbytes(4096))
    store = Store(path, backups=tmp_path / "backups", mends=True)
    await store.open()
    try:
        assert len(await recaps_in(store)) >= RECAPS - 40
        (results,) = await store.run(
            lambda: store._database.execute("SELECT count(*) FROM result")[0]
        )
        assert results >= RECAPS * 3 // 4
    finally:
        await store.aclose()


async def test_a_file_that_is_no_database_at_all_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "story.sqlite3"
    path.write_bytes(b"not a database, and never was one" * 400)
    store = Store(path, mends=True)
    await store.open()
    try:
        assert store.recovery is not None
        assert store.recovery.incomplete == tuple(SALVAGED.values())
        assert "nothing could be added from the damaged one" in store.recovery.sentence
        assert await recaps_in(store) == set()
    finally:
        await store.aclose()


async def test_who_only_looks_on_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "story.sqlite3"
    path.write_bytes(b"not a database" * 400)
    before = path.read_bytes()
    store = Store(path)
    with pytest.raises(StoreError, match="left as it is"):
        await store.open()
    await store.aclose()
    assert path.read_bytes() == before


async def test_damage_that_shows_in_use_is_mended_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "story.sqlite3"
    await filled(path, tmp_path / "backups")
    store = Store(path, mends=True)
    await store.open()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE message_words_data SET block = x'00ff00ff00ff'")
        connection.commit()
    with pytest.raises(StoreError, match="start it again"):
        await store.run(lambda: store.search.messages("anything", 9))
    await store.aclose()
    again = Store(path, mends=True)
    await again.open()
    try:
        assert await again.run(lambda: again.search.messages("anything", 9)) == []
        assert len(await recaps_in(again)) == RECAPS
    finally:
        await again.aclose()


@pytest.mark.parametrize("has_backup", [True, False])
async def test_a_text_that_is_none_any_more_costs_itself_alone(
    tmp_path: Path, *, has_backup: bool
) -> None:
    """SQLite's own check passes over it, and reading stops there."""
    path, backups = tmp_path / "story.sqlite3", tmp_path / "backups"
    await filled(path, backups)
    if has_backup:
        backups.mkdir()
        assert write_backup(path, backups / "tavernkeep-20260101-000000.sqlite3")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE scene_recap SET text = CAST(x'ff' || text AS TEXT) WHERE anchor = 'scene 7'"
        )
    broken = Store(path, backups=backups, mends=True)
    await broken.open()
    with pytest.raises(StoreError, match="start it again"):
        await recaps_in(broken)
    await broken.aclose()
    store = Store(path, backups=backups, mends=True)
    await store.open()
    try:
        assert store.recovery is not None
        lost = set() if has_backup else {"scene 7"}
        assert await recaps_in(store) == {f"scene {n}" for n in range(RECAPS)} - lost
    finally:
        await store.aclose()


async def test_the_newest_backup_that_is_whole_is_taken(tmp_path: Path) -> None:
    path, backups = tmp_path / "story.sqlite3", tmp_path / "backups"
    await filled(path, backups)
    backups.mkdir()
    old, new = (backups / f"tavernkeep-2026010{n}-000000.sqlite3" for n in (1, 2))
    assert write_backup(path, old)
    shutil.copyfile(old, new)
    new.write_bytes(new.read_bytes()[: old.stat().st_size // 2])
    assert newest_sound([old, new]) == old


async def test_a_copy_is_kept_each_day_while_the_database_is_in_use(tmp_path: Path) -> None:
    path, backups = tmp_path / "story.sqlite3", tmp_path / "backups"
    store = Store(path, backups=backups, mends=True)
    await store.open()
    try:
        await store.run(lambda: store.chats.id_of("story.jsonl"))
        await store.back_up_if_due()
        await store.back_up_if_due()
        (made,) = backups.iterdir()
        yesterday = time.time() - 86_400
        os.utime(made, (yesterday, yesterday))
        made.rename(backups / "tavernkeep-20200101-000000.sqlite3")
        await store.back_up_if_due()
        newest = max(backups.iterdir())
        assert len(list(backups.iterdir())) == 2
    finally:
        await store.aclose()
    with closing(sqlite3.connect(newest)) as connection:
        assert connection.execute("SELECT path FROM chat").fetchall() == [("story.jsonl",)]


async def test_what_has_far_outgrown_its_backup_is_backed_up_before_the_day_is_over(
    tmp_path: Path,
) -> None:
    """A whole evening of work hung on the copy that was made of the empty database."""
    path, backups = tmp_path / "story.sqlite3", tmp_path / "backups"
    await filled(path, backups, numbers=range(1))
    store = Store(path, backups=backups, mends=True)
    await store.open()
    await store.back_up_if_due()
    await store.aclose()
    await filled(path, backups, numbers=range(1, RECAPS))
    (made,) = backups.iterdir()
    store = Store(path, backups=backups, mends=True)
    await store.open()
    try:
        await store.back_up_if_due()
        assert list(backups.iterdir()) == [made]  # not every minute
        hour_ago = time.time() - 3600
        os.utime(made, (hour_ago, hour_ago))
        await store.back_up_if_due()
        await store.back_up_if_due()
        assert len(list(backups.iterdir())) == 2
    finally:
        await store.aclose()


async def test_a_backup_that_the_disk_does_not_take_is_said(tmp_path: Path) -> None:
    backups = tmp_path / "backups"
    backups.write_text("in the way")
    store = Store(tmp_path / "story.sqlite3", backups=backups)
    await store.open()
    try:
        with pytest.raises(StoreError, match="could not be backed up"):
            await store.back_up_if_due()
    finally:
        await store.aclose()


@pytest.mark.parametrize("held", [b"", b"\n", b"\xff\n", b"../elsewhere\n", b"half a na"])
async def test_a_broken_mark_of_mending_does_not_keep_the_database_closed(
    tmp_path: Path, held: bytes
) -> None:
    path = tmp_path / "own.sqlite"
    await filled(path, tmp_path / "backups", numbers=range(3))
    path.with_name(f"{path.name}.mending").write_bytes(held)
    store = Store(path, backups=tmp_path / "backups", mends=True)
    await store.open()
    try:
        assert await recaps_in(store) == {"scene 0", "scene 1", "scene 2"}
    finally:
        await store.aclose()
