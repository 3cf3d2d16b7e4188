"""One new message, from the saved file to the slots of the next turn."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.companion import Companion, open_companion
from app.core.collecting import sparing_the_old
from app.core.paths import user_folders
from tests.bench.table import Aim, Row
from tests.chat_files import HEADER, jsonl, long_chat, message, save_like_sillytavern

SIZES = (1_000, 10_000, 100_000)
SCENE = 50
WARMING, ROUNDS = 3, 15


def measure() -> list[Row]:
    """At several lengths of the chat, against writing the line and reading the chat back.

    Lengths are compared by the processor's time, so that what else runs does not count. What reads
    all of a long file behind the slots has a row of its own.
    """
    with sparing_the_old():
        times = {size: asyncio.run(_measured(size)) for size in SIZES}
    rows = []
    for size, taken in times.items():
        work = f"new message -> slots ({size:,} messages)"
        against = "write the file, read its bytes"
        rows.append(Row(work, taken.ours, against, taken.rival, Aim(times=5)))
    small = times[SIZES[0]]
    for size in SIZES[1:]:
        work = f"the same at {size:,}, processor"
        rows.append(Row(work, times[size].processor, "at 1,000", small.processor, Aim(times=2)))
    for size in SIZES[1:]:
        work = f"behind the slots at {size:,}: compare all"
        rows.append(Row(work, times[size].behind, "digest of the file", times[size].digest))
    return rows


@dataclass
class _Times:
    """Milliseconds, medians. processor: of `ours`. behind: processor's, until all is settled."""

    ours: float
    processor: float
    behind: float
    rival: float
    digest: float


async def _measured(size: int) -> _Times:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chat.jsonl"
        header, chat = remembered(size)
        save_like_sillytavern(path, jsonl([header, *chat]))
        data = Path(folder) / "data"
        async with open_companion(user_folders(data), watch=False) as companion:
            await companion.put_setting("message_recaps_auto", False)
            await companion.open_story(path)
            await companion.settled(path)
            await companion.search.settled()  # of the whole chat, once
            text = jsonl([header, *chat]).rstrip(b"\n")
            del chat
            rounds = []
            for number in range(size, size + WARMING + ROUNDS):
                line = jsonl([message(number, f"A short new line, number {number}.")])
                text = b"\n".join((text, line.rstrip(b"\n")))
                start = time.perf_counter()
                save_like_sillytavern(path, text)
                path.read_bytes()
                bare = time.perf_counter() - start
                rounds.append((*await _timed(companion, path), bare, _digest(path)))
        return _Times(
            *(1000 * statistics.median(each) for each in zip(*rounds[WARMING:], strict=True))
        )


async def _timed(companion: Companion, path: Path) -> tuple[float, float, float]:
    start, begun = time.perf_counter(), time.process_time()
    await companion.open_story(path)
    slots = await companion.slots(path)
    taken, processor = time.perf_counter() - start, time.process_time() - begun
    assert slots.total_tokens > 10
    await companion.settled(path)
    behind = time.process_time() - begun - processor
    await companion.search.settled()
    return taken, processor, behind


def _digest(path: Path) -> float:
    """Seconds of the processor to read the file and digest it, a block at a time."""
    begun = time.process_time()
    with path.open("rb") as file:
        while block := file.read(1 << 18):
            hash(block)
    return time.process_time() - begun


def remembered(size: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
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
