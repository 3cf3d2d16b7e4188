"""What messages mean is taken in by and by, and a turn's question is heard in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from app.core.tasks import TaskSupervisor
from app.memory.similarity import NO_VECTORS, Vectors
from app.prompt.generation import Turn
from app.work.chats.open_chat import OpenChat
from app.work.prompts import message_meanings
from app.work.prompts.message_meanings import MessageMeanings
from tests.labelled import WrittenTavern
from tests.memory_world import World, opened

QUESTION = "And where is the well?"


@pytest_asyncio.fixture
async def chat(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[OpenChat]:
    async with opened(demo_tavern, tmp_path / "own data") as world:
        yield await chat_of(world)


@pytest_asyncio.fixture
async def tasks() -> AsyncIterator[TaskSupervisor]:
    tasks = TaskSupervisor()
    yield tasks
    await tasks.aclose()


class Model:
    """Gives every text the same vector. asked: what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fails = self.hangs = False

    async def __call__(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        if self.hangs:
            await asyncio.Event().wait()
        if self.fails:
            return NO_VECTORS
        return Vectors.of({text: np.ones(2, dtype=np.float32) for text in texts})


async def chat_of(world: World) -> OpenChat:
    await world.write()
    return world.companion._chats.required(world.tavern.chat)


async def taken_in(meanings: MessageMeanings, chat: OpenChat) -> None:
    meanings.follow(chat)
    async with asyncio.timeout(30):
        while chat in meanings._running:
            await asyncio.wait([meanings._running[chat]])


async def test_all_messages_are_taken_in_and_each_is_asked_for_once(
    chat: OpenChat, tasks: TaskSupervisor
) -> None:
    model, came = Model(), []

    def hear(chat: OpenChat) -> None:
        came.append(chat)

    meanings = MessageMeanings(model, tasks, lambda: True)
    meanings.changed.connect(hear)
    await taken_in(meanings, chat)
    meant = meanings.of(chat)
    assert meant is not None
    likeness = meant.meanings.likeness(np.ones((1, 2), dtype=np.float32) / np.sqrt(2))
    told = [m.text.strip() for m in chat.story.messages]
    assert len(likeness) == len(told)
    assert np.isfinite(likeness).sum() > 0.8 * len(told)
    assert came == [chat]
    asked = len(model.asked)
    await taken_in(meanings, chat)
    assert len(model.asked) == asked
    assert came == [chat]


async def test_what_a_turn_asks_is_heard_before_the_story_holds_it(
    chat: OpenChat, tasks: TaskSupervisor
) -> None:
    model = Model()
    meanings = MessageMeanings(model, tasks, lambda: True)
    await taken_in(meanings, chat)
    await meanings.hear(chat, Turn("Vera", said=(("You", f"Well. {QUESTION}", True),)))
    meant = meanings.of(chat)
    assert meant is not None
    assert len(meant.asked((QUESTION,))) == 1


async def test_a_turn_waits_for_a_moment_only(
    chat: OpenChat, tasks: TaskSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_meanings, "HEAR_SECONDS", 0.01)
    model = Model()
    meanings = MessageMeanings(model, tasks, lambda: True)
    await taken_in(meanings, chat)
    model.hangs = True
    async with asyncio.timeout(20):
        await meanings.hear(chat, Turn("Vera", said=(("You", QUESTION, True),)))
    meant = meanings.of(chat)
    assert meant is not None
    assert len(meant.asked((QUESTION,))) == 0


async def test_off_or_failing_it_knows_nothing_and_asks_again(
    chat: OpenChat, tasks: TaskSupervisor
) -> None:
    model = Model()
    off = MessageMeanings(model, tasks, lambda: False)
    await taken_in(off, chat)
    assert off.of(chat) is None
    assert model.asked == []
    model.fails = True
    meanings = MessageMeanings(model, tasks, lambda: True)
    await taken_in(meanings, chat)
    asked = len(model.asked)
    model.fails = False
    await taken_in(meanings, chat)
    assert len(model.asked) > asked
