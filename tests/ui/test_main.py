"""The way in: a command needs no Qt, the window does not wait for what stands behind it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest

from app.commands.entry import build_parser, command_lines
from ui.__main__ import main

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
        "from ui.program.application import make_application\n"
        "from ui.program.main_window import MainWindow\n"
        "from ui.theme import theme\n"
        "from app.core.tasks import TaskSupervisor\n"
        "application = make_application()\n"
        "window = MainWindow(theme, TaskSupervisor())\n"
        "window.show()\n"
        "application.processEvents()\n"
    )
    assert not imported_by(code) & set(LATE)


@pytest.mark.parametrize("words", [["--size"], ["DIR", "--size", "wide"]])
def test_a_wrong_screenshot_size_is_wrong_usage(words: list[str]) -> None:
    assert main(["screenshots", *words]) == 2


def test_help_lists_every_command_with_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out.rpartition("Commands")[2].splitlines()
    told = dict(line.strip().split("  ", 1) for line in said if line.startswith("  "))
    for name, help_ in command_lines():
        assert told[name].strip() == help_


@pytest.mark.parametrize("command", [name for name, _ in command_lines()])
def test_the_help_of_a_command_gives_an_example_that_it_understands(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--help"]) == 0
    example = capsys.readouterr().out.rpartition("For example: tavernkeep ")[2]
    assert build_parser().parse_args(shlex.split(example)).command == command
