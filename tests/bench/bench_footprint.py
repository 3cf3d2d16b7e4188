"""Memory of the window with a long chat open, above an empty window, against the file's size."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from app.companion import open_companion
from app.core.paths import user_folders
from tests.bench.bench_new_message import remembered
from tests.bench.table import IS_QUICK, Aim, Row
from tests.chat_files import jsonl

MESSAGES = 10_000 if IS_QUICK else 100_000
ROUNDS = 1  # a process's memory hardly varies, and a long chat takes its time
TIMEOUT_SECONDS = 300
TAVERN = Path("data") / "default-user"
STATUS = Path("/proc/self/status")
# A window with its companion; a chat, when there is one, open, counted and indexed.
SCRIPT = """
import asyncio, gc, json, sys
from pathlib import Path
import ui.program.application as program
from ui.program.application import WindowOptions, loop_factory, make_application
from ui.core.collecting import GuiThreadCollector
from ui.program.main_window import MainWindow

own, tavern, *chats = map(Path, sys.argv[1:])
chat = chats[0] if chats else None

def kilobytes(key):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1])

class Window(MainWindow):
    def begin(self, chat):
        super().begin(chat)
        self._tasks.spawn(self.told(chat), name="telling")

    async def told(self, chat):
        companion = self.desk.session.companion
        if chat is not None:
            while companion.story(chat) is None or self.desk.session.story is None:
                await asyncio.sleep(0.05)
            await companion.settled(chat)
            await companion.search.settled()
        await asyncio.sleep(0.5)
        gc.collect()
        print(json.dumps([kilobytes("VmRSS:"), kilobytes("VmHWM:")]), flush=True)
        self.closed.emit()

program.MainWindow = Window
application = make_application()
collector = GuiThreadCollector(application)
collector.start()
options = WindowOptions(data_dir=own, tavern=tavern, chat=chat)
with asyncio.Runner(loop_factory=lambda: loop_factory(application)) as runner:
    runner.run(program.run(options))
"""


def measure() -> list[Row]:
    """What stays resident when all is done, and the most that there was."""
    work = f"memory with {MESSAGES:,} messages open"
    if not STATUS.exists():
        return [Row(work, missing="The system does not tell a process's memory in /proc.")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / TAVERN / "chats" / "Mira" / "chat.jsonl"  # whose running recap it holds
        path.parent.mkdir(parents=True)
        (folder / TAVERN / "characters").mkdir()
        header, chat = remembered(MESSAGES)
        path.write_bytes(jsonl([header, *chat]))
        del chat
        size = path.stat().st_size / 1e6
        figures = [
            (*_megabytes(folder, n, path), *_megabytes(folder, n + ROUNDS)) for n in range(ROUNDS)
        ]
    stays, peak, empty, empty_peak = map(statistics.median, zip(*figures, strict=True))
    return [
        Row(work, stays - empty, "its file's size", size, Aim(times=3), unit="MB"),
        Row("the most on the way there", peak - empty_peak, "its file's size", size, unit="MB"),
    ]


async def _prepared(own: Path) -> None:
    """A recap of each of so many messages would take an hour, and reading them some minutes."""
    async with open_companion(user_folders(own), watch=False) as companion:
        await companion.put_setting("message_recaps_auto", False)
        await companion.put_setting("memory_auto", False)


def _megabytes(folder: Path, number: int, *chat: Path) -> tuple[float, float]:
    """Resident now and at most, of a program of its own."""
    own = folder / f"own {number}"
    asyncio.run(_prepared(own))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(own), str(folder / TAVERN), *map(str, chat)],
        env=os.environ | {"QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=True,
    )
    now, most = json.loads(done.stdout.splitlines()[-1])
    return now / 1e3, most / 1e3
