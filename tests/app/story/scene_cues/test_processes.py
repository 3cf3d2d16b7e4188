"""Scenes do not depend on the process that finds them: sets come in another order in each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

STORY = Path(__file__).parents[3] / "data" / "stories" / "lantern-district.json"
_EVIDENCE = """
import json, sys
from app.languages import load_packs
from app.story.messages import Message, digest
from app.story.scene_cues.evidence import gather
from app.story.scene_cues.reading import read_all
told = json.load(open(sys.argv[1], encoding="utf-8"))["messages"]
messages = [Message(f"m{n}", digest(m["mes"]), m["name"], m["mes"]) for n, m in enumerate(told)]
evidence = gather(read_all(messages[:60], load_packs()))
print([sorted(dict(entry).items()) for entry in evidence])
"""


def _evidence(seed: str) -> str:
    command = (sys.executable, "-c", _EVIDENCE, str(STORY))
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"}
    run = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return run.stdout


def test_what_speaks_for_a_break_is_the_same_to_the_last_digit_in_every_process() -> None:
    first = _evidence("1")
    assert "opens" in first
    assert _evidence("2") == first
