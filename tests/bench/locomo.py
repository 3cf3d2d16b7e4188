"""LoCoMo, ten long chats with questions and the turns that answer them (Maharana et al. 2024).

`python -m tests.bench.locomo FOLDER` gets the data, which is not part of this project, with git;
`python -m tests.bench recall` measures on it when TAVERNKEEP_LOCOMO names the folder.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = "https://github.com/snap-research/locomo"
FOLDER_VARIABLE = "TAVERNKEEP_LOCOMO"
UNANSWERABLE = 5  # category of questions that the chat does not answer
_TURN = re.compile(r"D\d+:\d+")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the places of the turns that answer it."""

    text: str
    evidence: frozenset[int]


@dataclass(frozen=True, slots=True)
class Chat:
    """turns: (speaker, text). is_tuning: weights may be chosen by it; half of the chats are kept
    out.
    """

    turns: tuple[tuple[str, str], ...]
    questions: tuple[Asked, ...]
    is_tuning: bool


def get(folder: Path) -> None:
    """Fetch the repository into a folder, and unpack what is packed in it."""
    subprocess.run(["git", "clone", "--depth", "1", SOURCE, str(folder)], check=True)
    for packed in sorted((folder / "data").glob("*.zip")):
        with zipfile.ZipFile(packed) as archive:
            archive.extractall(folder)


def chats(folder: Path) -> tuple[Chat, ...]:
    """The chats that a folder holds, in whichever of its two forms the data was published."""
    return tuple(
        _chat(raw, is_tuning=number % 2 == 0) for number, raw in enumerate(_raw_chats(folder))
    )


def _raw_chats(folder: Path) -> Iterator[Mapping[str, Any]]:
    whole = sorted(folder.rglob("locomo10.json"))
    if whole:
        for one in json.loads(whole[0].read_text(encoding="utf-8")):
            yield {**one["conversation"], "qa": one["qa"]}
        return
    for path in sorted(folder.rglob("locomo10*/*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


def _chat(raw: Mapping[str, Any], *, is_tuning: bool) -> Chat:
    turns: list[tuple[str, str]] = []
    places: dict[str, int] = {}
    session = 1
    while f"session_{session}_date_time" in raw:
        for turn in raw.get(f"session_{session}") or ():
            places[turn["dia_id"]] = len(turns)
            turns.append((turn["speaker"], turn.get("text") or ""))
        session += 1
    questions = [
        Asked(
            one["question"],
            frozenset(
                places[turn]
                for cited in one["evidence"]
                for turn in _TURN.findall(cited)
                if turn in places
            ),
        )
        for one in raw["qa"]
        if one["category"] != UNANSWERABLE
    ]
    return Chat(tuple(turns), tuple(q for q in questions if q.evidence), is_tuning)


if __name__ == "__main__":
    get(Path(sys.argv[1]))
