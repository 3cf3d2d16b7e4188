"""A chat with all that Tavernkeep knows of it, frozen at one moment."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from app.story.inclusion import Inclusion
from app.story.messages import Message, MessageRecap
from app.story.places import Places
from app.story.recaps import YOU, RunningRecap, SceneRecap, injected_version
from app.story.scene_names import given_name, scene_names
from app.story.scenes import Scene, SceneBreak


class ChatKind(StrEnum):
    """How SillyTavern keeps the chat."""

    SOLO = "solo"
    GROUP = "group"
    FILE = "file"  # outside of any tavern


@dataclass(frozen=True, slots=True)
class ChatRef:
    """Which chat: its file, and the names that its path and cards give it.

    user_folder: the tavern it belongs to, None for a file outside. owner: card file name without
    .png, or group id. owner_name: the character's or group's display name. title: file name
    without .jsonl. speakers: display names of the characters.
    """

    path: Path
    kind: ChatKind
    title: str
    owner: str = ""
    owner_name: str = ""
    speakers: tuple[str, ...] = ()
    user_folder: Path | None = None

    @property
    def owner_key(self) -> str:
        """Names the character or group among all of all taverns, "" for a file outside."""
        if self.user_folder is None or not self.owner:
            return ""
        return f"{self.user_folder}/{self.kind.value}/{self.owner}"


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line of a chat file that could not be read as a message."""

    line: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Recapped:
    """What is known of which scenes have a recap that counts.

    count: so many, from the first. last: the last of them. recaps: by which they have.
    """

    count: int = 0
    last: Scene | None = None
    recaps: Mapping[str, tuple[SceneRecap, ...]] | None = None

    @classmethod
    def of(
        cls,
        scenes: Sequence[Scene],
        recaps: Mapping[str, tuple[SceneRecap, ...]],
        before: Recapped,
    ) -> Recapped:
        """Of these scenes, beginning where `before` ended, if that is true of them, too."""
        count = before.count if before.is_of(scenes, recaps) else 0
        while count < len(scenes) and (closing := scenes[count].closing) is not None:
            if not any(recap.is_current for recap in recaps.get(closing.anchor, ())):
                break
            count += 1
        return cls(count, scenes[count - 1] if count else None, recaps)

    def is_of(self, scenes: Sequence[Scene], recaps: Mapping[str, tuple[SceneRecap, ...]]) -> bool:
        """Whether it is true of these scenes. Those that end alike begin alike, too."""
        count = self.count
        return recaps is self.recaps and 0 < count <= len(scenes) and scenes[count - 1] is self.last


@dataclass(frozen=True, slots=True)
class Story:
    """Everything the window and the prompt need of one chat.

    message_tokens and inclusion run parallel to messages. recaps: versions, oldest first, by the
    anchor that closes the scene. message_recaps: by anchor. has_ranges_in_names: names that scenes
    were given by themselves end with the scene's message numbers. recapped: what may be known of
    scenes and recaps. places: index by anchor; made of the messages where none are given, or those
    of others. names: of scenes by their numbers, once somebody asks for one.
    """

    chat: ChatRef
    messages: tuple[Message, ...] = ()
    breaks: dict[str, SceneBreak] = field(default_factory=dict)
    scenes: tuple[Scene, ...] = ()
    recaps: dict[str, tuple[SceneRecap, ...]] = field(default_factory=dict)
    running: RunningRecap = field(default_factory=RunningRecap)
    message_recaps: dict[str, MessageRecap] = field(default_factory=dict)
    inclusion: tuple[Inclusion, ...] = ()
    message_tokens: tuple[int, ...] = ()
    problems: tuple[LineProblem, ...] = ()
    has_ranges_in_names: bool = False
    recapped: Recapped = field(default=Recapped(), compare=False, repr=False)
    places: Places = field(default_factory=Places, compare=False, repr=False)
    names: dict[int, str] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.places.messages is not self.messages:
            object.__setattr__(self, "places", Places(self.messages))

    @property
    def unrecapped_from(self) -> int:
        """Scenes before this one, counted from 0, have a recap that counts; some behind it may."""
        return self.recapped.count if self.recapped.is_of(self.scenes, self.recaps) else 0

    def scene_name(self, scene: Scene) -> str:
        """A scene's name, "" for none: the user's, the model's or a cue's, unlike all others."""
        if scene.closing is None or scene.closing.has_given_name:
            return given_name(scene)
        if not self.names:
            with_ranges = self.has_ranges_in_names
            self.names.update(scene_names(self.scenes, self.recaps, with_ranges=with_ranges))
        return self.names.get(scene.number, scene.name)

    def with_names_of(self, before: Story) -> Story:
        """This story, which knows the names of its scenes where they are those of `before`: to tell
        thousands apart takes a while.
        """
        if (
            self.recaps is before.recaps
            and self.has_ranges_in_names == before.has_ranges_in_names
            and len(self.scenes) == len(before.scenes)
            and all(map(_is_named_alike, self.scenes, before.scenes))
        ):
            self.names.update(before.names)
        return self

    def scene_recap(self, scene: Scene) -> SceneRecap | None:
        """The recap that counts for a closed scene, None when there is none yet."""
        if scene.closing is None:
            return None
        for recap in self.recaps.get(scene.closing.anchor, ()):
            if recap.is_current:
                return recap
        return None

    @property
    def made_without_model(self) -> tuple[str, ...]:
        """Anchors of the closed scenes that rules recapped, or folded into the running recap, in
        their order. What the user wrote of the running recap since stands for what it was made of.
        """
        versions = self.running.versions
        yours = max((v.version for v in versions if v.made_by == YOU), default=-1)
        folds = {v.last_anchor: v for v in versions if v.version > yours and not v.is_retired}
        return tuple(
            scene.closing.anchor
            for scene in self.scenes
            if scene.closing is not None
            and (recap := self.scene_recap(scene)) is not None
            and (
                recap.is_without_model
                or ((fold := folds.get(scene.closing.anchor)) is not None and fold.is_without_model)
            )
        )

    @property
    def told_otherwise(self) -> tuple[Scene, ...]:
        """Scenes of which the running recap tells another version than the one that counts, in
        their order; none while it is rebuilt, and none that the user has written over since.
        """
        told = injected_version(self.running, self.places)
        if told is None or told.is_retired:
            return ()
        reach = self.places.get(told.last_anchor, -1)
        yours = max((v.created for v in self.running.versions if v.made_by == YOU), default=0.0)
        found = []
        for scene in self.scenes[: bisect_right(self.scenes, reach, key=lambda s: s.last)]:
            now = self.scene_recap(scene)
            if now is None or now.is_locked or now.created < yours:
                continue
            if any(other.is_locked for other in self.recaps[now.anchor]):
                found.append(scene)
        return tuple(found)

    def has_versions_of(self, before: Story) -> bool:
        """Whether all versions of the running recap stand as in an earlier state of the chat, and
        are as visible: messages that no version ends with may have come since.
        """
        old, versions = before.messages, self.running.versions
        if self.running is not before.running or self.places.head_of(old) < len(old):
            return False
        new = {message.anchor for message in self.messages[len(old) :]}
        return not any(version.last_anchor in new for version in versions)

    def scene_ending_at(self, anchor: str) -> Scene | None:
        """The closed scene whose last message this is."""
        return next((s for s in self.scenes if s.closing and s.closing.anchor == anchor), None)

    def scene_at(self, index: int) -> Scene | None:
        """The scene that message `index` belongs to."""
        number = bisect_right(self.scenes, index, key=lambda scene: scene.first) - 1
        scene = self.scenes[number] if number >= 0 else None
        return scene if scene is not None and index <= scene.last else None


def _is_named_alike(scene: Scene, before: Scene) -> bool:
    """Whether it is the same scene; one that goes on has no name yet."""
    return scene is before or (scene.closing is None and before.closing is None)
