"""Turns the requests that a language model answered into notes with absolute message numbers.

A folder holds req-0001.txt, ans-0001.txt and so on, as tests.answers.queue_server writes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.answers.notes import Note, RecordedNotes, SceneNote, recap_of
from tests.answers.request_counts import Exchange
from tests.answers.shown import (
    ARCS,
    KNOWING,
    Places,
    Task,
    ends_of,
    listed,
    looked_through,
    scene_of,
    task_of,
    window_of,
)

LINE = re.compile(r"\[([^\]]*)\]\s*(.*)")
SOURCES = re.compile(r":sources=([\d,]+)")
NUMBER = re.compile(r"\d+")
OVER = re.compile(r"([\d, ]+?)\s*\|\s*(\d+)\s*\|\s*(.+)")
USER = "=== user ===\n"


@dataclass(frozen=True, slots=True)
class Answered:
    """One request of a queue with its answer. text: all messages, each below its role."""

    number: int
    text: str
    answer: str

    @property
    def user(self) -> str:
        """What the user's message says."""
        return self.text.partition(USER)[2].rstrip("\n")


def answered_in(folder: Path) -> Iterator[Answered]:
    """The requests that have an answer, in the order in which they came."""
    for request in sorted(folder.glob("req-*.txt")):
        answer = folder / request.name.replace("req", "ans")
        if answer.exists():
            text = request.read_text(encoding="utf-8").partition("\n")[2]
            yield Answered(int(request.stem[4:]), text, answer.read_text(encoding="utf-8"))


def exchanges_in(folder: Path) -> Iterator[Exchange]:
    """The same to be counted."""
    for one in answered_in(folder):
        yield Exchange(_task(one).value, one.text, one.answer)


def recorded_in(folder: Path, story: Mapping[str, Any]) -> RecordedNotes:
    """What the answers note of the story. Of a scene that was asked for twice the last counts."""
    places = Places(story["messages"])
    notes: list[Note] = []
    scenes: dict[tuple[int, int], SceneNote] = {}
    for one in answered_in(folder):
        task = _task(one)
        if task is Task.PASS:
            notes += _notes(one, places)
        elif task in (Task.SCENE, Task.BOTH) and (scene := _scene(one, places)) is not None:
            scenes[scene.first, scene.last] = scene
        elif task is Task.UPKEEP:
            until = {e: one.last for one in scenes.values() for e in one.recap.entries}
            notes += _looked_through(one, until)
    return RecordedNotes(tuple(notes), tuple(scenes[key] for key in sorted(scenes)))


def _task(one: Answered) -> Task:
    return task_of(one.user, one.text)


def _notes(one: Answered, places: Places) -> Iterator[Note]:
    window = window_of(one.user, places)
    if not window.numbers:
        return
    where = {number: place for place, number in window.numbers.items()}
    entries = {
        heading: {int(number): entry for entry, number in listed(one.user, heading).items()}
        for heading in (ARCS, KNOWING)
    }
    reads = max(window.numbers)
    for line in one.answer.splitlines():
        found = LINE.match(line.strip())
        if not found:
            continue
        sources = SOURCES.search(found[1])
        numbers = map(int, NUMBER.findall(sources[1] if sources else ""))
        note = Note(
            SOURCES.sub("", found[1]),
            found[2],
            tuple(where[number] for number in numbers if number in where),
            reads,
        )
        ended = _ended(note, entries)
        if ended is not None:
            yield ended


def _ended(note: Note, entries: Mapping[str, Mapping[int, str]]) -> Note | None:
    """A note with the texts of what it ends; None where it ends nothing that was listed."""
    if note.kind == "retire":
        numbers, text, known = NUMBER.findall(note.text), note.text, entries[KNOWING]
    elif note.kind == "resolved":
        which, _, text = note.text.partition("|")
        numbers, text, known = [which.strip()], text.strip(), entries[ARCS]
    else:
        return note
    ends = tuple(known[int(n)] for n in numbers if n.isdigit() and int(n) in known)
    return Note(note.tag, text, note.sources, note.reads, ends) if ends else None


def _looked_through(one: Answered, until: Mapping[str, int]) -> Iterator[Note]:
    """What a look through memory ends, at the last message of the scene that ended it."""
    entries, scenes = looked_through(one.user)
    by_number, last = {number: entry for entry, number in entries.items()}, ends_of(scenes, until)
    for line in one.answer.splitlines():
        found = OVER.match(line.strip())
        if found and int(found[2]) in last:
            numbers = map(int, NUMBER.findall(found[1]))
            ends = tuple(by_number[number] for number in numbers if number in by_number)
            yield Note("upkeep", found[3].strip(), (), last[int(found[2])], ends)


def _scene(one: Answered, places: Places) -> SceneNote | None:
    where = scene_of(one.user, places)
    begin, end = one.answer.find("{"), one.answer.rfind("}")
    try:
        data = json.loads(one.answer[begin : end + 1])
        recap = recap_of(data["recap"])
        name = str(data["name"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return SceneNote(min(where), max(where), name, recap) if where and recap.entries else None
