"""What goes by itself, and what the user says yes to first. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.core.operations import (
    FOLDS,
    MEMORY,
    RECAPS,
    Operation,
    OperationKind,
    OperationSpec,
)
from app.story.break_search import SearchCost
from app.story.story import Story
from app.work.planning.break_planner import SearchState, goes_unasked, search_cost
from app.work.planning.catch_up import KINDS
from app.work.planning.folding import scenes_to_fold
from app.work.planning.memory_planner import Reading, reading_cost
from app.work.planning.writing import Writing

_RECAP_KINDS = frozenset({OperationKind.DETECT_BREAKS, OperationKind.SCENE_RECAP})
# What of a backlog is not wanted with each part of it.
NOT_WANTED_WITH = {
    RECAPS: frozenset({OperationKind.MEMORY_PASS}),
    MEMORY: _RECAP_KINDS,
    FOLDS: _RECAP_KINDS | {OperationKind.MEMORY_PASS},
}


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


def asks_of_folds(
    story: Story, asked: Sequence[OperationSpec], settings: Mapping[str, Any], limit: int
) -> bool:
    """Whether a question about missing recaps is one about folds as well: more scenes than `limit`
    are to be folded in, and recaps that are kept of another chat would have them begin. Whoever has
    the running recap built anew has said yes to that.
    """
    if not any(spec.kind is OperationKind.SCENE_RECAP for spec in asked):
        return False
    is_rebuilt = any(version.is_retired for version in story.running.versions)
    return not is_rebuilt and len(scenes_to_fold(story, settings)) > limit


@dataclass(frozen=True, slots=True)
class Lacking:
    """A story, with what is known of what it lacks."""

    story: Story
    settings: Mapping[str, Any]
    writing: Writing
    search: SearchState
    reading: Reading

    def asked_about(
        self, unqueued: Sequence[OperationSpec], searches: Sequence[OperationSpec], limit: int
    ) -> tuple[list[OperationSpec], SearchCost]:
        """What begins only when the user said so, and what searching takes of it.

        unqueued: not what was asked for, nor what is queued: that was said yes to. limit: so much
        of each kind goes unasked.
        """
        recaps = [spec for spec in unqueued if spec.kind is OperationKind.SCENE_RECAP]
        if self.writing.of(OperationKind.SCENE_RECAP).is_free:
            recaps = []
        cost = SearchCost()
        if searches and not self.search.is_wanted:
            cost = search_cost(self.story, self.settings, self.writing, self.search)
        if goes_unasked(cost, limit, self.settings, self.writing):
            searches, cost = [], SearchCost()
        asked = [*(recaps if len(recaps) > limit else []), *searches]
        return asked + self._readings(unqueued, limit, is_more_asked=bool(asked)), cost

    def _readings(
        self, unqueued: Sequence[OperationSpec], limit: int, *, is_more_asked: bool
    ) -> list[OperationSpec]:
        readings = [spec for spec in unqueued if spec.kind is OperationKind.MEMORY_PASS]
        if not readings or self.reading.is_wanted:
            return []
        # Of a chat that nobody has read yet one question is asked, and not half of it.
        goes_along = is_more_asked and not self.reading.extracted
        cost = reading_cost(self.story, self.settings, self.writing, self.reading)
        return readings if cost.passes > limit or goes_along else []
