"""Of which messages a passage may be: of none that is sent, nor that the responder cannot know.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from app.memory.names import folded
from app.prompt.occasion import Occasion
from app.story.messages import MessageKind
from app.story.recaps import injected_version
from app.story.story import ChatKind, Story

TOLD = (MessageKind.CHAT, MessageKind.NARRATOR)


def scene_around(story: Story, index: int) -> range:
    """Indexes of the scene that holds a message; what no scene holds is one of its own."""
    scene = story.scene_at(index)
    if scene is not None:
        return range(scene.first, scene.last + 1)
    end = story.scenes[-1].last + 1 if story.scenes else 0
    return range(end, len(story.messages)) if index >= end else range(index, index + 1)


class PassagePlaces:
    """In a group the responder knows the scenes in which they speak, and of those not what a
    memory says they did not witness.
    """

    def __init__(self, occasion: Occasion) -> None:
        self._occasion = occasion
        self._story = occasion.story
        self._scenes: dict[int, bool] = {}

    def has(self, index: int) -> bool:
        """Whether a passage may be of this message."""
        message = self._story.messages[index]
        if message.kind not in TOLD:
            return False
        is_sent = not message.is_hidden and index >= self._occasion.sent_from
        return not is_sent and not self._is_hidden_by_hand(index) and self._is_known(index)

    def _is_hidden_by_hand(self, index: int) -> bool:
        """What gave way to its recap stands among others that did; what the user hid stands alone,
        and stays hidden.
        """
        messages = self._story.messages
        if not messages[index].is_hidden:
            return False
        around = messages[max(0, index - 1) : index + 2]
        return index >= self._told_by_recap or not all(
            message.is_hidden for message in around if message.kind is MessageKind.CHAT
        )

    @cached_property
    def _told_by_recap(self) -> int:
        """Index behind the last message that the injected running recap tells of."""
        version = injected_version(self._story.running, self._story.places)
        return 0 if version is None else self._story.places.get(version.last_anchor, -1) + 1

    def _is_known(self, index: int) -> bool:
        occasion = self._occasion
        if occasion.story.chat.kind is not ChatKind.GROUP or occasion.is_by_user:
            return True
        if index in self._missed:
            return False
        scene = scene_around(self._story, index)
        if scene.start not in self._scenes:
            self._scenes[scene.start] = self._spoke_in(scene)
        return self._scenes[scene.start]

    def _spoke_in(self, scene: range) -> bool:
        """Whether the responder did; of nobody in particular, whether all members did."""
        spoke = {folded(m.name) for m in self._story.messages[scene.start : scene.stop]}
        if self._occasion.responder_names:
            return not self._occasion.responder_names.isdisjoint(spoke)
        return spoke.issuperset(map(folded, self._story.chat.speakers))

    @cached_property
    def _missed(self) -> frozenset[int]:
        return frozenset(_missed(self._occasion))


def _missed(occasion: Occasion) -> Iterator[int]:
    """Messages of which a memory says who witnessed them, and not the responder."""
    for standing in occasion.told.standings:
        memory = standing.memory
        if memory.witnessed_by and not occasion.was_there(memory):
            for source in memory.sources:
                place = occasion.places.get(source.anchor)
                if source.chat == occasion.told.chat and place is not None:
                    yield place
