"""A long chat with recaps and memories, and the whole window over it, for measuring."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.core.tasks import TaskSupervisor
from app.memory.records import (
    LEDGER_FIELDS,
    Ending,
    EndReason,
    Memory,
    MemoryChange,
    Source,
    Tier,
)
from app.store.store import Store
from app.story.messages import Message
from tests.chat_files import HEADER, jsonl, long_chat, message, write_chat
from ui.program.main_window import MainWindow
from ui.theme import theme

SCENE = 50
SHORTER = 2_000  # messages of the chat beside the long one
PEOPLE = ("Wren", "Ode", "Bert", "Mira", "Ana", "Sister Lund")
# Memories of a long chat by tier: so many ever, so many that still hold, and their types.
HELD = {
    Tier.LONG_TERM: (1_500, 25, ("fact", "relationship", "preference", "event")),
    Tier.SESSION: (1_500, 30, ("detail", "development", "scene", "revelation")),
    Tier.ARCS: (200, 10, ("arc",)),
    Tier.RELATIONSHIPS: (200, 30, ("feeling",)),
    Tier.EPISTEMIC: (300, 80, ("knows", "suspects", "unaware", "hiding")),
    Tier.STATE_LEDGER: (300, 40, tuple(LEDGER_FIELDS)),
}
WORDS = (
    *("wick", "oil", "lamp", "vault", "stair", "harbour", "captain", "letter", "debt", "knife"),
    *("chapel", "bell", "tide", "ferry", "guild", "widow", "ledger", "seal", "key", "storm"),
    *("cellar", "ropewalk", "lantern", "oath", "brother", "wreck", "smoke", "salt", "quay"),
)


def long_file(folder: Path) -> Path:
    """The long chat's file."""
    return folder / "long.jsonl"


def short_file(folder: Path) -> Path:
    """The file of the chat beside it."""
    return folder / "short.jsonl"


def prepare(folder: Path, size: int) -> None:
    """Write both chats, and let a companion remember all that a played story has."""
    for path, length in ((long_file(folder), size), (short_file(folder), SHORTER)):
        write_chat(path, *_recapped(length, path.stem))
        asyncio.run(_remember(folder, path))


def _recapped(size: int, name: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """A chat with a recap of each message and scene, all but the last one folded in."""
    dice = random.Random(11)
    chat = long_chat(size)
    for number, one in enumerate(chat):
        extra: dict[str, Any] = {"memory": " ".join(dice.choices(WORDS, k=12)).capitalize() + "."}
        if number % SCENE == SCENE - 1:
            recap = f"What happened until message {number}."
            extra |= {"scene_break": True, "scene_recap_memory": recap}
        one["extra"] = one["extra"] | {"auto_recap_memory": extra}
    versions = [
        {"version": n, "content": f"Version {n}.", "scene_count": n + 1, "new_scene_index": last}
        for n, last in enumerate(range(SCENE - 1, size - SCENE, SCENE))
    ]
    running = {"chat_id": name, "current_version": len(versions) - 1, "versions": versions}
    metadata = HEADER["chat_metadata"] | {"auto_recap_running_scene_recaps": running}
    return chat, HEADER | {"chat_metadata": metadata}


async def _remember(folder: Path, path: Path) -> None:
    folders = user_folders(folder / "data")
    async with open_companion(folders, llm="builtin", watch=False) as companion:
        await companion.put_setting("message_recaps_auto", False)
        story = await companion.open_story(path)
        await companion.settled(path)
        await companion.search.settled()
        messages = story.messages
    store = Store(folders.database, backups=folders.backups)
    await store.open()
    chat = await store.run(lambda: store.chats.id_of(str(path)))
    change = MemoryChange(tuple(memories(chat, messages)))
    read = [(m.anchor, m.content_hash) for m in messages]

    def write() -> None:
        store.memories.write(change)
        store.memories.set_extracted(chat, read)

    await store.run(write)
    await store.aclose()


def memories(chat: int, messages: Sequence[Message]) -> list[Memory]:
    """What a long story left: most of it ended."""
    dice = random.Random(5)
    made = []
    for tier, (number, held, types) in HELD.items():
        for place in range(number):
            type_ = types[place % len(types)]
            first, last = sorted(dice.sample(range(len(messages)), 2))
            ending = Ending(
                EndReason.SUPERSEDED, sources=(Source(chat, messages[last].anchor),), text="Over."
            )
            made.append(
                Memory(
                    f"{tier}{place} of {chat}",
                    chat,
                    tier,
                    type_,
                    " ".join(dice.choices(WORDS, k=14)).capitalize() + ".",
                    importance=dice.randint(1, 3),
                    subject=dice.choice(PEOPLE),
                    target=dice.choice(PEOPLE),
                    field=LEDGER_FIELDS[type_][0] if tier is Tier.STATE_LEDGER else "",
                    created=float(place),
                    sources=(Source(chat, messages[first].anchor),),
                    endings=(ending,) if place < number - held else (),
                )
            )
    return made


@asynccontextmanager
async def running(
    folder: Path, *, llm: str = "builtin", **settings: Any
) -> AsyncIterator[Companion]:
    """A companion over the prepared folder, as the window has it."""
    folders = user_folders(folder / "data")
    async with open_companion(
        folders,
        llm=llm,
        watch=False,
        asks_first=True,
        keeps_memory=True,
        reads_to_the_end=False,
    ) as companion:
        for name, value in settings.items():
            await companion.put_setting(name, value)
        yield companion


def shown(companion: Companion) -> MainWindow:
    """The window over it, without a chat."""
    window = MainWindow(theme, TaskSupervisor())
    window.resize(1360, 860)
    window.show()
    window.attach(companion)
    return window


def append(path: Path, number: int) -> None:
    """Write one more message at the end of a chat's file."""
    line = jsonl([message(number, f"A short new line, number {number}: nobody saw the lantern.")])
    with path.open("ab") as file:
        file.write(b"\n" + line)


if __name__ == "__main__":
    prepare(Path(sys.argv[1]), int(sys.argv[2]))
