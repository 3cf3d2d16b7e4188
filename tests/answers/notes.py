"""What a language model noted of a story, with absolute message numbers, and how it is kept.

A file holds a list of notes, or {"notes": [...], "scenes": [...]}:

    {"tag": "fact:3:permanent:entity=<A>/character", "text": "...", "sources": [4, 5], "reads": 23}
    {"first": 0, "last": 23, "name": "...", "recap": {"developments": [], "open": [], "state": []}}

sources: indexes of messages. reads: the last message that was shown. ends: of resolved and retire
notes, the entries that they end, as a request lists them without their numbers. A note with the tag
"upkeep" is of a look through memory: it ends its entries at the end of the scene that closes with
the message `reads`, and has no sources.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PARTS = ("developments", "open", "state")
FOLDER = Path(__file__).parents[1] / "data" / "notes"


class NotesUnreadable(Exception):
    """A file holds no notes; says which and why."""


@dataclass(frozen=True, slots=True)
class Note:
    """One line of an answer. tag: what stood in its brackets, without sources."""

    tag: str
    text: str
    sources: tuple[int, ...]
    reads: int
    ends: tuple[str, ...] | None = None

    @property
    def kind(self) -> str:
        """The first word of the tag: fact, arc, knows, state and so on."""
        return self.tag.partition(":")[0]


@dataclass(frozen=True, slots=True)
class RecapAnswer:
    """What a model wrote of a scene or of a story so far; entries in their order."""

    developments: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    state: tuple[str, ...] = ()

    @property
    def entries(self) -> tuple[str, ...]:
        """All of them, whatever their part."""
        return (*self.developments, *self.open, *self.state)

    def as_json(self) -> dict[str, list[str]]:
        """As answers hold it."""
        return {part: list(getattr(self, part)) for part in PARTS}


@dataclass(frozen=True, slots=True)
class SceneNote:
    """The answer to a scene's recap. first, last: indexes of its messages."""

    first: int
    last: int
    name: str
    recap: RecapAnswer

    @property
    def places(self) -> range:
        """The scene's messages."""
        return range(self.first, self.last + 1)


@dataclass(frozen=True, slots=True)
class RecordedNotes:
    """All that was noted of one story, in the order in which it was answered."""

    notes: tuple[Note, ...]
    scenes: tuple[SceneNote, ...] = ()


def notes_path(story: Path) -> Path:
    """Where the notes of a story are: beside it, otherwise among those of the tests."""
    beside = story.with_name(f"{story.stem}.notes.json")
    return beside if beside.exists() else FOLDER / f"{story.stem}.json"


def read_notes(path: Path) -> RecordedNotes:
    """The notes in a file. Raises NotesUnreadable."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        notes, scenes = (data, ()) if isinstance(data, list) else (data["notes"], data["scenes"])
        return RecordedNotes(tuple(map(_note, notes)), tuple(map(_scene, scenes)))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotesUnreadable(f"{path} holds no notes of a story: {error}") from error


def write_notes(path: Path, recorded: RecordedNotes) -> None:
    """Keep notes in a file, one a line."""
    notes = [_json(note) for note in recorded.notes]
    scenes = [_scene_json(scene) for scene in recorded.scenes]
    text = f'{{"notes": [\n{_lines(notes)}\n], "scenes": [\n{_lines(scenes)}\n]}}\n'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def recap_of(data: Mapping[str, Any]) -> RecapAnswer:
    """A recap from an answer's object; what is no list of texts is left out."""
    found: dict[str, tuple[str, ...]] = {}
    for part in PARTS:
        entries = data.get(part)
        found[part] = tuple(map(str, entries)) if isinstance(entries, list) else ()
    return RecapAnswer(**found)


def _note(data: Mapping[str, Any]) -> Note:
    ends = tuple(e for e in data["ends"] if e) if "ends" in data else None
    return Note(data["tag"], data["text"], tuple(data["sources"]), data["reads"], ends)


def _scene(data: Mapping[str, Any]) -> SceneNote:
    return SceneNote(data["first"], data["last"], data["name"], recap_of(data["recap"]))


def _json(note: Note) -> dict[str, object]:
    data: dict[str, object] = {
        "tag": note.tag,
        "text": note.text,
        "sources": list(note.sources),
        "reads": note.reads,
    }
    return data if note.ends is None else data | {"ends": list(note.ends)}


def _scene_json(scene: SceneNote) -> dict[str, object]:
    recap = scene.recap.as_json()
    return {"first": scene.first, "last": scene.last, "name": scene.name, "recap": recap}


def _lines(items: Sequence[Mapping[str, object]]) -> str:
    return ",\n".join(json.dumps(item, ensure_ascii=False) for item in items)
