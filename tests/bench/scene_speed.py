"""How long scene detection takes, beside the program as it was at another commit."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from app.story.messages import Message

ROOT = Path(__file__).parents[2]
BEFORE = "1cb6496"  # the last before weights were learned
MOST = 1.5  # times as long as then
RUNS = 5  # of each; the least counts
_TIMED = """
import json, sys, time
from app.languages import load_packs
from app.story.messages import Message, MessageKind, digest
from app.story.scene_detection import detect_breaks
packs = load_packs()
messages = tuple(
    Message(f"m{n}", digest(text), name, text, is_user=is_user, kind=MessageKind(kind))
    for n, (name, text, is_user, kind) in enumerate(json.load(sys.stdin))
)
began = time.process_time()
detect_breaks(messages, packs)
print(time.process_time() - began)
"""


def seconds_side_by_side(messages: Sequence[Message], commit: str = BEFORE) -> tuple[float, float]:
    """Processor time of detection in these messages: now, and at a commit. Runs take turns.

    Raises CalledProcessError where there is no such commit.
    """
    packed = subprocess.run(
        ["git", "archive", commit, "app", "resources"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    told = json.dumps([[m.name, m.text, m.is_user, m.kind.value] for m in messages])
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        times: dict[Path, list[float]] = {ROOT: [], Path(folder): []}
        for _ in range(RUNS):
            for place, taken in times.items():
                taken.append(_seconds(place, told))
        now, before = (min(taken) for taken in times.values())
    return now, before


def _seconds(place: Path, told: str) -> float:
    run = subprocess.run(
        [sys.executable, "-c", _TIMED],
        cwd=place,
        input=told,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(run.stdout)
