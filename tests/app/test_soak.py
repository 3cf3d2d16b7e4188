"""Hours of play leave nothing open and nothing running, and take no more memory than their chats.

TAVERNKEEP_TEST_LONG=1 plays as much as somebody does in two hours, with a turn each six seconds.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import random
import sys
import time
from pathlib import Path

import pytest

from app.core.operations import FINISHED
from app.sillytavern.group_metadata import GROUP_CHATS
from tests.chat_page import ChatPage
from tests.story_world import OPENINGS, Followed, StoryWorld

IS_LONG = os.environ.get("TAVERNKEEP_TEST_LONG") == "1"
ROUNDS = 60 if IS_LONG else 2  # of as many turns
TURNS = 20
MEMBERS = ("Mira", "Bram")
MOST_GROWN = 40_000_000  # bytes, for some hundred messages with their recaps and undos


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def memory() -> int:
    """What the process holds, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def play(world: StoryWorld, rng: random.Random) -> None:
    """A while of sending, swiping, editing, deleting and going from chat to chat."""
    for _ in range(TURNS):
        page = world.page
        what = rng.random()
        if what < 0.5:
            page.send(world.text(rng.randrange(len(OPENINGS))), world.text(3))
            if page.path.parent.name == GROUP_CHATS:
                page.messages[-1].data["name"] = rng.choice(MEMBERS)
            world.saved()
        elif what < 0.7:
            page.swipe(len(page.messages) - 1, world.text(rng.randrange(len(OPENINGS))))
            world.saved(page.messages[-1].who)
        elif what < 0.8:
            page.edit(1, world.text(4))
            world.saved(page.messages[1].who)
        elif len(page.messages) > 30:
            del page.messages[-24:]
            world.saved()
        world.active = rng.randrange(len(world.chats))
        world.look()


def with_group(world: StoryWorld) -> None:
    """A chat of several characters, beside those of one."""
    user_folder = world.page.path.parents[2]
    group = {
        "id": "1",
        "name": "Crew",
        "members": [f"{name}.png" for name in MEMBERS],
        "chat_id": "Gathering",
        "chats": ["Gathering"],
    }
    for folder in ("groups", GROUP_CHATS):
        (user_folder / folder).mkdir()
    (user_folder / "groups" / "1.json").write_text(json.dumps(group))
    path = user_folder / GROUP_CHATS / "Gathering.jsonl"
    page = ChatPage(path, world.page.clock, "integrity 9", world.page.numbers)
    for number in range(12):
        page.insert(number, world.text(number % len(OPENINGS)), is_user=number % 3 == 0)
        if number % 3:
            page.messages[-1].data["name"] = MEMBERS[number % 3 - 1]
    page.save()
    world.chats.append(Followed(page))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="descriptors stand in /proc")
@pytest.mark.timeout(600 if IS_LONG else 120)
def test_long_play_leaks_no_descriptor_no_task_and_no_memory() -> None:
    world, rng = StoryWorld(), random.Random(20261123)
    try:
        world.begin_with([number % len(OPENINGS) for number in range(12)], is_exact=True)
        for number in range(2):
            name = world.page.path.with_name(f"{world.page.path.stem} - Branch #{number}.jsonl")
            branch = Followed(world.page.branch(name, 8, integrity=f"integrity {number + 2}"))
            branch.page.save()
            world.chats.append(branch)
        with_group(world)
        play(world, rng)  # what is made once is there
        gc.collect()
        before, held = left(world), memory()
        for _ in range(ROUNDS):
            play(world, rng)
        gc.collect()
        deadline = time.monotonic() + 30
        while grown := {name: n for name, n in left(world).items() if n > before[name]}:
            # What the last turn set off may still be under way.
            assert time.monotonic() < deadline, f"more is left than before: {grown}"
            world.run(asyncio.sleep(0.05))
        grown_by = memory() - held
        assert grown_by < MOST_GROWN
        logging.getLogger("tests").info("%s and %d bytes more", left(world), grown_by)
        assert world.companion is not None
        assert all(operation.status in FINISHED for operation in world.companion.work.operations)
    finally:
        world.end()


def left(world: StoryWorld) -> dict[str, int]:
    """What is open and at work between two turns."""
    return {
        "descriptors": descriptors(),
        "tasks": len(asyncio.all_tasks(world.runner.get_loop())),
    }
