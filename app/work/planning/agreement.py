"""What goes by itself, and what the user says yes to first. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from app.story.scene_detection import SETTLES
from app.story.story import Story
from app.views.catch_up import ReadingCost
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


def is_made_again(operation: Operation) -> bool:
    """Whoever takes away all there is wants none of it made again before they say so."""
    is_recap = operation.spec.kind is OperationKind.MESSAGE_RECAP
    return stops_with_it(operation) or (is_recap and not operation.spec.is_asked_for)


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
class Question:
    """What begins only when the user said so, and what it takes. is_of_new: also what came since
    the question before it was put, since that is much.
    """

    backlog: tuple[OperationSpec, ...]
    search: SearchCost
    reading: ReadingCost
    is_of_new: bool


@dataclass(frozen=True, slots=True)
class Lacking:
    """A story, with what is known of what it lacks. until: index of the last message that a
    question is about which waits for its answer, or behind all; ended: of the last of them that
    ended a scene. What came since goes on. by_hand: as WantedWork.ended_by_hand.
    """

    story: Story
    settings: Mapping[str, Any]
    writing: Writing
    search: SearchState
    reading: Reading
    until: int
    ended: int
    by_hand: frozenset[str] = frozenset()

    def asked_about(
        self,
        unqueued: Sequence[OperationSpec],
        searches: Sequence[OperationSpec],
        limit: int,
        limit_of_new: int,
    ) -> Question:
        """unqueued: not what was asked for, nor what is queued: that was said yes to. limit: so
        much of each kind goes unasked, and so much of what came since a question was put.
        """
        recaps = [spec for spec in unqueued if spec.kind is OperationKind.SCENE_RECAP]
        if self.writing.of(OperationKind.SCENE_RECAP).is_free:
            recaps = []
        by_hand = [spec for spec in recaps if spec.anchor in self.by_hand]
        if len(by_hand) <= limit_of_new:
            recaps = [spec for spec in recaps if spec not in by_hand]
        cost = SearchCost()
        if searches and not self.search.is_wanted:
            cost = search_cost(self.story, self.settings, self.writing, self.search)
        if goes_unasked(cost, limit, self.settings, self.writing):
            searches, cost = [], SearchCost()
        new = [spec for spec in recaps if self._is_new(spec)]
        old = [spec for spec in recaps if spec not in new]
        asked = [*(old if len(old) > limit else []), *(new if len(new) > limit_of_new else [])]
        readings = [spec for spec in unqueued if spec.kind is OperationKind.MEMORY_PASS]
        if self.reading.is_wanted:
            readings = []
        # Of a chat that nobody has read yet one question is asked, and not half of it.
        goes_along = bool(asked or searches) and not self.reading.extracted
        limits = (-1 if goes_along else limit), limit_of_new
        read, of_reading = self._readings(readings, *limits)
        is_of_new = any(map(self._is_new, (*asked, *read)))
        return Question((*asked, *searches, *read), cost, of_reading, is_of_new)

    def _readings(
        self, readings: Sequence[OperationSpec], limit: int, limit_of_new: int
    ) -> tuple[list[OperationSpec], ReadingCost]:
        """Those that are asked about, and what reading takes that begins with them."""
        end, asked, bounds = self.until + 1, list[OperationSpec](), list[Reading]()
        for is_new, most in ((False, limit), (True, limit_of_new)):
            mine = [spec for spec in readings if self._is_new(spec) == is_new]
            part = replace(self.reading, first=end) if is_new else replace(self.reading, end=end)
            cost = reading_cost(self.story, self.settings, self.writing, part)
            if mine and cost.passes > most:
                asked, bounds = [*asked, *mine], [*bounds, part]
        if not bounds:
            return [], ReadingCost()
        whole = replace(self.reading, first=bounds[0].first, end=bounds[-1].end)
        return asked, reading_cost(self.story, self.settings, self.writing, whole)

    def messages_of_before(self, specs: Sequence[OperationSpec]) -> list[OperationSpec]:
        """The recaps that a model is to write by itself of messages which did not come since."""
        if self.writing.of(OperationKind.MESSAGE_RECAP).is_free:
            return []
        return [
            spec
            for spec in specs
            if spec.kind is OperationKind.MESSAGE_RECAP
            and not spec.is_asked_for
            and self.story.places.get(spec.anchor, -1) <= self.until
        ]

    def _is_new(self, spec: OperationSpec) -> bool:
        if spec.kind is OperationKind.MEMORY_PASS:
            return int(spec.params["first"]) > self.until
        return self._ended_since(self.story.places.get(spec.anchor, -1))

    def _ended_since(self, last: int) -> bool:
        """Whether the scene that this message closes ended since; that it did shows some messages
        later.
        """
        is_grown = len(self.story.messages) > self.until + 1
        return last > max(self.ended, self.until - (SETTLES if is_grown else 0))

    def folds_what_is_new(self) -> bool:
        """Whether no more scenes are to be folded in than ended since a question was put."""
        closed = [scene for scene in self.story.scenes if scene.is_closed]
        ended = sum(self._ended_since(scene.last) for scene in closed)
        return len(scenes_to_fold(self.story, self.settings)) <= ended
