"""What a request shows: which task it is, which messages of the story, and which numbered entries.

Requests are told apart by words that programs which stand in for a model rely on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tests.oracle.gold import folded

ARCS, KNOWING = "Open arcs:", "Who knows what:"
WINDOW = re.compile(r"<messages>\n(.*?)\n</messages>", re.DOTALL)
SCENE = re.compile(r"<scene>\n(.*?)\n?</scene>", re.DOTALL)
EARLIER = re.compile(r"<earlier>\n(.*?)\n?</earlier>", re.DOTALL)
RECAP = re.compile(r"<recap>\n(.*?)\n?</recap>", re.DOTALL)
NEW_FROM = re.compile(r"Messages before \[(\d+)\]")
MESSAGE_HEAD = re.compile(r"^\[(\d+)\] ", re.MULTILINE)
SCENE_HEAD = re.compile(r"^\[[A-Z][A-Z ]+(?::[^\]\n]*)?\]\n", re.MULTILINE)
LISTED = re.compile(r"^(\d+)\. (.*)$")
LOOKED_AT = re.compile(r"<entries>\n(.*?)\n?</entries>", re.DOTALL)
SCENES = re.compile(r"<scenes>\n(.*?)\n?</scenes>", re.DOTALL)
OF_SCENE = re.compile(r" \(scene \d+\)$")
NUMBERED_SCENE = re.compile(r"^Scene (\d+): ", re.MULTILINE)
CUT = "…"
FEWEST_SIGNS = 30  # of a message by which a cut one is known again


class Task(StrEnum):
    """What a model is asked for."""

    PASS = "memory pass"
    SCENE = "scene recap"
    RUNNING = "running recap"
    BOTH = "recap and fold"
    MERGE = "merging of notes"
    COMPARISON = "comparison"
    BREAKS = "scene breaks"
    ENDS = "scene ends"
    PORTRAITS = "portraits"
    KEYWORDS = "keywords"
    THREADS = "threads"
    HISTORY = "history"
    UPKEEP = "look through"
    OTHER = "other"


BY_WORDS: Mapping[str, Task] = {
    "[PROFILE <A>]": Task.PORTRAITS,
    "find keywords that call each one up": Task.KEYWORDS,
    "[1: RESOLVED]": Task.THREADS,
    "You keep the history of a character": Task.HISTORY,
    "Say which notes no longer hold": Task.UPKEEP,
}


@dataclass(frozen=True, slots=True)
class Window:
    """The messages of a memory request. numbers: by index in the story. new_from: the first number
    that was not noted before.
    """

    numbers: Mapping[int, int]
    new_from: int


class Places:
    """Finds shown messages in a story, whatever their form."""

    def __init__(self, messages: Sequence[Mapping[str, Any]]) -> None:
        self._texts = [flat(str(message["mes"])) for message in messages]
        self._at: dict[str, list[int]] = {}
        for index, text in enumerate(self._texts):
            self._at.setdefault(text, []).append(index)

    def of(self, shown: Sequence[str]) -> list[int | None]:
        """The index of each shown text, None for one that is not in the story. They stand in the
        order of the story, so that one that comes twice is found near the others.
        """
        candidates = [self._candidates(flat(text)) for text in shown]
        found = [n for n, places in enumerate(candidates) if places]
        if not found:
            return [None] * len(shown)
        anchor = min(found, key=lambda n: (len(candidates[n]), -len(shown[n])))
        ways = [_walked(candidates, anchor, place) for place in candidates[anchor]]
        return max(ways, key=_fit)

    def _candidates(self, text: str) -> list[int]:
        if text in self._at:
            return self._at[text]
        bare = text.removeprefix(CUT).removesuffix(CUT).strip()
        if len(bare) < FEWEST_SIGNS:
            return []
        head = bare[: 2 * FEWEST_SIGNS]
        return [
            index
            for index, told in enumerate(self._texts)
            if told.startswith(head) or (bare != text and bare in told)
        ]


def task_of(user: str, whole: str) -> Task:
    """What a request asks for. user: its last message; whole: all of them."""
    if WINDOW.search(user) and NEW_FROM.search(user):
        return Task.PASS
    if EARLIER.search(user) and SCENE.search(user):
        return Task.BOTH
    if RECAP.search(user) and SCENE.search(user):
        return Task.RUNNING
    if "JSON object for this scene" in user:
        return Task.SCENE
    if "Write the lines that merge the notes" in user:
        return Task.MERGE
    if "UPDATE" in whole and "INDEPENDENT" in whole:
        return Task.COMPARISON
    if "scenebreakat" in whole.casefold():
        return Task.BREAKS
    if '"sceneEnds"' in whole:
        return Task.ENDS
    return next((task for words, task in BY_WORDS.items() if words in whole), Task.OTHER)


def window_of(text: str, places: Places) -> Window:
    """The messages of a memory request."""
    found = WINDOW.search(text)
    parts = list(_numbered(found[1] if found else ""))
    bodies = [body.partition(": ")[2] or body for _, body in parts]
    where = places.of(bodies)
    numbers = {
        place: number for (number, _), place in zip(parts, where, strict=True) if place is not None
    }
    new_from = NEW_FROM.search(text)
    return Window(numbers, int(new_from[1]) if new_from else 1)


def scene_of(text: str, places: Places) -> list[int]:
    """The indexes of the messages of a scene recap's request."""
    found = SCENE.search(text)
    bodies = SCENE_HEAD.split(found[1] if found else "")[1:]
    return [place for place in places.of(bodies) if place is not None]


def listed(text: str, heading: str) -> dict[str, str]:
    """Numbered entries below a heading, wherever it stands: the number by the entry."""
    entries: dict[str, str] = {}
    inside = False
    for line in text.splitlines():
        found = LISTED.match(line)
        if inside and found:
            entries[found[2].strip()] = found[1]
        else:
            inside = line.strip() == heading
    return entries


def looked_through(text: str) -> tuple[dict[str, int], dict[int, list[str]]]:
    """The entries that a look through memory shows, with their numbers, and its scenes by theirs,
    line by line.
    """
    found, told = LOOKED_AT.search(text), SCENES.search(text)
    listed = map(LISTED.match, found[1].splitlines() if found else ())
    entries = {OF_SCENE.sub("", line[2]): int(line[1]) for line in listed if line}
    parts = NUMBERED_SCENE.split(told[1] if told else "")[1:]
    scenes = {int(n): body.splitlines() for n, body in zip(parts[::2], parts[1::2], strict=True)}
    return entries, scenes


def ends_of(scenes: Mapping[int, Sequence[str]], until: Mapping[str, int]) -> dict[int, int]:
    """The last message of each scene. until: that of the scene that a recap's entry tells of."""
    last = {
        number: max((until.get(line.strip(), -1) for line in lines), default=-1)
        for number, lines in scenes.items()
    }
    return {number: place for number, place in last.items() if place >= 0}


def entry_key(entry: str) -> str:
    """By what an entry is known again: who-knows-what without what is told at length."""
    head, pipe, rest = entry.partition("|")
    if not pipe:
        return folded(entry)
    return f"{folded(head)}|{folded(rest.partition('|')[0])}"


def flat(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def _numbered(window: str) -> Iterator[tuple[int, str]]:
    """Numbers and bodies; a message may itself hold a line that begins like one."""
    heads: list[re.Match[str]] = []
    for head in MESSAGE_HEAD.finditer(window):
        if not heads or int(head[1]) == int(heads[-1][1]) + 1:
            heads.append(head)
    ends = [head.start() for head in heads[1:]] + [len(window)]
    for head, end in zip(heads, ends, strict=True):
        yield int(head[1]), window[head.end() : end]


def _walked(candidates: Sequence[Sequence[int]], anchor: int, place: int) -> list[int | None]:
    """From one message that is known to the others, each the nearest that is left."""
    found: list[int | None] = [None] * len(candidates)
    found[anchor] = here = place
    for n in range(anchor + 1, len(candidates)):
        later = min((p for p in candidates[n] if p > here), default=None)
        if later is not None:
            found[n] = here = later
    here = place
    for n in range(anchor - 1, -1, -1):
        earlier = max((p for p in candidates[n] if p < here), default=None)
        if earlier is not None:
            found[n] = here = earlier
    return found


def _fit(found: Sequence[int | None]) -> tuple[int, int]:
    places = [place for place in found if place is not None]
    return len(places), min(places) - max(places)
