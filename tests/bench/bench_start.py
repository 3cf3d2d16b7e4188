"""From nothing to a painted window: ours, and an empty one of the same binding."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.table import IS_QUICK, Aim, Row

ROUNDS = 2 if IS_QUICK else 5
TIMEOUT_SECONDS = 60
AT_WORK = (
    "Behind the painted window 700 modules are loaded (370 data classes take 150 ms, 300 patterns "
    "40, numpy 30, websockets 10, to find, read and unpack files the most of the rest), the "
    "database opened, the library read and the page built."
)
SETTINGS = {**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
SETTINGS.pop("PYTHONDONTWRITEBYTECODE", None)

BARE = """
import time
from PySide6.QtWidgets import QApplication, QWidget
application = QApplication([])
window = QWidget()
window.resize(1360, 860)
window.show()
application.processEvents()
print("up", time.process_time(), flush=True)
"""
OURS = """
import time
from ui.core.qt_features import forgo_qt_features
forgo_qt_features()
from ui.program.application import make_application
from ui.program.main_window import MainWindow
from ui.theme import theme
from app.core.tasks import TaskSupervisor
application = make_application()
window = MainWindow(theme, TaskSupervisor())
window.show()
application.processEvents()
print("up", time.process_time(), flush=True)
"""
READY = """
import sys, time
from pathlib import Path
from ui.core.qt_features import forgo_qt_features
forgo_qt_features()
from ui.program.application import WindowOptions
from ui.program.main_window import MainWindow
import ui.program.application as program

class Window(MainWindow):
    def attach(self, companion):
        super().attach(companion)
        print("up", time.process_time(), flush=True)
        self.closed.emit()

program.MainWindow = Window
folder, tavern = Path(sys.argv[1]), Path("resources/demo/data")
program.show_window(WindowOptions(data_dir=folder, tavern=tavern, llm="builtin"))
"""


def until_up_ms(script: str, compiled: str) -> tuple[float, float]:
    """From the start of a fresh interpreter until it says that the window is up: milliseconds of
    the processor, and by the clock. compiled: folder of what Python compiled, as of a start before,
    in which the program's own data are those of that start, too.
    """
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", script, str(Path(compiled, "own"))],
        stdout=subprocess.PIPE,
        env={**SETTINGS, "PYTHONPYCACHEPREFIX": compiled},
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline().split()
        taken = (time.perf_counter() - start) * 1000
        process.wait(TIMEOUT_SECONDS)
    if said[:1] != [b"up"]:
        raise RuntimeError("The window did not come up.")
    return float(said[1]) * 1000, taken


def measure() -> list[Row]:
    """Taken in turns: what else the machine does then hits all alike."""
    scripts = (OURS, BARE, READY)
    with tempfile.TemporaryDirectory() as compiled:
        for script in scripts:
            until_up_ms(script, compiled)  # only the first start ever compiles
        rounds = [[until_up_ms(script, compiled) for script in scripts] for _ in range(ROUNDS)]
    ours, bare, ready = (
        statistics.median(processor for processor, _ in of) for of in zip(*rounds, strict=True)
    )
    _, bare_clock, ready_clock = (
        statistics.median(clock for _, clock in of) for of in zip(*rounds, strict=True)
    )
    rival = "bare PySide6 window"
    return [
        Row("start to painted window", ours, rival, bare, Aim(more=500)),
        Row("start to a window at work", ready, rival, bare, Aim(more=500), AT_WORK),
        Row("the same by the clock", ready_clock, rival, bare_clock),
    ]
