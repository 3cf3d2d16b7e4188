"""A full disk and a folder that is gone: said in one line, lived through, gone when it is over."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.core.errors import ChatUnreadable, NoTavern
from app.core.operations import NO_ROOM
from app.core.part_health import Health, Light
from app.core.paths import text_of_places, user_folders
from app.sillytavern.data_folders import is_user_folder
from app.store.database import no_room
from app.story.messages import Message
from app.work.chats import disk_space, library, open_chats
from app.work.chats.bursts import Bursts
from app.work.pages.page_badge import PageBadge, badge_of
from tests.chat_files import append, message
from tests.disk_faults import full_database
from tests.fakes import MODEL, FakeLlm
from tests.killed_work import make_chat

LOOK = 0.05
ANSWER = '{"name": "Name", "recap": {"developments": ["Something happened."]}}'


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_space, "LOOK_SECONDS", LOOK)
    monkeypatch.setattr(library, "FOLDER_SECONDS", LOOK)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(15):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.fixture
async def companion(tmp_path: Path) -> AsyncIterator[Companion]:
    chat = make_chat(tmp_path)
    async with open_companion(
        user_folders(tmp_path / "own"), tavern=chat.parents[2], llm="builtin"
    ) as running:
        await running.open_story(chat)
        await running.settled(chat)
        yield running


def chat_of(companion: Companion) -> Path:
    (chat,) = companion._library.chats
    return chat.path


def texts(companion: Companion) -> list[str]:
    story = companion.story(chat_of(companion))
    assert story is not None
    shown: tuple[Message, ...] = story.messages
    return [one.text for one in shown]


async def test_the_story_goes_on_while_the_disk_is_full_and_is_kept_when_it_is_not(
    companion: Companion,
) -> None:
    path, said = chat_of(companion), []
    companion.trouble.connect(lambda trouble: said.append(trouble[1]))
    count = len(texts(companion))
    async with full_database(companion):
        for number in range(200):  # until there is no free page left to write into
            append(path, message(count + number, f"Said while full, {number}. " * 40))
        await until(lambda: len(texts(companion)) == count + 200)
        await companion.put_setting("context_tokens", 12_345)
        await until(lambda: bool(companion.room.sentence))
        assert companion.health.reading.light is Light.BAD
        assert companion.health.reading.sentence.startswith("The disk is full: ")
        append(path, message(count + 200, "And once more."))
        await until(lambda: texts(companion)[-1] == "And once more.")
        await companion.settled(path)
        assert not companion.work.is_paused
        await asyncio.sleep(4 * LOOK)
        assert companion.room.sentence
        known = rows(companion, "SELECT count(*) FROM known_message")
        assert known < count + 200
    await until(lambda: not companion.room.sentence)
    mended = companion.health.reading
    assert mended.light is Light.GOOD
    assert rows(companion, "SELECT count(*) FROM known_message") == count + 201
    assert said == []
    await companion.put_setting("context_tokens", 23_456)
    stored = rows(companion, "SELECT count(*) FROM setting WHERE value LIKE '%23456%'")
    assert stored == 1


async def test_no_model_is_paid_for_what_a_full_disk_cannot_keep(companion: Companion) -> None:
    """It went on asking while all that came stood in memory only, where a crash would lose it."""
    path = chat_of(companion)
    with FakeLlm(lambda _request: ANSWER) as llm:
        await companion.put_setting("memory_auto", False)
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        story = companion.story(path)
        assert story is not None
        anchor = story.messages[2].anchor
        await companion.edits.scenes.mark(path, anchor)
        await companion.settled(path)
        asked = len(llm.requests)
        async with full_database(companion):
            for number in range(200):
                append(path, message(len(story.messages) + number, f"While full, {number}. " * 40))
            await until(lambda: bool(companion.room.sentence))
            await companion.edits.redo_scene_recap(path, anchor)
            await companion.settled(path)
            (held,) = (op for op in companion.work.operations if op.held == NO_ROOM)
            assert held.spec.anchor == anchor
            assert len(llm.requests) == asked
        await until(lambda: not companion.room.sentence)
        await until(lambda: len(llm.requests) > asked)
        await companion.settled(path)


def rows(companion: Companion, statement: str) -> int:
    """What stands in the file itself."""
    with contextlib.closing(sqlite3.connect(companion.folders.database)) as file:
        return int(file.execute(statement).fetchone()[0])


@pytest.mark.expects_log("app.store.database.database")
async def test_what_a_full_disk_has_cost_is_said_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was lost without a word."""
    chat, folders = make_chat(tmp_path), user_folders(tmp_path / "own")

    def companion_of() -> contextlib.AbstractAsyncContextManager[Companion]:
        return open_companion(folders, tavern=chat.parents[2], llm="builtin")

    async with companion_of() as running:
        async with full_database(running):
            await running.put_setting("window_state", "x" * 200_000)
            assert running.room.sentence
        monkeypatch.setattr(no_room, "_room", lambda _: 4096)
    monkeypatch.undo()
    looking = open_companion(folders, tavern=chat.parents[2], llm="builtin", is_safe=True)
    async with looking as safe:
        assert safe.recovery == ""  # who only looks takes the word from nobody
    async with companion_of() as following:
        assert following.recovery.startswith("The disk was full from ")
    async with companion_of() as after:
        assert after.recovery == ""


async def test_what_was_kept_after_all_is_no_loss(tmp_path: Path) -> None:
    chat, folders = make_chat(tmp_path), user_folders(tmp_path / "own")
    opened = open_companion(folders, tavern=chat.parents[2], llm="builtin")
    async with opened as running, full_database(running):
        await running.put_setting("window_state", "x" * 200_000)
        assert running.room.sentence
    async with open_companion(folders, tavern=chat.parents[2], llm="builtin") as following:
        assert following.recovery == ""
        assert str(following.settings["window_state"]).startswith("xxx")


async def test_where_there_is_less_room_than_the_database_takes_it_is_not_tried(
    companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with full_database(companion):
        await companion.put_setting("window_state", "x" * 200_000)
        assert companion.room.sentence
    monkeypatch.setattr(no_room, "_room", lambda _: 4096)
    await companion.room.look()
    assert companion.room.sentence
    monkeypatch.undo()
    await companion.room.look()
    assert not companion.room.sentence


async def test_a_folder_that_goes_is_said_and_comes_back_by_itself(companion: Companion) -> None:
    path, said = chat_of(companion), []
    over: list[Health] = []
    companion.trouble.connect(lambda trouble: said.append(trouble[1]))
    folder = path.parents[2]
    away = folder.with_name("elsewhere")
    count = len(texts(companion))
    folder.rename(away)
    companion._chats.failed.emit((path, "The chat is no longer there."))  # before that is told
    await until(lambda: bool(companion.folder_gone))
    assert str(folder) in companion.folder_gone
    assert companion.health.sillytavern.light is Light.BAD
    assert companion.health.sillytavern.sentence == companion.folder_gone
    assert badge_of(companion.health, 0) == PageBadge("trouble", 0, companion.folder_gone)
    assert companion.taverns
    companion._caretaker.failed.emit((path, "The chat is no longer there."))
    append(away / path.relative_to(folder), message(count, "Said elsewhere."))
    companion.health_changed.connect(lambda health: over.append(health))
    away.rename(folder)
    await until(lambda: not companion.folder_gone)
    await until(lambda: texts(companion)[-1] == "Said elsewhere.")
    assert over[-1].sillytavern.light is not Light.BAD
    assert said == []


async def test_an_empty_folder_of_the_same_name_is_not_the_one_that_went(
    companion: Companion,
) -> None:
    """SillyTavern that goes on without its folder makes a new one, with nothing in it."""
    folder = chat_of(companion).parents[2]
    away = folder.with_name("elsewhere")
    folder.rename(away)
    await until(lambda: bool(companion.folder_gone))
    for name in ("characters", "chats", "group chats"):
        (folder / name).mkdir(parents=True)
    (folder / "settings.json").write_text("{}", "utf-8")
    assert is_user_folder(folder)
    await asyncio.sleep(6 * LOOK)
    assert companion.folder_gone
    shutil.rmtree(folder)
    away.rename(folder)
    await until(lambda: not companion.folder_gone)


async def test_a_chat_that_was_missed_with_its_folder_is_not_said_to_be_missed_any_more(
    companion: Companion,
) -> None:
    """The page's badge told of it until something else happened."""
    path = chat_of(companion)
    folder, said = path.parents[2], [companion.health]
    companion.health_changed.connect(lambda health: said.append(health))
    away = folder.with_name("elsewhere")
    folder.rename(away)
    await until(lambda: bool(companion.folder_gone))
    companion._chats.reread(path)
    await until(lambda: bool(companion._chats._failures._waiting))
    companion._announce_health()
    away.rename(folder)
    await until(lambda: not companion.folder_gone)
    await until(lambda: companion.health.reading.light is Light.GOOD)
    await companion.settled(path)
    assert said[-1] == companion.health
    assert badge_of(said[-1], 0).state == "ready"


async def test_a_folder_that_was_not_there_at_the_start_is_found_when_it_comes(
    tmp_path: Path,
) -> None:
    chat = make_chat(tmp_path)
    folders, folder = user_folders(tmp_path / "own"), chat.parents[2]
    async with open_companion(folders, llm="builtin", watch=False) as first:
        await first.put_setting("tavern", str(folder))
    away = folder.with_name("elsewhere")
    folder.rename(away)
    async with open_companion(folders, llm="builtin") as companion:
        assert companion.folder_gone
        away.rename(folder)
        await until(lambda: bool(companion.taverns))
        assert companion.folder_gone == ""


async def test_one_of_several_places_is_waited_for_while_the_others_serve(
    companion: Companion, tmp_path: Path
) -> None:
    here = chat_of(companion).parents[2]
    drive, away = tmp_path / "drive", tmp_path / "unplugged"
    make_chat(away)
    with pytest.raises(NoTavern, match="drive"):
        await companion.put_setting("tavern", text_of_places([here, drive]))
    away.rename(drive)
    await companion.put_setting("tavern", text_of_places([here, drive]))
    drive.rename(away)
    library_of = companion._library
    await library_of.load(here, drive)
    assert [tavern.user_folder for tavern in companion.taverns] == [here]
    away.rename(drive)
    await until(lambda: len(companion.taverns) == 2)
    assert len(library_of.chats) == 2


async def test_a_chat_that_went_with_its_folder_between_two_starts_is_told_as_that(
    tmp_path: Path,
) -> None:
    """No folder was set, so that none was missed: one chat was said to be renamed or deleted."""
    chat = make_chat(tmp_path)
    folder = chat.parents[2]
    away = folder.with_name("elsewhere")
    folder.rename(away)
    async with open_companion(user_folders(tmp_path / "own"), llm="builtin") as companion:
        with pytest.raises(ChatUnreadable, match="SillyTavern's folder is gone"):
            await companion.open_story(chat)
        assert companion.is_away(chat)
        assert str(folder) in companion.folder_gone
        assert companion.health.sillytavern.sentence == companion.folder_gone
        for name in ("characters", "chats", "group chats"):  # as SillyTavern makes it anew
            (folder / name).mkdir(parents=True)
        (folder / "settings.json").write_text("{}", "utf-8")
        await asyncio.sleep(6 * LOOK)
        assert companion.folder_gone
        shutil.rmtree(folder)
        away.rename(folder)
        await until(lambda: not companion.folder_gone)
        await companion.open_story(chat)
        (folder / "chats" / "Mira").mkdir(exist_ok=True)
        with pytest.raises(ChatUnreadable, match="no longer there"):
            await companion.open_story(chat.with_name("Another.jsonl"))
        assert not companion.folder_gone


async def test_what_was_read_last_is_not_said_to_be_missed_beside_its_folder(
    companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_chats, "RENAME_SECONDS", LOOK)
    path = chat_of(companion)
    companion._chats._failures = Bursts(LOOK)
    path.parents[2].rename(path.parents[2].with_name("elsewhere"))
    companion._chats.reread(path)
    await until(lambda: companion.health.reading.light is Light.BAD)
    assert companion.health.reading.sentence == companion.folder_gone
