"""One program works in a data folder: whoever comes second says so and touches nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.sillytavern.bridge import bridge_installer
from tests.labelled import WrittenTavern

pytestmark = pytest.mark.timeout(300)  # three starts of the program, on whatever machine

ROOT = Path(__file__).parents[3]
SAID = "Tavernkeep is already running with this data folder"


def words(module: str, tavern: WrittenTavern, data: Path, *command: str) -> list[str]:
    start = [sys.executable, "-m", module, *command, "--tavern", str(tavern.user_folder)]
    return [*start, "--data-dir", str(data), "--llm", "builtin"]


def reached_at(tavern: WrittenTavern) -> tuple[int, str]:
    """Port and token by which pages find a program, or think they do."""
    path = bridge_installer.extension_folder(tavern.user_folder) / "pairing.json"
    told = json.loads(path.read_text())
    return told["port"], told["token"]


@pytest.fixture
def serving(demo_tavern: WrittenTavern, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """`serve` over the demo tavern, paired with its bridge."""
    bridge_installer.install(demo_tavern.user_folder)
    line = words("app", demo_tavern, tmp_path / "own", "serve")
    with subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline().startswith("Running for")
            yield program
        finally:
            program.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="ends by a signal of POSIX")
def test_whoever_serves_second_says_so_and_the_first_goes_on(
    serving: subprocess.Popen[str], demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    before = reached_at(demo_tavern)
    line = words("app", demo_tavern, tmp_path / "own", "serve")
    second = subprocess.run(
        line, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert second.returncode == 1
    assert SAID in second.stderr
    assert "Traceback" not in second.stderr
    assert reached_at(demo_tavern) == before
    assert serving.poll() is None
    serving.send_signal(signal.SIGINT)
    assert serving.wait(60) == 0
    assert reached_at(demo_tavern) == (0, "")  # only now nobody is there


def test_a_window_beside_one_who_serves_says_so_and_takes_nothing_over(
    serving: subprocess.Popen[str], demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    before = reached_at(demo_tavern)
    line = words("ui", demo_tavern, tmp_path / "own")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    script = (
        "import sys\n"
        "from PySide6.QtCore import QTimer\n"
        "from ui.program.main_window import MainWindow\n"
        "from ui.__main__ import main\n"
        "shown = MainWindow.showEvent\n"
        "def look(window):\n"
        "    said = window.frame.notice.sentence\n"
        "    if said:\n"
        "        print(said, flush=True)\n"
        "        window.close()\n"
        "    else:\n"
        "        QTimer.singleShot(50, lambda: look(window))\n"
        "def show(window, event):\n"
        "    shown(window, event)\n"
        "    look(window)\n"
        "MainWindow.showEvent = show\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    second = subprocess.run(
        [sys.executable, "-c", script, *line[3:]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert SAID in second.stdout, second.stderr
    assert second.returncode == 1
    assert "Traceback" not in second.stderr
    assert reached_at(demo_tavern) == before
    assert serving.poll() is None
