"""What the queue of work is doing, and what was taken out of it."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.operations import CatchUp, Operation, OperationStatus
from app.core.translation import retold, tr


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


def reading_sentence(ahead: Operation) -> str:
    """That a story is read already, or waits to be. ahead: what runs, or is next."""
    label = retold(ahead.spec.label)
    if ahead.status is OperationStatus.RUNNING:
        return tr("This story is being read: {label}.", label=label)
    why = ahead.held or ahead.error
    if why:
        return tr("Reading this story has to wait. {why}", why=retold(why))
    return tr("This story will be read when its turn comes: {label}.", label=label)
