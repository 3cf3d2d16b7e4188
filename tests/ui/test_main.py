"""The way in: a command needs no Qt, the window does not wait for what stands behind it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from app.commands.entry import build_parser, command_lines
from tests.labelled import WrittenTavern
from ui.__main__ import main

LATE = ("httpx", "websockets", "tiktoken", "numpy", "peewee")
SHEETS = {f"ui.shell.{name}_sheet" for name in ("health", "help", "history", "search")}
AT_WORK = """
import sys
from pathlib import Path
import ui.program.application as program

class Window(program.MainWindow):
    def attach(self, companion):
        super().attach(companion)
        self.closed.emit()

program.MainWindow = Window
options = program.WindowOptions(Path(sys.argv[1]), tavern=Path(sys.argv[2]), llm="builtin")
assert program.show_window(options) == 0
"""


def loaded_by(code: str, *words: str) -> set[str]:
    """Modules that are loaded after `code` ran in a fresh interpreter, with words for it."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", script, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def imported_by(code: str) -> set[str]:
    """Top-level modules that are loaded after `code` ran in a fresh interpreter."""
    return {name.partition(".")[0] for name in loaded_by(code)}


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


def test_the_window_is_at_work_before_what_it_shows_or_does_later_is_imported(
    tmp_path: Path, demo_tavern: WrittenTavern
) -> None:
    loaded = loaded_by(AT_WORK, str(tmp_path), str(demo_tavern.user_folder))
    later = {"httpx", "tiktoken", "anyio._backends._asyncio", "ui.library.popover"}
    assert not loaded & (later | SHEETS)


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
