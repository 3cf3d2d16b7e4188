"""From nothing to a painted window: ours, and an empty one of the same binding."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from tests.bench.table import Aim, Row

ROUNDS = 5
TIMEOUT_SECONDS = 60
SETTINGS = {**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}

BARE = """
from PySide6.QtWidgets import QApplication, QWidget
application = QApplication([])
window = QWidget()
window.resize(1360, 860)
window.show()
application.processEvents()
print("up", flush=True)
"""
OURS = """
from ui.application import make_application
from ui.main_window import MainWindow
from ui.theme import theme
from app.tasks import TaskSupervisor
application = make_application()
window = MainWindow(theme, TaskSupervisor())
window.show()
application.processEvents()
print("up", flush=True)
"""
READY = """
import asyncio, sys, tempfile
from pathlib import Path
from ui.application import WindowOptions, loop_factory, make_application
from ui.main_window import MainWindow
import ui.application as program

class Window(MainWindow):
    def attach(self, companion):
        super().attach(companion)
        print("up", flush=True)
        self.closed.emit()

program.MainWindow = Window
application = make_application()
with tempfile.TemporaryDirectory() as data:
    options = WindowOptions(data_dir=Path(data), tavern=Path("resources/demo/data"), llm="builtin")
    with asyncio.Runner(loop_factory=lambda: loop_factory(application)) as runner:
        runner.run(program.run(options))
"""


def until_up_ms(script: str) -> float:
    """From the start of a fresh interpreter until it says that the window is painted."""
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, env=SETTINGS
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        taken = (time.perf_counter() - start) * 1000
        process.wait(TIMEOUT_SECONDS)
    if line.strip() != b"up":
        raise RuntimeError("The window did not come up.")
    return taken


def measure() -> list[Row]:
    """Taken in turns, the best of each: what else the machine does then hits all alike."""
    times = [(until_up_ms(OURS), until_up_ms(BARE), until_up_ms(READY)) for _ in range(ROUNDS)]
    ours, bare, ready = (min(column) for column in zip(*times, strict=True))
    return [
        Row("start to painted window", ours, "bare PySide6 window", bare, Aim(times=2)),
        Row("start to a window at work", ready, "bare PySide6 window", bare, Aim(more=500)),
    ]
