"""What the queue of work is doing, and what was taken out of it."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.operations import CatchUp, Operation


@dataclass(frozen=True, slots=True)
class OperationProgress:
    """What a running operation has written so far."""

    operation: int
    text: str


@dataclass(frozen=True, slots=True)
class Cleared:
    """What was taken out of the queue, to put it back. catch_ups: those that
    stopped with it.
    """

    operations: tuple[Operation, ...]
    catch_ups: tuple[CatchUp, ...] = ()
