"""One new message, from the saved file to the slots of the next turn."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from app.companion import Companion, open_companion
from app.paths import user_folders
from tests.bench.table import Row
from tests.chat_files import HEADER, jsonl, long_chat, message, save_like_sillytavern

SIZES = (1_000, 10_000, 100_000)
SCENE = 50
ROUNDS = 7


def measure() -> list[Row]:
    """At several lengths of the chat, against writing the line and reading the chat back."""
    times = {size: asyncio.run(_measured(size)) for size in SIZES}
    rows = []
    for size, (ours, rival) in times.items():
        work = f"new message -> slots ({size:,} messages)"
        rows.append(Row(work, ours, "write the file, read its bytes", rival, "at most 5"))
    small = times[SIZES[0]][0]
    return rows + [
        Row(f"the same at {size:,}", times[size][0], "at 1,000", small, "at most 2")
        for size in SIZES[1:]
    ]


async def _measured(size: int) -> tuple[float, float]:
    """Median milliseconds of ours and of the bare writing and reading."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chat.jsonl"
        header, chat = _remembered(size)
        save_like_sillytavern(path, jsonl([header, *chat]))
        data = Path(folder) / "data"
        async with open_companion(user_folders(data), watch=False) as companion:
            await companion.put_setting("message_recaps_auto", False)
            await companion.open_story(path)
            await companion.settled(path)
            await companion.search.settled()  # of the whole chat, once
            ours, rival = [], []
            for number in range(size, size + ROUNDS):
                chat.append(message(number, f"A short new line, number {number}."))
                text = jsonl([header, *chat])
                start = time.perf_counter()
                save_like_sillytavern(path, text)
                path.read_bytes()
                rival.append(time.perf_counter() - start)
                ours.append(await _timed(companion, path))
        return 1000 * statistics.median(ours), 1000 * statistics.median(rival)


async def _timed(companion: Companion, path: Path) -> float:
    start = time.perf_counter()
    await companion.open_story(path)
    slots = await companion.slots(path)
    taken = time.perf_counter() - start
    assert slots.total_tokens > 10
    return taken


def _remembered(size: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A chat whose scenes are recapped and folded in already."""
    chat = long_chat(size)
    for last in range(SCENE - 1, size, SCENE):
        chat[last]["extra"]["auto_recap_memory"] = {
            "scene_break": True,
            "scene_recap_memory": f"What happened until message {last}.",
        }
    versions = [
        {"version": n, "content": f"Version {n}.", "scene_count": n + 1, "new_scene_index": last}
        for n, last in enumerate(range(SCENE - 1, size - SCENE, SCENE))
    ]
    running = {"chat_id": "chat", "current_version": len(versions) - 1, "versions": versions}
    metadata = HEADER["chat_metadata"] | {"auto_recap_running_scene_recaps": running}
    return HEADER | {"chat_metadata": metadata}, chat
