"""A window that is shut stays shut, its program ends in time, and the next start waits for that."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.core.paths import user_folders
from app.store.folder_lock import FolderLock
from tests.labelled import WrittenTavern
from ui.program.application import STILL_ENDING, WindowOptions, run
from ui.program.ending import Deadline
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
ROOT = Path(__file__).parents[3]
SECONDS = 60

NEVER_DETACHED = """
import asyncio, sys
from functools import partial
from ui.program import application
from ui.program.ending import Deadline
from ui.program.main_window import MainWindow

async def never(window):
    await asyncio.Event().wait()

MainWindow.detach = never
application.Deadline = partial(Deadline, seconds=0.5)
from ui.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def own_signals() -> Iterator[None]:
    """The program takes SIGINT and SIGTERM for itself; pytest gets them back."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def windows() -> list[MainWindow]:
    return [
        w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow) and w.isVisible()
    ]


@pytest.mark.expects_log("ui.program.ending")
def test_what_has_not_ended_in_time_is_ended() -> None:
    ended = threading.Event()
    Deadline(ended.set, seconds=0).begin()
    assert ended.wait(SECONDS)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to send")
def test_a_program_whose_end_waits_for_ever_ends_all_the_same(
    tmp_path: Path, demo_tavern: WrittenTavern
) -> None:
    own, tavern = tmp_path / "own", demo_tavern.user_folder.parent
    process = subprocess.Popen(
        [sys.executable, "-c", NEVER_DETACHED, "--data-dir", own, "--tavern", tavern],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + SECONDS
    while not user_folders(own).database.exists():
        assert time.monotonic() < until
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    try:
        _, errors = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    assert process.returncode == 1
    assert "has not ended" in errors


async def test_a_start_waits_for_the_one_before_that_still_ends(
    dressed: QApplication,
    own_signals: None,
    tmp_path: Path,
    demo_tavern: WrittenTavern,
    until: Until,
) -> None:
    own = user_folders(tmp_path / "own").data
    before = FolderLock(own)
    assert before.acquire("program")
    before.say_ending()
    options = WindowOptions(tmp_path / "own", demo_tavern.user_folder.parent, "builtin")
    running = asyncio.ensure_future(run(options))  # noqa: TID251
    await until(lambda: bool(windows()) and windows()[0].frame.notice.sentence == STILL_ENDING)
    before.release()
    await until(lambda: windows()[0].desk is not None)
    assert windows()[0].frame.notice.sentence != STILL_ENDING
    windows()[0].quit()
    assert await running == 0


async def test_a_window_that_was_shut_never_comes_back(window: MainWindow) -> None:
    window.quit()
    window.come_forward()
    assert not window.isVisible()
