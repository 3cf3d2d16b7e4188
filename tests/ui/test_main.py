"""The way in: a command needs no Qt, the window does not wait for what stands behind it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

LATE = ("httpx", "websockets", "tiktoken", "numpy", "peewee")


def imported_by(code: str) -> set[str]:
    """Top-level modules that are loaded after `code` ran in a fresh interpreter."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=50, check=True
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_a_headless_command_imports_no_qt() -> None:
    code = "from ui.__main__ import main\nmain(['doctor', '--help'])"
    assert "PySide6" not in imported_by(code)


def test_the_window_stands_before_the_companion_is_imported() -> None:
    code = (
        "from ui.application import make_application\n"
        "from ui.main_window import MainWindow\n"
        "from ui.theme import theme\n"
        "from app.tasks import TaskSupervisor\n"
        "application = make_application()\n"
        "window = MainWindow(theme, TaskSupervisor())\n"
        "window.show()\n"
        "application.processEvents()\n"
    )
    assert not imported_by(code) & set(LATE)


@pytest.mark.parametrize("words", [["--size"], ["DIR", "--size", "wide"]])
def test_a_wrong_screenshot_size_is_wrong_usage(words: list[str]) -> None:
    from ui.__main__ import main

    assert main(["screenshots", *words]) == 2
