"""What clearing a chat's memory takes away, counted beforehand, and what is put away already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.core.translation import trn
from app.story.messages import MessageRecap
from app.story.recaps import RunningVersion, SceneRecap, visible_versions
from app.story.story import Story


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What the user put away, and what the chat's file may therefore still hold.

    running: versions of the running recap. scene_recaps: versions by closing anchor. messages:
    recaps and marks as they were, by anchor. scenes: messages that closed a scene.
    """

    running: tuple[RunningVersion, ...] = ()
    scene_recaps: Mapping[str, tuple[SceneRecap, ...]] = field(default_factory=dict)
    messages: Mapping[str, tuple[MessageRecap, ...]] = field(default_factory=dict)
    scenes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Clearance:
    """Seven counts (spec/auto-recap.md §1.8).

    messages: those with anything at all. message_recaps: of texts that are shown. scene_recaps:
    scenes that have one. scene_breaks: hidden ones too. searched: ranges in which a model found no
    break. swipe_recaps: message recaps of texts that are not shown. running_versions: of the
    running recap.
    """

    messages: int = 0
    message_recaps: int = 0
    scene_recaps: int = 0
    scene_breaks: int = 0
    searched: int = 0
    swipe_recaps: int = 0
    running_versions: int = 0

    @property
    def parts(self) -> tuple[str, ...]:
        """What there is of it in words, without what is not there."""
        counted = (
            (
                self.messages,
                trn("{n} message with data", "{n} messages with data", self.messages),
            ),
            (
                self.message_recaps,
                trn("{n} message recap", "{n} message recaps", self.message_recaps),
            ),
            (
                self.swipe_recaps,
                trn("{n} recap of another swipe", "{n} recaps of other swipes", self.swipe_recaps),
            ),
            (self.scene_breaks, trn("{n} scene break", "{n} scene breaks", self.scene_breaks)),
            (self.scene_recaps, trn("{n} scene recap", "{n} scene recaps", self.scene_recaps)),
            (
                self.searched,
                trn(
                    "{n} stretch searched for breaks",
                    "{n} stretches searched for breaks",
                    self.searched,
                ),
            ),
            (
                self.running_versions,
                trn(
                    "{n} running recap version",
                    "{n} running recap versions",
                    self.running_versions,
                ),
            ),
        )
        return tuple(words for n, words in counted if n)

    def __bool__(self) -> bool:
        return any(
            (
                self.messages,
                self.message_recaps,
                self.scene_recaps,
                self.scene_breaks,
                self.searched,
                self.swipe_recaps,
                self.running_versions,
            )
        )


def as_shown(counted: Clearance, story: Story) -> Clearance:
    """What of it the pages show, so that numbers agree: scenes that there are, their recaps,
    versions of the running recap that are offered. Marks that nobody sees are not counted, unless
    there is nothing else.
    """
    ended = [scene for scene in story.scenes if scene.is_closed]
    shown = replace(
        counted,
        messages=0,
        scene_breaks=len(ended),
        scene_recaps=sum(story.scene_recap(scene) is not None for scene in ended),
        searched=0,
        swipe_recaps=0,
        running_versions=len(visible_versions(story.running.versions, story.places)),
    )
    return shown or counted
