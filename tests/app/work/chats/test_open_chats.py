"""Who is told of what a reading found, however many look at the file at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.work.chats import open_chats, wanted_work
from app.work.chats.open_chat import OpenChat
from tests.chat_files import jsonl, message, save_like_sillytavern
from tests.killed_work import make_chat, opened


async def test_what_another_look_at_the_file_took_in_is_planned_for(tmp_path: Path) -> None:
    path = make_chat(tmp_path)
    async with opened(tmp_path) as (_, chats):
        chat = await chats.open(path)
        planned = asyncio.Event()

        async def follow(_: OpenChat) -> None:
            planned.set()

        chats.follow = follow
        header = path.read_bytes().split(b"\n")[0]
        save_like_sillytavern(path, header + b"\n" + jsonl([message(0, "The harbour froze.")]))
        story, _ = await chat.reading()  # as the mirror does
        assert [m.text for m in story.messages] == ["The harbour froze."]
        chats.reread(path)  # as the folder's watcher wants it, a moment later
        async with asyncio.timeout(20):
            await planned.wait()


async def test_what_an_earlier_run_left_waits_until_what_the_chat_lacks_is_queued(
    tmp_path: Path,
) -> None:
    path = make_chat(tmp_path)
    async with opened(tmp_path) as (_, chats):
        in_scope = []

        async def follow(chat: OpenChat) -> None:
            in_scope.append(chats.has_planned(chat.chat_id))

        chats.follow = follow
        chat = await chats.open(path)
        assert in_scope == [False]
        assert chats.has_planned(chat.chat_id)


async def test_a_chat_whose_folder_was_away_is_read_again_though_nobody_tells_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stayed "no longer there" in the status bar until the next message was written."""
    monkeypatch.setattr(open_chats, "RENAME_SECONDS", 0.01)
    monkeypatch.setattr(wanted_work, "LOOK_SECONDS", 0.01)
    path = make_chat(tmp_path)
    async with opened(tmp_path) as (_, chats):
        chat = await chats.open(path)
        failed, recovered = asyncio.Event(), asyncio.Event()
        chats.failed.connect(lambda _: failed.set())
        chats.recovered.connect(lambda _: recovered.set())
        away = path.rename(path.with_suffix(".away"))
        chats.reread(path)
        async with asyncio.timeout(20):
            await failed.wait()
        assert chat.is_gone
        away.rename(path)
        async with asyncio.timeout(20):
            await recovered.wait()
        assert not chat.is_gone
