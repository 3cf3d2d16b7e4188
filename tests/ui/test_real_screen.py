"""On a screen of X, windows get their size, the keyboard and their keys later and otherwise.

A few tests are run there once more, in a process of their own; TAVERNKEEP_TEST_LONG=1 runs all.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
IS_LONG = os.environ.get("TAVERNKEEP_TEST_LONG") == "1"
FEW = (
    "tests/ui/story/test_page.py",
    "tests/ui/recaps/test_page.py::test_undo_takes_back_choices_first",
    "tests/ui/controls/test_surfaces.py",
    "tests/ui/test_told.py::test_a_click_on_a_notice_leaves_the_keyboard_where_it_was",
)
SIZE = "1920x1200x24"


@pytest.fixture
def screen() -> Iterator[str]:
    """The name of a virtual screen without a window manager."""
    given = os.environ.get("TAVERNKEEP_TEST_XVFB")
    program = shutil.which("Xvfb") if given is None else given
    if program is None:
        pytest.skip("TAVERNKEEP_TEST_MISSING_XVFB: no virtual screen to test on")
    # It says itself when it is ready; xvfb-run waits for ever when it is so too soon.
    reading, writing = os.pipe()
    words = [program, "-displayfd", str(writing), "-screen", "0", SIZE, "-nolisten", "tcp"]
    server = subprocess.Popen(words, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading, encoding="ascii") as told:
            number = told.readline().strip()
        assert number, "Xvfb did not start"
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(30)


@pytest.mark.timeout(3600 if IS_LONG else 300)
def test_the_window_does_the_same_on_a_real_screen(screen: str, tmp_path: Path) -> None:
    chosen = ["tests/ui", "--ignore", "tests/ui/test_real_screen.py"] if IS_LONG else [*FEW]
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen]
    done = subprocess.run(
        [*words, f"--basetemp={tmp_path / 'tests'}"],
        cwd=ROOT,
        env={**os.environ, "DISPLAY": screen, "QT_QPA_PLATFORM": "xcb"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
