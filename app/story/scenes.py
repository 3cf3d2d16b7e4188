"""Scenes and the breaks that close them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from app.story.messages import Message, combined_digest, places_of

NO_CUES = frozenset({"", "hand", "model", "import"})  # of breaks that no cue in the text found
LONGEST_NAME, NAME_CUT = 50, 47  # characters of a name that was given by itself


class BreakOrigin(StrEnum):
    """Who found a scene break."""

    HAND = "hand"
    HEURISTIC = "heuristic"
    MODEL = "model"
    IMPORT = "import"  # found in the chat's own data (ST-Auto-Recap)


@dataclass(frozen=True, slots=True)
class SceneBreak:
    """A mark on the LAST message of a scene (spec/auto-recap.md, glossary).

    anchor: that message. cue: why it was found (time, place, cast, separator, fade, sleep, shift,
    hand). confidence: 0 to 1. A hidden break (is_visible false) keeps its data and closes nothing.
    rationale: why a model set it, in its own words, "" for the others. is_named: the user gave the
    name.
    """

    anchor: str
    origin: BreakOrigin
    cue: str = ""
    confidence: float = 1.0
    name: str = ""
    is_visible: bool = True
    is_collapsed: bool = False
    rationale: str = ""
    is_named: bool = False

    @property
    def has_given_name(self) -> bool:
        """Whether somebody gave the name, and no cue."""
        is_found = self.origin is BreakOrigin.HEURISTIC or self.cue not in NO_CUES
        return bool(self.name) and (self.is_named or not is_found)


@dataclass(frozen=True, slots=True)
class Scene:
    """A run of messages, `first` to `last` inclusive, both indexes into the story.

    number: 1 for the first scene. closing: the break that ends it, None while it is open.
    """

    number: int
    first: int
    last: int
    closing: SceneBreak | None

    @property
    def is_closed(self) -> bool:
        return self.closing is not None

    @property
    def name(self) -> str:
        return self.closing.name if self.closing else ""

    @property
    def length(self) -> int:
        """Messages in the scene."""
        return self.last - self.first + 1


def scenes_of(messages: Sequence[Message], breaks: Mapping[str, SceneBreak]) -> tuple[Scene, ...]:
    """Cut the story at its visible breaks.

    breaks: by anchor; those of messages that are gone, and hidden ones, cut nothing. The last
    scene is open unless a break stands on the last message.
    """
    scenes: list[Scene] = []
    first = 0
    for anchor, index in places_of(messages, breaks).items():
        closing = breaks[anchor]
        if closing.is_visible:
            scenes.append(Scene(len(scenes) + 1, first, index, closing))
            first = index + 1
    if first < len(messages):
        scenes.append(Scene(len(scenes) + 1, first, len(messages) - 1, None))
    return tuple(scenes)


def scenes_after(
    scenes: Sequence[Scene],
    messages: Sequence[Message],
    breaks: Mapping[str, SceneBreak],
    head: int,
) -> tuple[Scene, ...]:
    """What `scenes_of` gives, where the first `head` messages and all breaks are as they were when
    it gave `scenes`.
    """
    kept = bisect_left(scenes, head, key=lambda scene: scene.last)
    if kept and scenes[kept - 1].closing is None:
        kept -= 1
    found = list(scenes[:kept])
    first = found[-1].last + 1 if found else 0
    for index in range(head, len(messages)):
        closing = breaks.get(messages[index].anchor)
        if closing is not None and closing.is_visible:
            found.append(Scene(len(found) + 1, first, index, closing))
            first = index + 1
    if first < len(messages):
        found.append(Scene(len(found) + 1, first, len(messages) - 1, None))
    return tuple(found)


def scene_digest(messages: Iterable[Message]) -> str:
    """Digest of what a scene recap is made from; an edit, swipe or hide inside changes it."""
    return combined_digest(*(f"{m.name}\0{m.content_hash}" for m in messages))


def automatic_name(name: str, scene: Scene | None = None) -> str:
    """The name that a scene is given by itself, "" for none (spec/auto-recap.md §4.3).

    scene: its message numbers go behind the name; None for the name alone.
    """
    name = " ".join(name.split()).strip("\"'")
    if len(name) > LONGEST_NAME:
        name = f"{name[:NAME_CUT]}..."
    return f"{name} {scene.first}-{scene.last}" if name and scene is not None else name


def places_of_break(
    messages: Sequence[Message], breaks: Mapping[str, SceneBreak], anchor: str
) -> range:
    """Indexes that a visible break may be moved to: both of its scenes keep a message.

    Empty when no visible break stands on that message.
    """
    scenes = scenes_of(messages, breaks)
    for scene, behind in zip(scenes, [*scenes[1:], None], strict=True):
        if scene.closing is not None and scene.closing.anchor == anchor:
            return range(scene.first, behind.last if behind is not None else scene.last + 1)
    return range(0)


def moved_break(
    breaks: Mapping[str, SceneBreak], start: str, end: str
) -> tuple[SceneBreak, SceneBreak]:
    """A break taken from one message to another, with its name: what is left, what is new.

    What is left is hidden and keeps its data, so that nobody finds a break there again.
    """
    old = breaks[start]
    left = replace(old, origin=BreakOrigin.HAND, is_visible=False)
    is_found = bool(old.name) and not old.has_given_name  # the cue says that, of the name
    new = SceneBreak(
        end,
        BreakOrigin.HAND,
        old.cue if is_found else "hand",
        name=old.name,
        is_collapsed=old.is_collapsed,
        is_named=old.is_named,
    )
    return left, new
