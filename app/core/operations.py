"""Operations: units of queued work, each bound to a chat and to anchors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.core.translation import N_

# Of a chat that the user has switched off.
GONE = N_("The chat's file is missing.")
MESSAGES_GONE = N_("The messages it was about are gone. If they come back, it is planned again.")
CUT = N_(
    "Many messages of this chat are gone at once. No model is asked about it until they are back, "
    "or the story goes on."
)
# Of what a model is asked for, since a crash would lose it.
NO_ROOM = N_("Waits until there is room on the disk, so that paid answers are not lost.")
OFF = N_(
    "Tavernkeep is off for this chat: it does nothing and adds nothing to prompts. Nothing was "
    "deleted."
)
PRIORITY_ASKED = 100  # of what the user asked for, and waits for


class OperationKind(StrEnum):
    """What an operation makes. Its prompt file, where it needs a model, has the same name."""

    DETECT_BREAKS = "detect_breaks"
    SCENE_RECAP = "scene_recap"
    RUNNING_RECAP = "running_recap"
    MESSAGE_RECAP = "message_recap"
    MEMORY_PASS = "memory_pass"
    ARC_SUMMARY = "arc_summary"
    PROFILE = "profile"
    CANON = "canon"
    CONTINUITY = "continuity"
    SUMMARY = "summary"
    TRIGGERS = "triggers"
    UPKEEP = "upkeep"
    AWAY = "away"  # asked for beside the queue, and noted there


MEMORY_KINDS = frozenset(
    {
        OperationKind.MEMORY_PASS,
        OperationKind.ARC_SUMMARY,
        OperationKind.PROFILE,
        OperationKind.CANON,
        OperationKind.CONTINUITY,
        OperationKind.SUMMARY,
        OperationKind.TRIGGERS,
        OperationKind.UPKEEP,
    }
)


class OperationStatus(StrEnum):
    """Where an operation stands."""

    PENDING = "pending"
    RUNNING = "running"
    WAITING = "waiting"  # failed for a passing reason, tried again at `not_before`
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    OUTDATED = "outdated"  # what it was about is gone; planned again should it come back


FINISHED = frozenset(
    {
        OperationStatus.DONE,
        OperationStatus.FAILED,
        OperationStatus.CANCELLED,
        OperationStatus.OUTDATED,
    }
)


Work = tuple[int, str, str]  # chat, key, anchor


@dataclass(frozen=True, slots=True)
class OperationSpec:
    """Work that the planner wants done.

    chat: store id. key: kind, input digests and prompt version; two specs with one key are the
    same work. anchor: the message it is about. label: for people, without story text.
    needs: keys of operations of the same chat whose results it is made from; it waits until they
    are done, and as long as one of them has failed. after: keys of such that it only lets go
    first, however they end. Keys that nobody has queued hold nothing up.
    """

    kind: OperationKind
    chat: int
    key: str
    anchor: str
    label: str
    priority: int = 0
    params: dict[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def work(self) -> Work:
        """What makes it the same work as another."""
        return self.chat, self.key, self.anchor

    @property
    def is_asked_for(self) -> bool:
        """Whether the user wanted this themselves, whatever the settings say."""
        return self.priority >= PRIORITY_ASKED


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an operation cost. in_vain: why its answers were of no use though it counts as done, a
    sentence, "" where they were; what they cost is then left to who asked.
    """

    prompt_tokens: int = 0
    output_tokens: int = 0
    backend: str = ""
    in_vain: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as the queue keeps it. Times are seconds since the epoch.

    moved_rank, moved_place: where the user has put it, None where it came by itself.
    requests: that were answered, or had to be paid for.
    pauses_before: the queue stops when it would begin it. held: why it cannot begin yet, a
    sentence, "" when it can; not stored.
    """

    id: int
    spec: OperationSpec
    status: OperationStatus
    attempts: int = 0
    error: str = ""
    created: float = 0.0
    started: float | None = None
    finished: float | None = None
    not_before: float = 0.0
    prompt_tokens: int = 0
    output_tokens: int = 0
    requests: int = 0
    backend: str = ""
    moved_rank: int | None = None
    moved_place: float | None = None
    pauses_before: bool = False
    held: str = ""

    @property
    def begun(self) -> float:
        """When its attempt began; never before it was asked for, though the clock was set back."""
        return max(self.started or 0.0, self.created)

    @property
    def rank(self) -> int:
        """What goes first: the greater."""
        return self.spec.priority if self.moved_rank is None else self.moved_rank

    @property
    def place(self) -> float:
        """What goes first among one rank: the smaller."""
        return float(self.id) if self.moved_place is None else self.moved_place


@dataclass(frozen=True, slots=True)
class CatchUp:
    """A backlog that the user wants worked off, as it is kept over the end of a run.

    begun: seconds since the epoch. backend: who it was promised of. is_stopped: no longer; what
    is left waits for the user's word. part: ALL, RECAPS, MEMORY, FOLDS, CLEARED or UNBEGUN. agreed,
    agreed_tokens: requests, and tokens of them, that were named when the user said yes, 0 for none.
    """

    chat: int
    begun: float
    backend: str
    is_stopped: bool = False
    part: str = ""
    agreed: int = 0
    agreed_tokens: int = 0


ALL, RECAPS, MEMORY = "", "recaps", "memory"  # what of a backlog
FOLDS = "folds"  # likewise: the running recap that is built anew
CLEARED = "cleared"  # of what the user took away; is_stopped: none of it was asked for since
UNBEGUN = "unbegun"  # of a chat on which nothing was done yet; is_stopped: likewise


@dataclass(frozen=True, slots=True)
class Worked:
    """What was done of a chat since a moment. seconds: of work, pauses left out. by_kind: how many
    operations were done, and how many failed. paid: those of them that took tokens. tokens: that
    all of them took. spent, requests: tokens and requests of all that was done of the chat, other
    kinds of work as well.
    """

    done: int = 0
    failed: int = 0
    seconds: float = 0.0
    by_kind: Mapping[OperationKind, tuple[int, int]] = field(default_factory=dict)
    paid: Mapping[OperationKind, tuple[int, int]] = field(default_factory=dict)
    tokens: int = 0
    spent: int = 0
    requests: int = 0
