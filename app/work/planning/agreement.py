"""What goes by itself, and what the user says yes to first. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.operations import Operation, OperationKind, OperationSpec
from app.work.planning.catch_up import KINDS
from app.work.planning.memory_planner import Reading
from app.work.planning.writing import Writing


def stops_with_it(operation: Operation) -> bool:
    """Whoever wants no more of a catch-up wants no more of the reading that they once asked for."""
    return is_of_a_catch_up(operation) or operation.spec.kind is OperationKind.MEMORY_PASS


def is_of_a_catch_up(operation: Operation) -> bool:
    """Whether a catch-up asks for it, and not the user for it alone."""
    return operation.spec.kind in KINDS and not operation.spec.is_asked_for


def by_themselves(
    specs: Sequence[OperationSpec], writing: Writing, reading: Reading
) -> Sequence[OperationSpec]:
    """Work on a story to look around in: what costs no request, and what the user wanted."""
    return [
        spec
        for spec in specs
        if writing.of(spec.kind).is_free
        or spec.is_asked_for
        or (spec.kind is OperationKind.MEMORY_PASS and reading.is_wanted)
    ]
