"""A program killed at any moment loses nothing and does no work twice."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import MODEL, FakeLlm, RecordedRequest
from tests.killing import ANSWER_SECONDS, kill_sometime, start, undisturbed
from tests.labelled import WrittenTavern

IS_LONG = os.environ.get("TAVERNKEEP_TEST_LONG") == "1"
KILLS = 60 if IS_LONG else 20


def answer(request: RecordedRequest) -> str:
    """The same prompt gets the same words, always, and every other prompt others."""
    event = f"Event {random.Random(request.text).randrange(10**9)} happened."
    time.sleep(ANSWER_SECONDS)
    return json.dumps({"name": event[:12], "recap": {"developments": [event]}})


def started(chat: Path, data: Path, model: FakeLlm) -> subprocess.Popen[bytes]:
    return start("recap", chat, data, f"openai:{MODEL}@{model.url}")


def finished(chat: Path, data: Path, model: FakeLlm) -> dict[str, Any]:
    """What a run prints that nobody disturbs, without the time it was made at."""
    told: dict[str, Any] = json.loads(undisturbed(started(chat, data, model)))
    for version in told["running"]:
        del version["created"]
    return told


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.timeout(600 if IS_LONG else 180)
def test_a_run_that_is_killed_again_and_again_ends_as_one_that_never_was(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    chat, rng = demo_tavern.chat, random.Random(20261121)
    before = chat.read_bytes()
    with FakeLlm(answer) as model:
        wanted = finished(chat, tmp_path / "undisturbed", model)
        prompts = Counter(request.text for request in model.requests)
        assert set(prompts.values()) == {1}
        model.requests.clear()
        kills = sum(
            kill_sometime(started(chat, tmp_path / "killed", model), model, rng)
            for _ in range(KILLS)
        )
        told = finished(chat, tmp_path / "killed", model)
        assert told == wanted
        asked = Counter(request.text for request in model.requests)
        assert set(asked) == set(prompts)
        # Only what was under way when it died is asked for once more.
        assert asked.total() <= len(prompts) + kills
        # And there is nothing left to do.
        count = len(model.requests)
        assert finished(chat, tmp_path / "killed", model) == wanted
        assert len(model.requests) == count
    assert chat.read_bytes() == before
    assert kills >= KILLS // 2
