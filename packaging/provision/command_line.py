"""The commands of bootstrap.py: run, test, bench, screenshots and build."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from provision.environment import Environment, clean_environ, folder_for
from provision.parts import find_parts
from provision.places import CHECKOUT, SetupFailed, cache_folder, say
from provision.system import qt_plugins_for_window, require_qt_libraries

USAGE = """usage: bootstrap.py run [COMMAND ...]    open the window, or run a headless command
       bootstrap.py test                 install what the tests need and run all of them
       bootstrap.py test --fast          run those that answer soon, a few minutes' worth
       bootstrap.py test PYTEST ARGS     run what pytest chooses by these
       bootstrap.py bench [ARGS]         measure speed and memory
       bootstrap.py screenshots FOLDER   take a picture of every page
       bootstrap.py build [--check]      make what people install, or only freeze and try it"""

# In the order of how fast they answer.
CHECKS: dict[str, list[str]] = {
    "ruff check": ["-m", "ruff", "check"],
    "ruff format": ["-m", "ruff", "format", "--check"],
    "mypy": ["-m", "mypy"],
    "import-linter": ["-c", "from importlinter.cli import lint_imports_command as c; c()"],
}


BUILD = CHECKOUT / "packaging" / "build.py"
TOOL_MISSING = 3  # of build.py

# As many workers as there are processors; tests/conftest.py says who runs what.
ALL = ["-n", "auto"]
FAST = [*ALL, "-m", "fast"]


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; the exit code."""
    commands = {
        "run": run,
        "test": test,
        "bench": bench,
        "screenshots": screenshots,
        "build": build,
    }
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if arguments else 2
    if arguments[0] not in commands:
        say(f"There is no command {arguments[0]!r}.\n{USAGE}")
        return 2
    try:
        return commands[arguments[0]](arguments[1:])
    except SetupFailed as failure:
        say(str(failure))
        return failure.exit_code
    except KeyboardInterrupt:
        say("Stopped. Run the command again to go on.")
        return 130


def run(command: Sequence[str]) -> int:
    """Open the window, or run `command` without one."""
    if command and command[0] == "screenshots":
        return screenshots(command[1:])
    plugins = qt_plugins_for_window() if _opens_window(command) else []
    environment = _environment("run")
    if plugins:
        require_qt_libraries(environment.python, plugins)
    return _become(environment, ["-m", "ui", *command], {})


def test(arguments: Sequence[str]) -> int:
    """Install what the tests need, then run the checks and the tests; stop at the first failure.

    arguments: none for all tests, --fast for those that answer soon, else pytest's own.
    """
    environment = _environment("run", "dev")
    # Both: most tests draw offscreen, some open a real window on a virtual display.
    require_qt_libraries(environment.python, ["offscreen", "xcb"])
    variables = find_parts() | {"QT_QPA_PLATFORM": "offscreen"} | kept_bytecode()
    steps = CHECKS | {"pytest": ["-m", "pytest", *pytest_arguments(arguments)]}
    done: list[str] = []
    for name, step in steps.items():
        say(f"--- {name}")
        started = time.monotonic()
        exit_code = _call(environment, step, variables)
        if exit_code != 0:
            not_run = [other for other in steps if other != name and other not in done]
            say(f"--- {name} FAILED. Passed: {', '.join(done) or 'nothing'}.")
            if not_run:
                say(f"    Not run: {', '.join(not_run)}.")
            return exit_code
        done.append(name)
        say(f"--- {name} passed in {time.monotonic() - started:.0f} s")
    say(f"All passed: {', '.join(done)}.")
    for variable, reason in variables.items():
        if variable.startswith("TAVERNKEEP_TEST_MISSING_"):
            say(f"Skipped what needs {variable.rpartition('_')[2].title()}: {reason}")
    return 0


def bench(arguments: Sequence[str]) -> int:
    """Measure speed and memory."""
    environment = _environment("run", "dev")
    require_qt_libraries(environment.python, ["offscreen"])
    return _become(environment, ["-m", "tests.bench", *arguments], _offscreen())


def screenshots(arguments: Sequence[str]) -> int:
    """Take a picture of every page into a folder."""
    environment = _environment("run")
    require_qt_libraries(environment.python, [_offscreen()["QT_QPA_PLATFORM"].split(":")[0]])
    return _become(environment, ["-m", "ui", "screenshots", *arguments], _offscreen())


def build(arguments: Sequence[str]) -> int:
    """Make this system's packages; with --check freeze and try the program, or say why not.

    In an environment of its own: what only tests need would else be frozen, too.
    """
    environment = Environment(CHECKOUT / "build" / "environment")
    is_check = "--check" in arguments
    try:
        environment.prepare(["run", "build"])
        require_qt_libraries(environment.python, ["offscreen", "xcb"])
    except SetupFailed as failure:
        if not is_check:
            raise
        say(f"Skipped: {failure}")
        return 0
    # Its own modules lie beside it, which -P keeps out.
    exit_code = _call(environment, [str(BUILD), *arguments], {"PYTHONPATH": str(BUILD.parent)})
    if exit_code == TOOL_MISSING and is_check:
        say("Skipped: the tool that is named above is missing.")
        return 0
    return exit_code


def pytest_arguments(arguments: Sequence[str]) -> list[str]:
    """What pytest is told for these arguments of `test`."""
    if "--fast" in arguments:
        return [*FAST, *(argument for argument in arguments if argument != "--fast")]
    return list(arguments) or ALL


def kept_bytecode() -> dict[str, str]:
    """Lets what Python compiles be kept, in the cache where the checkout is to stay clean.

    The tests start Python some hundred times, and compiling is half of a start.
    """
    if not os.environ.get("PYTHONDONTWRITEBYTECODE"):
        return {}
    folder = cache_folder() / "bytecode"
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder)}


def _environment(*locks: str) -> Environment:
    environment = Environment(folder_for(CHECKOUT))
    environment.prepare(locks)
    return environment


def _opens_window(command: Sequence[str]) -> bool:
    """Whether there is no command: nothing, or only options with their values."""
    if {"-h", "--help", "--version"} & set(command):
        return False
    words = iter(command)
    for word in words:
        if not word.startswith("-"):
            return False
        if "=" not in word:
            next(words, None)  # the option's value
    return True


def _offscreen() -> dict[str, str]:
    return {"QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}


def _command(environment: Environment, arguments: Sequence[str]) -> list[str]:
    # -P: the user's folder must not offer modules; the checkout does, through PYTHONPATH.
    return [str(environment.python), "-P", *arguments]


def _variables(more: Mapping[str, str]) -> dict[str, str]:
    return clean_environ() | {"PYTHONPATH": str(CHECKOUT)} | dict(more)


def _call(environment: Environment, arguments: Sequence[str], more: Mapping[str, str]) -> int:
    command = _command(environment, arguments)
    return subprocess.run(command, cwd=CHECKOUT, env=_variables(more)).returncode


def _become(environment: Environment, arguments: Sequence[str], more: Mapping[str, str]) -> int:
    """Hand this process over, so that signals, streams and the exit code are the program's own."""
    command = _command(environment, arguments)
    if sys.platform != "win32":
        sys.stdout.flush()
        os.execve(command[0], command, _variables(more))
    with subprocess.Popen(command, env=_variables(more)) as program:
        while True:
            try:
                return program.wait()
            except KeyboardInterrupt:
                continue  # the program got it too, and decides
