"""What the way in which an attempt failed makes of its operation."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace

from app.core.errors import BackendAway, BackendError, OperationOutdated, TavernkeepError
from app.core.operations import Operation, OperationStatus, Outcome
from app.core.translation import N_, tr
from app.llm.backends.retries import retry_delay
from app.llm.writers.meter import RequestUse

log = logging.getLogger(__name__)

OUR_FAULT = N_("An error in Tavernkeep itself. The log has details.")


def begun(operation: Operation) -> Operation:
    """An operation whose next attempt begins now."""
    return replace(
        operation,
        status=OperationStatus.RUNNING,
        attempts=operation.attempts + 1,
        started=time.time(),
        error="",
        pauses_before=False,
    )


def done(operation: Operation, outcome: Outcome, *, requests: int = 0) -> Operation:
    """An operation that made what it was to make. requests: that this took."""
    return replace(
        operation,
        requests=operation.requests + requests,
        status=OperationStatus.DONE,
        prompt_tokens=operation.prompt_tokens + outcome.prompt_tokens,
        output_tokens=operation.output_tokens + outcome.output_tokens,
        backend=outcome.backend,
        error=outcome.in_vain,
    )


def dropped(operation: Operation, status: OperationStatus) -> Operation:
    """What waited and is not done after all. When it was tried before, it waited since: that is no
    time of work.
    """
    return replace(operation, status=status, started=None, finished=time.time())


def having_taken(operation: Operation, uses: Sequence[RequestUse]) -> Operation:
    """An operation of which an attempt took this, though nothing came of it."""
    return replace(
        operation,
        prompt_tokens=operation.prompt_tokens + sum(use.prompt_tokens for use in uses),
        output_tokens=operation.output_tokens + sum(use.output_tokens for use in uses),
        requests=operation.requests + len(uses),
        backend=uses[-1].backend if uses else operation.backend,
    )


def with_tokens_of(operation: Operation, before: Operation | None) -> Operation:
    """An operation that is done once more, with what it took so far. before: how it ended."""
    if before is None:
        return operation
    return replace(
        operation,
        prompt_tokens=before.prompt_tokens,
        output_tokens=before.output_tokens,
        requests=before.requests,
    )


def ended_with(operation: Operation, error: Exception) -> Operation:
    """An operation whose attempt ended with an error: waits, is outdated, or has failed."""
    if isinstance(error, OperationOutdated):
        return replace(operation, error=str(error), status=OperationStatus.OUTDATED)
    if isinstance(error, BackendError):
        delay = retry_delay(operation.attempts, error)
        if delay is not None:
            due = time.time() + delay
            if isinstance(error, BackendAway) and not error.was_sent:
                # Nobody was asked: the bound is for other faults.
                operation = replace(operation, attempts=operation.attempts - 1)
            status = OperationStatus.WAITING
            return replace(operation, status=status, error=error.cause, not_before=due)
    if isinstance(error, TavernkeepError):
        return replace(operation, error=str(error), status=OperationStatus.FAILED)
    log.error("Operation %d (%s) failed", operation.id, operation.spec.kind.value, exc_info=error)
    return replace(operation, error=tr(OUR_FAULT), status=OperationStatus.FAILED)
