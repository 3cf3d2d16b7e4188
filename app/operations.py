"""Operations: units of queued work, each bound to a chat and to anchors."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class OperationKind(StrEnum):
    """What an operation makes. Its prompt file, where it needs a model, has the same name."""

    DETECT_BREAKS = "detect_breaks"
    SCENE_RECAP = "scene_recap"
    RUNNING_RECAP = "running_recap"
    MESSAGE_RECAP = "message_recap"


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


@dataclass(frozen=True, slots=True)
class OperationSpec:
    """Work that the planner wants done.

    chat: store id. key: kind, input digests and prompt version; two specs with one key are the
    same work. anchor: the message it is about. label: for people, without story text.
    """

    kind: OperationKind
    chat: int
    key: str
    anchor: str
    label: str
    priority: int = 0
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an operation cost."""

    prompt_tokens: int = 0
    output_tokens: int = 0
    backend: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as the queue keeps it. Times are seconds since the epoch."""

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
    backend: str = ""
