"""Which messages the one who answers was there for. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from app.memory.names import folded
from app.story.messages import Message, MessageKind
from app.story.story import ChatKind, Story


def scene_around(story: Story, index: int) -> range:
    """Indexes of the scene that holds a message; what no scene holds is one of its own."""
    scene = story.scene_at(index)
    if scene is not None:
        return range(scene.first, scene.last + 1)
    end = story.scenes[-1].last + 1 if story.scenes else 0
    return range(end, len(story.messages)) if index >= end else range(index, index + 1)


class Presence:
    """In a group the responder knows the scenes in which they speak, and of those not what a
    memory says they did not witness; alone with the user they know every message.

    names: of the responder, folded; none for nobody in particular, who knows what all members do.
    missed: indexes of the messages that a memory says they did not witness.
    """

    def __init__(self, story: Story, names: frozenset[str], missed: Collection[int]) -> None:
        self._story = story
        self._names = names
        self._missed = missed
        self._scenes: dict[int, bool] = {}

    def knows(self, index: int) -> bool:
        """Whether the responder was there for a message."""
        if self._story.chat.kind is not ChatKind.GROUP:
            return True
        if index in self._missed:
            return False
        scene = scene_around(self._story, index)
        if scene.start not in self._scenes:
            self._scenes[scene.start] = self._spoke_in(scene)
        return self._scenes[scene.start]

    def _spoke_in(self, scene: range) -> bool:
        spoke = {folded(m.name) for m in self._story.messages[scene.start : scene.stop]}
        if self._names:
            return not self._names.isdisjoint(spoke)
        members = self._story.chat.speakers or writers(self._story)
        return spoke.issuperset(map(folded, members))


def only_writer(story: Story) -> tuple[str, ...]:
    """The name under which all of a story is written that is not the user's, () for several."""
    first = next((m.name for m in story.messages if _is_of_character(m)), None)
    return () if first is None or story.places.where(Besides(first)) else (first,)


def _is_of_character(message: Message) -> bool:
    return not message.is_user and message.kind is MessageKind.CHAT


def writers(story: Story) -> tuple[str, ...]:
    """The names under which a story is written that are not the user's."""
    return tuple(dict.fromkeys(m.name for m in story.messages if _is_of_character(m)))


@dataclass(frozen=True, slots=True)
class Besides:
    """Whether a message is written by a character of another name."""

    name: str

    def __call__(self, message: Message) -> bool:
        return _is_of_character(message) and message.name != self.name
