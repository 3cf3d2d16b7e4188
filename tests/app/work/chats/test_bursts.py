"""What is asked for many times in a row is done once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from app.work.chats.bursts import Bursts

CHAT, OTHER = Path("chat"), Path("other")


class Deeds(list[str]):
    """What was done, in order."""

    def __init__(self) -> None:
        super().__init__()
        self._news = asyncio.Event()

    def do(self, name: str) -> None:
        self.append(name)
        self._news.set()

    async def next(self) -> None:
        async with asyncio.timeout(30):
            await self._news.wait()
        self._news.clear()


@pytest.fixture
def bursts() -> Iterator[Bursts]:
    bursts = Bursts(longest=3600)
    yield bursts
    bursts.close()


async def test_the_last_of_a_burst_is_done_once(bursts: Bursts) -> None:
    commands = Deeds()
    for number in range(20):
        bursts.after(0.02, CHAT, partial(commands.do, f"deed {number}"))
    assert commands == []
    await commands.next()
    assert commands == ["deed 19"]
    bursts.after(0, CHAT, partial(commands.do, "another burst"))
    await commands.next()
    assert commands == ["deed 19", "another burst"]


@pytest.mark.weakness(1)
async def test_a_chat_does_not_wait_for_another(bursts: Bursts) -> None:
    commands = Deeds()
    bursts.after(3600, CHAT, partial(commands.do, "late"))
    bursts.after(0, OTHER, partial(commands.do, "at once"))
    await commands.next()
    assert commands == ["at once"]


async def test_a_burst_without_an_end_is_answered_all_the_same() -> None:
    bursts, commands = Bursts(longest=0), Deeds()
    bursts.after(3600, CHAT, partial(commands.do, "first"))
    bursts.after(3600, CHAT, partial(commands.do, "second"))
    await commands.next()
    assert commands == ["second"]


async def test_what_waits_can_be_done_now(bursts: Bursts) -> None:
    commands = Deeds()
    bursts.after(3600, CHAT, partial(commands.do, "one"))
    bursts.after(3600, OTHER, partial(commands.do, "two"))
    bursts.flush()
    assert sorted(commands) == ["one", "two"]
    bursts.flush()
    assert len(commands) == 2


async def test_nothing_is_done_after_the_end(bursts: Bursts) -> None:
    commands = Deeds()
    bursts.after(0, CHAT, partial(commands.do, "waited"))
    bursts.close()
    bursts.after(0, CHAT, partial(commands.do, "came later"))
    bursts.flush()
    await asyncio.sleep(0)
    assert commands == []
