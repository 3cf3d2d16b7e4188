"""ToMi and OpenToM: people who come, go and move things (Le et al. 2019, Xu et al. 2024).

`python -m tests.bench.tomi FOLDER` gets both, which are not part of this project, with git;
`python -m tests.bench beliefs` measures on them when TAVERNKEEP_TOMI names the folder. ToMi's
stories are made by its own generator; OpenToM's are read by `tests/bench/opentom.py`.
"""

from __future__ import annotations

import importlib
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SOURCES = {
    "tomi": "https://github.com/facebookresearch/ToMi",
    "opentom": "https://github.com/seacowx/OpenToM",
}
FOLDER_VARIABLE = "TAVERNKEEP_TOMI"
ROOM = re.compile(r"(?P<who>\w+) (?P<verb>entered|exited|is in) the (?P<place>.+?)\.?$")
MOVED = re.compile(r"(?P<who>\w+) moved the (?P<thing>.+?) to (?:the )?(?P<to>.+?)\.?$")
LIES = re.compile(r"The (?P<thing>.+?) is in the (?P<to>.+?)\.?$")
SEARCH = re.compile(r"Where will (\w+) look for the (.+?)\?")
THINKS = re.compile(r"Where does (\w+) think that (\w+) searches for the (.+?)\?")


@dataclass(frozen=True, slots=True)
class Asked:
    """Where somebody takes a thing to be. of: what they think of this other one, "" themselves.

    told: what the data says. in_order: what follows where each step happens when it is told; ""
    where that is not known apart. is_false: it is not where it really is.
    """

    who: str
    of: str
    thing: str
    told: str
    in_order: str = ""
    is_false: bool = False


@dataclass(frozen=True, slots=True)
class Noticing:
    """Whether who moves a thing takes another to have seen it, by the prose; where it is otherwise
    than it was. line: what a reading notes of it.
    """

    who: str
    is_seen: bool
    line: str


@dataclass(frozen=True, slots=True)
class BeliefStory:
    """told: messages. lines: what a reading of them gives, numbered from 1.

    is_sound: its labels were made in the order in which it is told. ToMi's generator lets a third
    person act when all else has happened, and then puts that into the middle of the story: whoever
    is on its list of observers by then "sees" with them where the thing is at the end. Two plots of
    OpenToM's call two people by one name. noticing: what more its prose says.
    """

    told: tuple[str, ...]
    lines: tuple[str, ...]
    questions: tuple[Asked, ...]
    is_sound: bool = True
    noticing: Noticing | None = None


def get(folder: Path) -> None:
    """Fetch both repositories into a folder."""
    for name, source in SOURCES.items():
        subprocess.run(["git", "clone", "--depth", "1", source, str(folder / name)], check=True)


def tomi(folder: Path, count: int, seed: int) -> Iterator[BeliefStory]:
    """Stories of the generator, as many of each of its three kinds, by its way of drawing them."""
    root = next(path.parent.parent for path in sorted(folder.rglob("tomi/oracle.py")))
    sys.path.insert(0, str(root))
    try:
        story, world = importlib.import_module("tomi.story"), importlib.import_module("tomi.world")
    finally:
        sys.path.remove(str(root))
    np.random.seed(seed)
    random.seed(seed)
    whole, quota = world.World(), dict.fromkeys(story.StoryType, count // len(story.StoryType))
    while any(quota.values()):
        whole.reset()
        stories, traces, kind = story.generate_story(whole)
        if quota[kind]:
            quota[kind] -= 1
            is_sound = "agent_2_enters" not in traces[0]
            yield _of_tomi([[line.render() for line in one] for one in stories], is_sound)


def _of_tomi(stories: Sequence[Sequence[str]], is_sound: bool) -> BeliefStory:
    told = tuple(stories[0][:-1])
    replay = Replay()
    for number, sentence in enumerate(told, 1):
        replay.step(number, sentence)
    questions = []
    for *_, asked in stories:
        text, answer, *_ = asked.split("\t")
        if found := THINKS.match(text):
            who, of, thing = found.groups()
        elif found := SEARCH.match(text):
            (who, thing), of = found.groups(), ""
        else:
            continue
        thought = replay.thought(who, of)
        questions.append(Asked(who, of, thing, answer, thought, answer != replay.real))
    return BeliefStory(told, tuple(replay.lines), tuple(questions), is_sound)


class Replay:
    """A story gone through as it is told: what lies in a room is seen by who is there or comes in.

    lines: what a reading notes. real: where the thing is.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.real = ""
        self._thing = self._room = ""
        self._at: dict[str, str] = {}
        self._thoughts: dict[tuple[str, str], str] = {}

    def thought(self, who: str, of: str = "") -> str:
        """Where somebody takes the thing to be, or takes another to look for it."""
        return self._thoughts.get((who, of), "")

    def step(self, number: int, sentence: str) -> None:
        """Take in one sentence."""
        if found := MOVED.match(sentence):
            self._lies(number, found["who"], found["to"])
        elif (found := LIES.match(sentence)) and not self._thing:
            # It is told where the two are whom the story is about.
            rooms = Counter(self._at.values())
            self._thing, self._room = found["thing"], rooms.most_common(1)[0][0]
            self._lies(number, self._room, found["to"])
        elif found := ROOM.match(sentence):
            who, place = found["who"], found["place"]
            kind = {"entered": "enter", "exited": "leave", "is in": "present"}[found["verb"]]
            self.lines.append(f"[{kind}:sources={number}] {who} | {place}")
            self._at.pop(who, None)
            if kind != "leave":
                self._at[who] = place
                if self._thing and place == self._room:
                    self._lies(number, who, self.real)

    def _lies(self, number: int, who: str, to: str) -> None:
        self.real = to
        self.lines.append(f"[shown:sources={number}] {who} | The {self._thing} is in the {to}.")
        there = [one for one, place in self._at.items() if place == self._room]
        for one in there:
            for other in there:
                self._thoughts[one, "" if one == other else other] = to


if __name__ == "__main__":
    get(Path(sys.argv[1]))
