"""ToMi, short stories about who saw what, with questions on beliefs (Le, Boureau and Nickel 2019).

`python -m tests.bench.tomi FOLDER` gets the data, which is not part of this project, with git;
`python -m tests.bench beliefs` measures on it when TAVERNKEEP_TOMI names the folder.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = "https://github.com/facebookresearch/ToMi"
FOLDER_VARIABLE = "TAVERNKEEP_TOMI"
_LINE = re.compile(r"(\d+) (.*)")
_ENTERED = re.compile(r"([A-Z]\w+) (?:entered|is in) the (\w+)\.")
_TOGETHER = re.compile(r"(\w+) and (\w+) are in the (\w+)\.")
_EXITED = re.compile(r"(\w+) exited the (\w+)\.")
_LIES = re.compile(r"The (\w+) is in the (\w+)\.")
_MOVED = re.compile(r"(\w+) moved the (\w+) to the (\w+)\.")
_FIRST = re.compile(r"Where will (\w+) look for the (\w+)\?")
_SECOND = re.compile(r"Where does (\w+) think that (\w+) searches for the (\w+)\?")


@dataclass(frozen=True, slots=True)
class Question:
    """people: whose belief, and on whose where there are two. answer: a container."""

    people: tuple[str, ...]
    thing: str
    answer: str


@dataclass(frozen=True, slots=True)
class BeliefStory:
    """lines: of the story. question: on beliefs at its end."""

    lines: tuple[str, ...]
    question: Question

    @property
    def has_newcomer(self) -> bool:
        """Whether a third person comes into the story."""
        came = {found[1] for line in self.lines if (found := _ENTERED.fullmatch(line))}
        return len(came) > 2

    @property
    def notes(self) -> str:
        """What an extraction notes of it: one line for each that says who comes, goes, or what of
        a thing is so now, and no word on who knows it.
        """
        return "\n".join(
            note for number, line in enumerate(self.lines, 1) for note in _notes(number, line)
        )


def get(folder: Path) -> None:
    """Fetch the repository into a folder, and unpack the stories in it."""
    subprocess.run(["git", "clone", "--depth", "1", SOURCE, str(folder)], check=True)
    with zipfile.ZipFile(folder / "tomi_balanced_story_types.zip") as archive:
        archive.extractall(folder)


def stories(folder: Path, split: str = "test") -> Iterator[BeliefStory]:
    """The stories that ask for beliefs."""
    made = [*folder.rglob(f"data/{split}.txt"), *folder.rglob(f"fb_all_{split}.txt")]
    path = made[0]  # by the generator itself, else as it was published
    lines: list[str] = []
    for row in path.read_text(encoding="utf-8").splitlines():
        found = _LINE.fullmatch(row)
        if found is None:
            continue
        if found[1] == "1":
            lines = []
        text, _, answer = found[2].partition("\t")
        if not answer:
            lines.append(text)
            continue
        question = _question(text, answer.split("\t")[0])
        if question is not None:
            yield BeliefStory(tuple(lines), question)


def _question(text: str, answer: str) -> Question | None:
    if first := _FIRST.fullmatch(text):
        return Question((first[1],), first[2], answer)
    if second := _SECOND.fullmatch(text):
        return Question((second[1], second[2]), second[3], answer)
    return None


def _notes(number: int, line: str) -> Iterator[str]:
    if found := _TOGETHER.fullmatch(line):
        yield f"[present:sources={number}] {found[1]}, {found[2]} | {found[3]}"
    elif found := _LIES.fullmatch(line):
        yield f"[state:{found[1]}:object:sources={number}] location={found[2]}"
    elif found := _ENTERED.fullmatch(line):
        yield f"[enter:sources={number}] {found[1]} | {found[2]}"
    elif found := _EXITED.fullmatch(line):
        yield f"[leave:sources={number}] {found[1]} | {found[2]}"
    elif found := _MOVED.fullmatch(line):
        yield f"[state:{found[2]}:object:sources={number}] location={found[3]}"


if __name__ == "__main__":
    get(Path(sys.argv[1]))
