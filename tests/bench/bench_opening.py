"""Opening a chat in the program until its story is there, against orjson parsing the same file."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

import orjson

from app.companion import open_companion
from app.core.collecting import sparing_the_old
from app.core.paths import Folders, user_folders
from tests.bench.table import IS_QUICK, Aim, Row, median_ms
from tests.chat_files import long_chat, write_chat

SIZES = (1_000, 10_000) if IS_QUICK else (10_000, 100_000)
ROUNDS = {10_000: 3}  # the longest once: it takes as long as all else here
FIRST = (
    "To read it takes longer than the parse: beside its text each message gets the digests by "
    "which it is found again, its dates, swipes and marks. Then who is who is written down, a "
    "third of all: nothing may hang on a message before that, or a crash would tear it off."
)
AGAIN = (
    "All of the file is read, and each message made anew: two thirds. What is kept of a chat is "
    "who is who, not its text. A copy that loads faster would be the whole story once more on the "
    "disk, to be found out of date or damaged, and deleted with it; to load and check it takes "
    "about as long as the bare parse."
)


def measure() -> list[Row]:
    """At first sight, and in another run of the program that has seen the chat before."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, sparing_the_old():
        for size in SIZES:
            path = write_chat(Path(folder) / f"{size}.jsonl", long_chat(size))
            first, again, bare = asyncio.run(_measured(path, Path(folder), ROUNDS.get(size, 1)))
            what = f"open {size:,} messages, {path.stat().st_size / 1e6:.0f} MB"
            rival = "bare orjson parse"
            rows += [
                Row(what, first, rival, bare, Aim(times=2), FIRST),
                Row(f"{what}, seen before", again, rival, bare, Aim(times=0.3), AGAIN),
            ]
            path.unlink()
    return rows


async def _measured(path: Path, folder: Path, rounds: int) -> tuple[float, float, float]:
    """Medians: the first time, again, and of the rival, in turns."""
    times = []
    for round_ in range(rounds):
        folders = user_folders(folder / f"data {path.stem} {round_}")
        first = await _opened_ms(folders, path)
        again = await _opened_ms(folders, path)
        times.append((first, again, median_ms(lambda: _parse(path), rounds=1)))
    first, again, bare = (statistics.median(column) for column in zip(*times, strict=True))
    return first, again, bare


async def _opened_ms(folders: Folders, path: Path) -> float:
    """Until the story is there; what is done behind that, like counting, is let finish first."""
    async with open_companion(folders, watch=False) as companion:
        await companion.put_setting("message_recaps_auto", False)
        await companion.put_setting("scene_recaps_auto", False)
        begun = time.process_time()
        story = await companion.open_story(path)
        taken = time.process_time() - begun
        assert len(story.messages) > 1
        await companion.search.settled()
    return 1000 * taken


def _parse(path: Path) -> list[object]:
    with path.open("rb") as file:
        return [orjson.loads(line) for line in file]
