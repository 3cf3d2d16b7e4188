"""Scene recaps and the running recap, each with all its versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.core.translation import N_

# Who made a text, where that is not the label of a model.
YOU = "you"
# Behind the label of a model that wrote more than there is room for, with how many entries went.
LEFT_OUT = N_("{model}, {n} older entries left out")
BUILT_IN = N_("built-in")  # by rules alone
DEMO_AUTHORS = N_("the demo's authors")  # what comes with the demo story
IMPORTED = "ST-Auto-Recap"  # found in the chat
MESSAGE_SUMMARIZE = "MessageSummarize"  # found in the chat, of messages alone
MEMORY_BOOKS = "MemoryBooks"  # found in a lorebook
BAKEMONO_MEMORY = "BakemonoMemory"  # found in the chat
OTHER_EXTENSIONS = frozenset({MEMORY_BOOKS, BAKEMONO_MEMORY})
FOLD = "fold"  # reason of a running version that tells of this story
FOREIGN = "foreign"  # reason of a running version that was written for another chat


@dataclass(frozen=True, slots=True)
class SceneRecap:
    """One version of a scene's recap.

    anchor: message that closes the scene. version: 0 for the first. source_digest: scene_digest
    of the messages it was made from. made_by: backend label, or as above. created: seconds since
    the epoch. is_current: the version that counts. stored: the recap exactly as ST-Auto-Recap
    keeps it, "" for the text alone. One made in stages has its lore there. combined_at: when it
    was folded into the running recap (seconds since the epoch), None while it was not.
    """

    anchor: str
    version: int
    name: str
    text: str
    source_digest: str
    made_by: str
    created: float
    is_current: bool = True
    stored: str = ""
    combined_at: float | None = None

    @property
    def is_locked(self) -> bool:
        """Whether the running recap holds it (spec/auto-recap.md §4.4): what is written from now
        on is another version, which the running recap tells only when it is rebuilt.
        """
        return self.combined_at is not None

    @property
    def is_without_model(self) -> bool:
        """Whether rules wrote it: nothing else was chosen then, or the model gave nothing."""
        return self.made_by.startswith(BUILT_IN)

    @property
    def is_stand_in(self) -> bool:
        """Whether rules wrote it because the model that was asked gave nothing."""
        return self.is_without_model and self.made_by != BUILT_IN

    @property
    def is_imported(self) -> bool:
        """Whether it was found in the chat."""
        return self.made_by == IMPORTED

    @property
    def is_taken_over(self) -> bool:
        """Whether an extension wrote it that keeps recaps elsewhere or in a form of its own."""
        return self.made_by in OTHER_EXTENSIONS


@dataclass(frozen=True, slots=True)
class RunningVersion:
    """One version of the running recap (spec/auto-recap.md §1.5).

    content: the text. scene_count: scenes folded in. last_anchor: message that closes the newest
    scene folded in. first_anchor: the same of the version it was built on, "" for the first.
    is_retired: its scenes are to be folded in anew; it can be chosen, but nothing builds on it.
    """

    version: int
    content: str
    scene_count: int
    first_anchor: str
    last_anchor: str
    made_by: str
    created: float
    reason: str = FOLD  # fold, edit, import, foreign
    is_retired: bool = False

    @property
    def is_without_model(self) -> bool:
        """Whether rules wrote it: nothing else was chosen then, or the model gave nothing."""
        return self.made_by.startswith(BUILT_IN)

    @property
    def is_stand_in(self) -> bool:
        """Whether rules wrote it because the model that was asked gave nothing."""
        return self.is_without_model and self.made_by != BUILT_IN

    @property
    def is_of_a_model(self) -> bool:
        """Whether a model wrote it, here or in the chat, or it stands in for one that did."""
        return self.made_by not in (YOU, BUILT_IN)


@dataclass(frozen=True, slots=True)
class RunningRecap:
    """All versions of a chat's running recap, oldest first, and which one is injected.

    forgone: messages that close the newest scenes of versions that the user deleted. Those scenes
    are not folded in anew by themselves: the deleted version would only come back. reached: those
    and the messages that close the newest scenes of versions that can be built on.
    """

    versions: tuple[RunningVersion, ...] = ()
    current_version: int | None = None
    forgone: frozenset[str] = frozenset()
    reached: frozenset[str] = field(default=frozenset(), init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        usable = (version.last_anchor for version in self.versions if not version.is_retired)
        object.__setattr__(self, "reached", self.forgone.union(usable))

    @property
    def current(self) -> RunningVersion | None:
        """The version that is injected, None when there is none."""
        for version in self.versions:
            if version.version == self.current_version:
                return version
        return None

    @property
    def set_aside(self) -> RunningVersion | None:
        """The newest version that was written for another chat, while nobody but the built-in way
        has told of this one.
        """
        others = [v for v in self.versions if v.reason == FOREIGN]
        told = self.current is not None and self.current.made_by != BUILT_IN
        return others[-1] if others and not told else None

    @property
    def latest(self) -> RunningVersion | None:
        return self.versions[-1] if self.versions else None


def visible_versions(
    versions: Sequence[RunningVersion], positions: Mapping[str, int]
) -> tuple[RunningVersion, ...]:
    """Those versions that tell nothing of what this chat does not hold.

    positions: index of each anchor in the chat. A branch or a shortened chat sees no version
    whose newest scene ends behind its own end.
    """
    return tuple(v for v in versions if not v.last_anchor or v.last_anchor in positions)


def injected_version(running: RunningRecap, positions: Mapping[str, int]) -> RunningVersion | None:
    """The version that goes into the prompt: the chosen one, or where it tells of messages that
    the chat does not hold, the one that reaches farthest in it, the newest among equals; one that
    is to be made anew only where there is no other. What was written for another chat is told only
    when the user chose it.
    """
    current = running.current
    if current is None or visible_versions([current], positions):
        return current

    def reach(version: RunningVersion) -> tuple[bool, int, int]:
        return (
            not version.is_retired,
            positions.get(version.last_anchor, -1),
            version.version,
        )

    own = [version for version in running.versions if version.reason != FOREIGN]
    return max(visible_versions(own, positions), key=reach, default=None)


def told_until(
    running: RunningRecap, current: RunningVersion, positions: Mapping[str, int], index: int
) -> RunningVersion:
    """The version that `current` was when it told of the story up to a message, and of as little
    behind it as there is; `current` itself where no earlier one reaches that far. What the user
    wrote is never gone behind.
    """
    yours = (v.version for v in running.versions if v.made_by == YOU or v.reason == "edit")
    first = max((number for number in yours if number <= current.version), default=-1)

    def reach(version: RunningVersion) -> int:
        return positions.get(version.last_anchor, -1)

    earlier = [
        version
        for version in running.versions
        if first <= version.version <= current.version
        and not version.is_retired
        and version.scene_count <= current.scene_count
        and reach(version) >= index
    ]
    return min(earlier, key=lambda version: (reach(version), -version.version), default=current)
