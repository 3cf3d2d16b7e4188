"""The watcher tells of each change once, and survives what happens to the folders."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from app.core import folder_watcher as watcher_module
from app.core.folder_watcher import ChangedFile, FileChange, folder_events
from app.core.tasks import TaskSupervisor
from app.sillytavern.watcher import TavernWatcher
from tests.chat_files import jsonl, message, save_like_sillytavern, write_chat

ADDED, CHANGED, REMOVED = FileChange.ADDED, FileChange.CHANGED, FileChange.REMOVED
News = AsyncGenerator[frozenset[ChangedFile], None]


@pytest.fixture
def user(tmp_path: Path) -> Path:
    folder = tmp_path / "default-user"
    for name in ("chats/Mira", "group chats", "groups", "characters", "backups"):
        (folder / name).mkdir(parents=True)
    write_chat(folder / "chats" / "Mira" / "chat.jsonl", [message(0)])
    return folder


@pytest.fixture
async def news(user: Path) -> AsyncIterator[News]:
    async with aclosing(await started(user)) as changes:
        yield changes


async def started(user: Path, **options: Any) -> News:
    watcher = TavernWatcher(user, tick_seconds=0.2, **options)
    await watcher.start()
    return watcher.changes()


async def told(news: News, *, until: str) -> list[tuple[str, FileChange]]:
    """All that is told up to the file `until`, in order of sets and names."""
    heard: list[tuple[str, FileChange]] = []
    async with asyncio.timeout(20):
        async for changed in news:
            heard += sorted((file.path.name, file.change) for file in changed)
            if any(name == until for name, _ in heard):
                return heard
    raise AssertionError("The watcher ended by itself.")


async def test_a_saved_chat_is_told_once(user: Path, news: News) -> None:
    path = user / "chats" / "Mira" / "chat.jsonl"
    save_like_sillytavern(path, jsonl([message(0), message(1)]))
    assert await told(news, until="chat.jsonl") == [("chat.jsonl", CHANGED)]
    (user / "groups" / "end.json").write_text("{}")
    assert await told(news, until="end.json") == [("end.json", ADDED)]


async def test_many_saves_in_a_row_end_with_the_newest_being_told(user: Path, news: News) -> None:
    path = user / "chats" / "Mira" / "chat.jsonl"
    for number in range(50):
        save_like_sillytavern(path, jsonl(map(message, range(number))))
    assert set(await told(news, until="chat.jsonl")) == {("chat.jsonl", CHANGED)}


async def test_chats_cards_and_groups_are_told_and_nothing_else(user: Path, news: News) -> None:
    (user / "backups" / "chat_mira.jsonl").write_text("{}")
    (user / "settings.json").write_text("{}")
    (user / "chats" / "Mira" / "chat.jsonl.1234567").write_text("{}")
    (user / "chats" / "Mira" / "notes.txt").write_text("x")
    (user / "characters" / "Mira").mkdir()
    (user / "characters" / "Mira" / "joy.png").write_bytes(b"")
    (user / "characters" / "Mira.png").write_bytes(b"")
    assert await told(news, until="Mira.png") == [("Mira.png", ADDED)]
    (user / "group chats" / "g.jsonl").write_text("{}")
    assert await told(news, until="g.jsonl") == [("g.jsonl", ADDED)]


async def test_a_deleted_chat_is_told(user: Path, news: News) -> None:
    (user / "chats" / "Mira" / "chat.jsonl").unlink()
    assert await told(news, until="chat.jsonl") == [("chat.jsonl", REMOVED)]


async def test_a_new_characters_chats_are_told(user: Path, news: News) -> None:
    write_chat(user / "chats" / "Ana" / "new.jsonl", [message(0)])
    assert await told(news, until="new.jsonl") == [("new.jsonl", ADDED)]
    save_like_sillytavern(user / "chats" / "Ana" / "new.jsonl", b"{}")
    assert await told(news, until="new.jsonl") == [("new.jsonl", CHANGED)]


async def test_the_chats_of_a_renamed_character_are_told(user: Path, news: News) -> None:
    (user / "chats" / "Mira").rename(user / "chats" / "Mirabel")
    heard = await told(news, until="chat.jsonl")
    if len(heard) == 1:
        heard += await told(news, until="chat.jsonl")
    assert sorted(heard) == [("chat.jsonl", ADDED), ("chat.jsonl", REMOVED)]


async def test_a_missing_tavern_is_waited_for(tmp_path: Path) -> None:
    user = tmp_path / "later"
    async with aclosing(await started(user)) as news:
        supervisor = TaskSupervisor()
        task = supervisor.spawn(told(news, until="chat.jsonl"), name="listener")
        write_chat(user / "chats" / "Mira" / "chat.jsonl", [message(0)])
        assert await task == [("chat.jsonl", ADDED)]


async def test_a_folder_that_is_replaced_is_watched_on(user: Path, news: News) -> None:
    save_like_sillytavern(user / "chats" / "Mira" / "chat.jsonl", b"{}")
    await told(news, until="chat.jsonl")
    shutil.rmtree(user / "chats")
    write_chat(user / "chats" / "Mira" / "other.jsonl", [message(0)])
    assert set(await told(news, until="other.jsonl")) >= {("other.jsonl", ADDED)}
    save_like_sillytavern(user / "chats" / "Mira" / "other.jsonl", b"{}")
    assert await told(news, until="other.jsonl") == [("other.jsonl", CHANGED)]


async def test_the_whole_tavern_can_go_and_come_back(user: Path, news: News) -> None:
    moved = user.with_name("moved")
    shutil.move(user, moved)
    assert await told(news, until="chat.jsonl") == [("chat.jsonl", REMOVED)]
    shutil.move(moved, user)
    assert await told(news, until="chat.jsonl") == [("chat.jsonl", ADDED)]


async def test_polling_tells_the_same(user: Path) -> None:
    async with aclosing(await started(user, force_polling=True)) as news:
        save_like_sillytavern(user / "chats" / "Mira" / "chat.jsonl", b"{}")
        assert await told(news, until="chat.jsonl") == [("chat.jsonl", CHANGED)]


async def test_what_the_system_does_not_tell_is_found_by_the_slow_check(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(*_: Any, **options: Any) -> AsyncGenerator[set[Any], None]:
        while True:
            await asyncio.sleep(options["timeout_ms"] / 1000)
            yield set()

    monkeypatch.setattr(watcher_module, "folder_events", silent)
    async with aclosing(await started(user, check_seconds=0.5)) as news:
        for text in (b"{}", b"{ }"):
            save_like_sillytavern(user / "chats" / "Mira" / "chat.jsonl", text)
            assert await told(news, until="chat.jsonl") == [("chat.jsonl", CHANGED)]


@pytest.mark.expects_log("app.core.folder_watcher")
async def test_without_watches_left_it_polls(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*folders: str, force_polling: bool | None, **options: Any) -> Any:
        if not force_polling:
            raise OSError("OS file watch limit reached.")
        return folder_events(*folders, force_polling=True, **options)

    monkeypatch.setattr(watcher_module, "folder_events", refusing)
    async with aclosing(await started(user)) as news:
        save_like_sillytavern(user / "chats" / "Mira" / "chat.jsonl", b"{}")
        assert await told(news, until="chat.jsonl") == [("chat.jsonl", CHANGED)]


async def test_cancelling_ends_it(user: Path) -> None:
    supervisor = TaskSupervisor()
    news = await started(user)
    task = supervisor.spawn(told(news, until="never"), name="listener")
    async with asyncio.timeout(10):
        await supervisor.aclose()
    assert task.cancelled()
    await news.aclose()
