"""Kills a program at moments that nobody chose."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

from tests.fakes import FakeLlm

ROOT = Path(__file__).resolve().parents[1]
# Long enough that kills fall into requests too, short enough that the rest is not all waiting.
ANSWER_SECONDS = 0.03


def start(command: str, chat: Path, data: Path, spec: str) -> subprocess.Popen[bytes]:
    """The program, doing one command on a chat."""
    words = [sys.executable, "-m", "app", command, str(chat), "--json"]
    words += ["--data-dir", str(data), "--llm", spec]
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def undisturbed(program: subprocess.Popen[bytes]) -> bytes:
    """What a run prints that nobody disturbs."""
    with program:
        try:
            out, errors = program.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            program.kill()
            raise
    assert not errors, errors.decode()
    return out


def kill_sometime(program: subprocess.Popen[bytes], model: FakeLlm, rng: random.Random) -> bool:
    """Let it make up to three requests and then some; true when it was still at work."""
    try:
        if rng.random() < 0.8:
            wanted = len(model.requests) + rng.randrange(3)
            model.wait_for_request(wanted, seconds=3.0)
            program.wait(rng.random() * 2 * ANSWER_SECONDS)
        else:  # while it starts, and makes or opens its database
            program.wait(rng.random())
    except (TimeoutError, subprocess.TimeoutExpired):
        pass
    is_at_work = program.poll() is None
    if is_at_work:
        os.kill(program.pid, signal.SIGKILL)
    with program:  # closes its pipes
        program.wait(30)
    return is_at_work
