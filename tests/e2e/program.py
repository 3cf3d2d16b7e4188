"""Tavernkeep itself, as a process beside SillyTavern."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]

T = TypeVar("T")


@dataclass(slots=True)
class Program:
    """`tavernkeep serve` over one tavern; its data outlive a restart.

    user_folder: None where it is told of no tavern. more: further arguments. greeting: its first
    line.
    """

    user_folder: Path | None
    data_dir: Path
    llm: str
    process: subprocess.Popen[str] | None = None
    more: tuple[str, ...] = ()
    greeting: str = ""

    def start(self) -> None:
        """Start it and wait until it serves."""
        tavern = () if self.user_folder is None else ("--tavern", str(self.user_folder))
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "app", "serve"),
                *tavern,
                *("--data-dir", str(self.data_dir)),
                *("--llm", self.llm),
                *self.more,
            ],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.greeting = self.process.stdout.readline()
        assert self.greeting.startswith(("Running for", "The code is")), self.greeting

    def stop(self) -> int:
        """End it as a user does; gives the exit code."""
        return self._end(signal.SIGINT)

    def kill(self) -> None:
        """End it as a power cut does."""
        self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> int:
        process, self.process = self.process, None
        if process is None:
            return 0
        process.send_signal(number)
        try:
            return process.wait(15)
        finally:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()

    def command(self, *arguments: str) -> Any:
        """Run a headless command on the same data and give its JSON; it may have failed in part."""
        done = subprocess.run(
            [sys.executable, "-m", "app", *arguments, "--json", "--data-dir", str(self.data_dir)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stdout, done.stderr
        return json.loads(done.stdout)


def wait_until(found: Callable[[], T | None], seconds: float = 30.0) -> T:
    """Ask again and again until there is something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = found()
        if value:
            return value
        time.sleep(0.1)
    raise TimeoutError("it never came")
