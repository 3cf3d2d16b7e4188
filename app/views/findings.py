"""What other extensions left of a chat, with what is not taken over and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.core.translation import trn
from app.memory.records import MemoryChange
from app.story.messages import MessageRecap
from app.story.recaps import RunningVersion, SceneRecap
from app.story.scenes import SceneBreak


class Omission(StrEnum):
    """Why something that an extension left is not taken over."""

    NO_RANGE = "no range"  # it does not say of which messages it is
    BEHIND_END = "behind the end"  # of messages that the chat does not hold
    OVERLAP = "overlap"  # of messages that another one tells already
    OTHER_CHAT = "other chat"
    HIGHER = "higher"  # made of other recaps
    OFF = "off"  # switched off there
    EMPTY = "empty"  # without words
    TOO_LONG = "too long"
    CROSSES = "crosses"  # its messages are cut into scenes otherwise here, by the user or a model


@dataclass(frozen=True, slots=True)
class Left:
    """scene_recaps: all versions of all scenes, oldest first. running: versions with the numbers
    that they have there; current: the one chosen there, None for another chat's. message_recaps:
    of the texts that are shown, by anchor. hidden: breaks found here that give way to theirs.
    """

    breaks: tuple[SceneBreak, ...] = ()
    scene_recaps: tuple[SceneRecap, ...] = ()
    running: tuple[RunningVersion, ...] = ()
    current: int | None = None
    message_recaps: Mapping[str, MessageRecap] = field(default_factory=dict)
    hidden: tuple[SceneBreak, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.breaks or self.scene_recaps or self.running or self.message_recaps)

    @property
    def parts(self) -> tuple[str, ...]:
        """What there is of it in words, without what is not there."""
        scenes, recaps = len(self.breaks), len(self.scene_recaps)
        versions, messages, hidden = len(self.running), len(self.message_recaps), len(self.hidden)
        counted = (
            (scenes, trn("{n} scene break", "{n} scene breaks", scenes)),
            (recaps, trn("{n} scene recap", "{n} scene recaps", recaps)),
            (versions, trn("{n} running recap", "{n} running recaps", versions)),
            (messages, trn("{n} message recap", "{n} message recaps", messages)),
            (
                hidden,
                trn(
                    "{n} scene break found here, which is replaced",
                    "{n} scene breaks found here, which are replaced",
                    hidden,
                ),
            ),
        )
        return tuple(words for count, words in counted if count)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one extension left. whose: its name. left_out: how much is not taken, and why."""

    whose: str
    left: Left = field(default_factory=Left)
    memories: MemoryChange = field(default_factory=MemoryChange)
    left_out: Mapping[Omission, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether there is something to take in."""
        return bool(self.left or self.memories)

    @property
    def parts(self) -> tuple[str, ...]:
        """What there is to take in, in words."""
        count = len(self.memories.memories)
        memories = (trn("{n} memory", "{n} memories", count),) if count else ()
        return (*self.left.parts, *memories)

    @property
    def reasons(self) -> tuple[str, ...]:
        """What is not taken, and why, in words."""
        return tuple(omitted_words(why, count) for why, count in self.left_out.items() if count)


@dataclass(frozen=True, slots=True)
class Findings:
    """What all of them left, those of which something is told alone."""

    of: tuple[Finding, ...] = ()

    def __bool__(self) -> bool:
        return any(self.of)

    @property
    def parts(self) -> tuple[str, ...]:
        """What there is to take in of all of them, in words."""
        return tuple(part for finding in self.of for part in finding.parts)

    @property
    def whose(self) -> tuple[str, ...]:
        """Of which extensions something is to be taken in."""
        return tuple(finding.whose for finding in self.of if finding)


def omitted_words(why: Omission, count: int) -> str:
    """How many are not taken, and why."""
    match why:
        case Omission.NO_RANGE:
            return trn(
                "{n} that does not name its messages",
                "{n} that do not name their messages",
                count,
            )
        case Omission.BEHIND_END:
            return trn(
                "{n} about messages this chat does not have",
                "{n} about messages this chat does not have",
                count,
            )
        case Omission.OVERLAP:
            return trn(
                "{n} about messages that another one already tells",
                "{n} about messages that others already tell",
                count,
            )
        case Omission.OTHER_CHAT:
            return trn("{n} of another chat", "{n} of other chats", count)
        case Omission.HIGHER:
            return trn("{n} that sums up others", "{n} that sum up others", count)
        case Omission.OFF:
            return trn("{n} that is switched off there", "{n} that are switched off there", count)
        case Omission.EMPTY:
            return trn("{n} without text", "{n} without text", count)
        case Omission.TOO_LONG:
            return trn("{n} that is too long", "{n} that are too long", count)
        case Omission.CROSSES:
            return trn(
                "{n} about messages divided into other scenes here",
                "{n} about messages divided into other scenes here",
                count,
            )
