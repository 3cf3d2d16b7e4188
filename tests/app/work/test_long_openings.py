"""A long chat is shown before it is counted and searched; what needs the counts waits for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.core.tasks import TaskSupervisor
from app.languages import load_packs
from app.prompt.tokens import estimate_tokens
from app.settings.values import Settings
from app.store.store import Store
from app.work.chats import found_breaks
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.chats.token_count_cache import SLICE
from tests.chat_files import message, write_chat

LENGTH = SLICE + 40
PATIENCE = 60
SCENES = (
    "*The valve hisses.* “Hand me that wrench, will you?”",
    "“Which one?” *Ben holds up two.* “They both look broken.”",
    "*Ada takes the smaller.* “They are both broken. Hold the lamp.”",
    "“Holding.” *It flickers.* “Should it drip like that?”",
    "*The next morning finds the harbour under ice. Gulls walk about on it like landlords.*",
    "“How far back?” *She shrugs.* “As far as the pier.”",
)


class SlowCounter:
    """Counts nothing until it is let."""

    encoding = "slow"
    is_exact = True

    def __init__(self) -> None:
        self.may_count = threading.Event()

    def count(self, text: str) -> int:
        assert self.may_count.wait(PATIENCE)
        return 1_000 + len(text)


class Bench:
    def __init__(self, folder: Path, store: Store, tasks: TaskSupervisor) -> None:
        self.path = write_chat(folder / "chat.jsonl", self.told(LENGTH))
        self.tasks = tasks
        self.counter = SlowCounter()
        self.chats = OpenChats(store, self.counter, load_packs(), Settings(), tasks)
        self.planned: list[bool] = []
        self.chats.follow = self._follow

    @staticmethod
    def told(length: int) -> list[dict[str, object]]:
        return [message(n, f"{SCENES[n % len(SCENES)]} {n}") for n in range(length)]

    async def _follow(self, chat: OpenChat) -> None:
        self.planned.append(chat.is_complete)

    async def settled(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.chats.settled()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    store, tasks = Store(tmp_path / "store.sqlite3"), TaskSupervisor()
    await store.open()
    made = Bench(tmp_path, store, tasks)
    try:
        yield made
    finally:
        made.counter.may_count.set()
        await tasks.aclose()
        await store.aclose()


async def test_a_long_chat_is_shown_with_estimates_and_planned_when_it_is_counted(
    bench: Bench,
) -> None:
    chat = await bench.chats.open(bench.path)
    texts = [m.text for m in chat.story.messages]
    assert chat.story.message_tokens == tuple(map(estimate_tokens, texts))
    assert bench.planned == []
    bench.counter.may_count.set()
    await bench.settled()
    assert chat.story.message_tokens == tuple(1_000 + len(text) for text in texts)
    assert bench.planned == [True]


async def test_work_on_a_long_chat_begins_when_it_is_counted(bench: Bench) -> None:
    chat = await bench.chats.open(bench.path)
    work = bench.tasks.spawn(bench.chats.complete_by_id(chat.chat_id), name="work")
    await asyncio.wait([work], timeout=0.05)
    assert not work.done()
    bench.counter.may_count.set()
    async with asyncio.timeout(PATIENCE):
        assert (await work).story.message_tokens[0] > 1_000
    await bench.settled()


async def test_a_message_that_comes_while_a_long_chat_is_counted_is_shown(bench: Bench) -> None:
    chat = await bench.chats.open(bench.path)
    write_chat(bench.path, bench.told(LENGTH + 1))
    async with asyncio.timeout(PATIENCE):
        assert await chat.read()
    assert len(chat.story.messages) == len(chat.story.message_tokens) == LENGTH + 1
    bench.counter.may_count.set()
    await bench.settled()
    assert min(chat.story.message_tokens) > 1_000


async def test_what_was_broken_off_is_counted_at_the_next_opening(bench: Bench) -> None:
    await bench.chats.open(bench.path)
    async with asyncio.timeout(PATIENCE):
        await bench.tasks.aclose()
    bench.counter.may_count.set()
    again = await bench.chats.open(bench.path)
    await bench.settled()
    assert again.is_complete


async def test_breaks_of_a_long_chat_are_found_behind_its_opening(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(found_breaks, "FAR", 100)
    bench.counter.may_count.set()
    chat = await bench.chats.open(bench.path)
    assert not chat.story.breaks
    await bench.settled()
    found = set(chat.story.breaks)
    assert len(chat.story.scenes) == len(found) + 1 > 2
    assert bench.planned == [True]
    monkeypatch.setattr(found_breaks, "FAR", 10_000)
    other = bench.path.with_name("copy.jsonl")
    other.write_bytes(bench.path.read_bytes().replace(b"1d0a4a2c", b"2d0a4a2c"))
    at_once = await bench.chats.open(other)
    assert set(at_once.story.breaks) == found
