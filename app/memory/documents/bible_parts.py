"""What a story bible is made of, and who decides what may stand in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from app.core.translation import tr
from app.memory.epistemic.map_view import EpistemicMapView
from app.memory.records import Document, Entity, Grounding, Tier
from app.memory.standing import Standing
from app.story.scenes import Scene
from app.story.story import Story


@dataclass(frozen=True, slots=True)
class Item:
    """One line. lead: what it is about, before it. note: where it comes from, behind it."""

    text: str
    lead: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """Paragraphs, then lines; title: "" for none."""

    title: str = ""
    text: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A chapter or, within one, a section. note: beside the title."""

    title: str
    blocks: tuple[Block, ...] = ()
    parts: tuple[Part, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bible:
    """A whole one. about: sentences under its title."""

    title: str
    about: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What there is to tell, as it stands at message `at`."""

    story: Story
    memories: tuple[Standing, ...]
    entities: tuple[Entity, ...]
    documents: tuple[Document, ...]
    minds: EpistemicMapView
    at: int

    def active(self, tier: Tier) -> Iterator[Standing]:
        """The memories of a tier that hold."""
        return (s for s in self.memories if s.memory.tier is tier and s.is_active)


class Telling(Protocol):
    """Decides what may be told. person: whose knowledge it is bound by, "" for nobody's."""

    @property
    def person(self) -> str: ...

    def allows(self, standing: Standing) -> bool:
        """Whether a memory may be told."""

    def allows_text(self, text: str) -> bool:
        """Whether a sentence of a recap may be told."""

    def saw_scene(self, scene: Scene) -> bool:
        """Whether what happens in a scene may be told."""

    def has_met(self, name: str) -> bool:
        """Whether somebody may be named."""


class _Everything:
    """Tells all."""

    person = ""

    def allows(self, standing: Standing) -> bool:
        return True

    def allows_text(self, text: str) -> bool:
        return True

    def saw_scene(self, scene: Scene) -> bool:
        return True

    def has_met(self, name: str) -> bool:
        return True


EVERYTHING: Telling = _Everything()
UNSAID = (Grounding.YOURS, Grounding.IMPORTED)  # no message need say so


def place(standing: Standing) -> str:
    """From which message to which it holds: "#12", "#12 to #40", "" for before the story; or that
    another chat says so, which who reads it cannot know.
    """
    first, last = standing.start, standing.end
    memory = standing.memory
    if first < 0 and memory.sources and memory.grounding not in UNSAID:
        return tr("other chat")
    if last is None:
        return f"#{first}" if first >= 0 else ""
    return (
        tr("#{first} to #{last}", first=first, last=last)
        if first >= 0
        else tr("to #{last}", last=last)
    )


def scene_title(scene: Scene, name: str) -> str:
    """What heads a scene. name: "" for one without."""
    if name:
        return tr("Scene {number}: {name}", number=scene.number, name=name)
    return tr("Scene {number}", number=scene.number)


def with_ending(thread: str, how: str) -> str:
    """A thread and how it ended, "" where nobody says how."""
    return f"{thread} — {how}" if how else thread
