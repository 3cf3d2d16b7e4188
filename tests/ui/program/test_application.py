"""Starting and stopping the program: a signal ends it cleanly, and it remembers where one was."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from app.core.paths import user_folders
from app.core.private_log import FILE
from tests.labelled import WrittenTavern
from ui.program.application import WindowOptions, run, show_window
from ui.program.front_door import knock
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]

ROOT = Path(__file__).parents[3]
SECONDS = 40


def start(data: Path, tavern: WrittenTavern) -> subprocess.Popen[str]:
    words = ["--data-dir", str(data), "--tavern", str(tavern.user_folder.parent)]
    return subprocess.Popen(
        [sys.executable, "-X", "dev", "-W", "ignore::DeprecationWarning", "-m", "ui", *words],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process: subprocess.Popen[str], number: signal.Signals) -> str:
    """Stop it; gives what it wrote to stderr."""
    process.send_signal(number)
    _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, errors
    return errors


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.05)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to send")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_program_cleanly(
    tmp_path: Path, demo_tavern: WrittenTavern, number: signal.Signals
) -> None:
    process = start(tmp_path / "own", demo_tavern)
    wait_for(user_folders(tmp_path / "own").database)
    assert "Traceback" not in end(process, number)


WITH_SOURCES_READ = """
import atexit, linecache, sys
atexit.register(lambda: print(*linecache.cache, sep="\\n"))
from ui.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM to send")
def test_no_source_is_read_to_show_the_window(tmp_path: Path, demo_tavern: WrittenTavern) -> None:
    """PySide6 read the text of each module for its own name, and Python kept them all."""
    own, tavern = tmp_path / "own", demo_tavern.user_folder.parent
    process = subprocess.Popen(
        [sys.executable, "-c", WITH_SOURCES_READ, "--data-dir", own, "--tavern", tavern],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        text=True,
    )
    wait_for(user_folders(own).database)
    process.send_signal(signal.SIGTERM)
    read, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    read_of = {
        Path(path).relative_to(ROOT).parts[0] for path in read.splitlines() if str(ROOT) in path
    }
    assert not read_of & {"app", "ui"}


@pytest.fixture
def own_signals() -> Iterator[None]:
    """The program takes SIGINT and SIGTERM for itself; pytest gets them back."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def shown_window() -> MainWindow | None:
    """The window with a chat open, None before."""
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, MainWindow) and widget.isVisible() and widget.desk is not None:
            return widget if widget.desk.session.path is not None else None
    return None


async def test_the_chat_shown_last_is_shown_again(
    dressed: QApplication,
    own_signals: None,
    tmp_path: Path,
    demo_tavern: WrittenTavern,
    until: Until,
) -> None:
    first = WindowOptions(
        tmp_path / "own", demo_tavern.user_folder.parent, "builtin", demo_tavern.chat
    )
    for options in (first, replace(first, chat=None)):
        running = asyncio.ensure_future(run(options))  # noqa: TID251
        await until(lambda: shown_window() is not None)
        window = shown_window()
        assert window is not None
        assert window.desk is not None
        assert window.desk.session.path == demo_tavern.chat
        window.close()
        assert await running == 0
        del window


async def test_who_closes_the_window_ends_the_work_and_finds_no_dead_window_later(
    dressed: QApplication,
    own_signals: None,
    tmp_path: Path,
    demo_tavern: WrittenTavern,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a window it went on asking the model, and a second start brought a dead one back."""
    own, seen = tmp_path / "own", []
    detach = MainWindow.detach

    async def watched(window: MainWindow) -> None:
        assert window.desk is not None
        is_heard = await asyncio.to_thread(knock, user_folders(own).data, None)
        seen.append((window.desk.session.companion.work.is_paused, is_heard, window.isVisible()))
        await detach(window)

    monkeypatch.setattr(MainWindow, "detach", watched)
    options = WindowOptions(own, demo_tavern.user_folder.parent, "builtin", demo_tavern.chat)
    running = asyncio.ensure_future(run(options))  # noqa: TID251
    await until(lambda: shown_window() is not None)
    window = shown_window()
    assert window is not None
    window.close()
    assert await running == 0
    assert seen == [(True, False, False)]
    del window


@pytest.mark.expects_log("ui.program.application")
async def test_a_database_that_cannot_be_opened_is_said_in_the_window(
    dressed: QApplication,
    own_signals: None,
    tmp_path: Path,
    demo_tavern: WrittenTavern,
    until: Until,
) -> None:
    folders = user_folders(tmp_path / "own")
    folders.database.mkdir()
    options = WindowOptions(tmp_path / "own", demo_tavern.user_folder.parent, "builtin")
    running = asyncio.ensure_future(run(options))  # noqa: TID251

    def window() -> MainWindow | None:
        found = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
        return next((w for w in found if w.isVisible() and w.frame.notice.sentence), None)

    await until(lambda: window() is not None)
    shown = window()
    assert shown is not None
    shown.close()
    assert await running == 1


@pytest.mark.expects_log("tests.something")
async def test_what_went_wrong_is_kept_in_a_file(
    dressed: QApplication,
    own_signals: None,
    tmp_path: Path,
    demo_tavern: WrittenTavern,
    until: Until,
) -> None:
    """Who starts from a menu has no terminal to read."""
    folders = user_folders(tmp_path / "own")
    options = WindowOptions(tmp_path / "own", demo_tavern.user_folder.parent, "builtin")
    running = asyncio.ensure_future(run(options))  # noqa: TID251

    def windows() -> list[MainWindow]:
        found = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
        return [w for w in found if w.desk is not None]

    await until(lambda: bool(windows()))
    logging.getLogger("tests.something").error("It broke.")
    windows()[0].close()
    assert await running == 0
    assert "ERROR tests.something: It broke." in (folders.logs / FILE).read_text("utf-8")
    kept = [getattr(handler, "baseFilename", "") for handler in logging.getLogger().handlers]
    assert str(folders.logs / FILE) not in kept


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such folder")
@pytest.mark.expects_log("ui.program.application")
def test_a_folder_that_cannot_hold_its_data_is_said_in_a_box(
    dressed: QApplication, qtbot: QtBot
) -> None:
    said: list[str] = []

    def look() -> None:
        for box in QApplication.topLevelWidgets():
            if isinstance(box, QMessageBox) and box.isVisible():
                said.append(box.text())
                box.accept()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(50)
    assert show_window(WindowOptions(Path("/proc/nowhere"))) == 1
    timer.stop()
    assert "cannot keep its data in /proc/nowhere" in said[0]
