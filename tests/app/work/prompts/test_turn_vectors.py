"""Memories are ranked by meaning as soon as there are vectors, and no prompt waits for them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest_asyncio

from app.core.tasks import TaskSupervisor
from app.memory.similarity import NO_VECTORS, Vectors
from app.work.chats.open_chat import OpenChat
from app.work.prompts.turn_vectors import TurnVectors, texts_to_rank
from tests.labelled import WrittenTavern
from tests.memory_world import World, opened


@pytest_asyncio.fixture
async def world(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[World]:
    async with opened(demo_tavern, tmp_path / "own data") as world:
        yield world


@pytest_asyncio.fixture
async def tasks() -> AsyncIterator[TaskSupervisor]:
    tasks = TaskSupervisor()
    yield tasks
    await tasks.aclose()


class Model:
    """Gives every text the same vector. asked: what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.fails = False

    async def __call__(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(tuple(texts))
        if self.fails:
            return NO_VECTORS
        return Vectors.of({text: np.ones(2, dtype=np.float32) for text in texts})


async def chat_of(world: World) -> OpenChat:
    await world.write(world.kept("The well is deep.", 3))
    return world.companion._chats.required(world.tavern.chat)


async def test_the_newest_messages_and_memories_are_compared(world: World) -> None:
    chat = await chat_of(world)
    texts = texts_to_rank(chat)
    assert texts[0] == chat.story.messages[-1].text
    assert "The well is deep." in texts


async def test_vectors_come_in_their_own_time_and_are_asked_for_once(
    world: World, tasks: TaskSupervisor
) -> None:
    chat, model, came = await chat_of(world), Model(), []

    def hear(chat: OpenChat) -> None:
        came.append(chat)

    vectors = TurnVectors(model, tasks, lambda: True)
    vectors.changed.connect(hear)
    vectors.follow(chat)
    vectors.follow(chat)
    assert vectors.of(chat) is NO_VECTORS  # a prompt that is made now goes by words
    while not came:
        await tasks.spawn(_nothing(), name="turn of the loop")
    assert all(text in vectors.of(chat) for text in texts_to_rank(chat))
    assert len(model.asked) == 1


async def test_without_an_embedding_model_nothing_is_asked(
    world: World, tasks: TaskSupervisor
) -> None:
    chat, model = await chat_of(world), Model()
    vectors = TurnVectors(model, tasks, lambda: False)
    vectors.follow(chat)
    assert vectors.of(chat) is NO_VECTORS
    assert model.asked == []


async def _nothing() -> None:
    return None
