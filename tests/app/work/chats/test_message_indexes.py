"""What a chat says can be found at once, or as soon as all of it was read in the background."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from app.core.tasks import TaskSupervisor
from app.languages import load_packs
from app.prompt.generation import Turn
from app.recall.messages import Asked, MessageIndex
from app.work.chats.message_indexes import MessageIndexes
from app.work.chats.open_chat import OpenChat
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


def chat_of(world: World) -> OpenChat:
    chat = world.companion._chats.get(world.tavern.chat)
    assert chat is not None
    return chat


def found_by(index: MessageIndex, text: str) -> list[int]:
    scores = index.by_words(Asked.of(index.words, [(text, 1.0)]))
    return [place for place, score in enumerate(scores) if score]


async def test_a_long_chat_is_read_in_the_background_and_says_when_it_is(
    world: World, tasks: TaskSupervisor
) -> None:
    indexes, chat, heard = MessageIndexes(load_packs(), tasks), chat_of(world), list[OpenChat]()

    def hear(one: OpenChat) -> None:
        heard.append(one)

    indexes.changed.connect(hear)
    assert indexes.of(chat) is None
    await indexes.settled(chat)
    index = indexes.of(chat)
    assert index is not None
    assert heard == [chat]
    assert len(index.messages) == len(chat.story.messages)
    word = max(chat.story.messages[8].text.split(), key=len).strip(".,!?*\"'")
    assert 8 in found_by(index, word)
    await indexes.settled(chat)
    assert heard == [chat]


async def test_a_message_that_came_last_is_found_at_once(
    world: World, tasks: TaskSupervisor
) -> None:
    indexes, chat = MessageIndexes(load_packs(), tasks), chat_of(world)
    indexes.follow(chat)
    await indexes.settled(chat)
    before = indexes.of(chat)
    lines = world.tavern.chat.read_bytes().rstrip(b"\n").split(b"\n")
    told = b'{"name":"Pasco","is_user":true,"is_system":false,"mes":"A zeppelin!","extra":{}}'
    world.tavern.chat.write_bytes(b"\n".join((*lines, told)) + b"\n")
    await chat.read()
    index = indexes.of(chat)
    assert index is before
    assert index is not None
    assert found_by(index, "zeppelins") == [len(chat.story.messages) - 1]
    world.tavern.chat.write_bytes(b"\n".join(lines) + b"\n")
    await chat.read()
    assert indexes.of(chat) is index
    assert found_by(index, "zeppelins") == []


async def test_nothing_is_read_where_no_memory_is_kept(world: World, tasks: TaskSupervisor) -> None:
    indexes, chat = MessageIndexes(load_packs(), tasks), chat_of(world)
    chat.keeps_memory = False
    indexes.follow(chat)
    await indexes.settled(chat)
    assert indexes.of(chat) is None


async def test_an_old_message_that_no_memory_tells_of_is_in_the_next_prompt(world: World) -> None:
    path, place = world.tavern.chat, 4
    lines = path.read_bytes().rstrip(b"\n").split(b"\n")
    secret = b'{"name":"Pasco","is_user":true,"is_system":false,"mes":"%s","extra":{}}'
    lines[place + 1] = secret % b"I buried the zeppelin ticket beneath the quince tree."
    asking = secret % b"Where did I bury that zeppelin ticket?"
    path.write_bytes(b"\n".join((*lines, asking)) + b"\n")
    await world.open()
    turn = Turn("Captain Henrike Sloe", context=3000)
    slots = await world.companion.slots(path, turn=turn)
    assert "quince tree" in "\n".join(slot.text for slot in slots.slots)
    await world.companion.put_setting("passages_enabled", False, path=path)
    slots = await world.companion.slots(path, turn=turn)
    assert "quince tree" not in "\n".join(slot.text for slot in slots.slots)


async def test_a_worker_thread_begins_nothing(world: World, tasks: TaskSupervisor) -> None:
    indexes, chat = MessageIndexes(load_packs(), tasks), chat_of(world)
    assert await asyncio.to_thread(indexes.of, chat) is None
    assert indexes.of(chat) is None
    await indexes.settled(chat)
    index = await asyncio.to_thread(indexes.of, chat)
    assert index is not None
    await tasks.aclose()
    indexes.follow(chat)  # at the very end nothing is begun that nobody would wait for
