"""Remembers how operations ended: what is shown, what is not planned again, what others need."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from app.core.operations import (
    FINISHED,
    Operation,
    OperationKind,
    OperationSpec,
    OperationStatus,
    Work,
)
from app.core.translation import N_, tr
from app.work.queue.waiting import Key

log = logging.getLogger(__name__)

SHOWN = 50
GIVEN_UP = (OperationStatus.FAILED, OperationStatus.CANCELLED)
# The same work wanted again and again in one run is a fault of ours that must not cost money.
TIMES_DONE_AT_MOST = 5
OF_MESSAGES = frozenset({OperationKind.MEMORY_PASS, OperationKind.MESSAGE_RECAP})
KEPT_UP_TO_DATE = frozenset(
    {
        OperationKind.RUNNING_RECAP,
        OperationKind.SUMMARY,
        OperationKind.CANON,
        OperationKind.TRIGGERS,
    }
)
OF_ONE_NAME = frozenset({OperationKind.PROFILE, OperationKind.ARC_SUMMARY})
# Made of all that is there when it is made: the newest attempt stands for those before it.
MADE_ANEW = frozenset(
    {
        OperationKind.SUMMARY,
        OperationKind.CANON,
        OperationKind.TRIGGERS,
        OperationKind.UPKEEP,
        OperationKind.PROFILE,
        OperationKind.ARC_SUMMARY,
    }
)
# What a story grows by makes it other work each time. A model that cannot do it is asked for it no
# more than this often in a row; then only the user brings it back, or another model.
BESIDE_THE_STORY = MADE_ANEW | {OperationKind.CONTINUITY}
IN_VAIN_AT_MOST = 2
MADE_UP_FOR = N_("It failed, but a later job made up for it.")
TRIED_AGAIN = N_("It was tried again later.")


class Outcomes:
    """What ended in this run, and the newest of earlier ones.

    shown: newest first, SHOWN of them; what failed before these, too: the user is to try it again.
    needed: how that ended whose result others need.
    """

    def __init__(self) -> None:
        self.shown: list[Operation] = []
        self.needed: dict[Key, Operation] = {}
        self._given_up: dict[Work, Operation] = {}
        self._times: Counter[Work] = Counter()
        self._in_vain: Counter[tuple[int, OperationKind]] = Counter()
        self._overcome = Overcome()

    def may_begin(self, spec: OperationSpec) -> bool:
        """Whether this work may be queued by itself: only the user brings back what failed."""
        if spec.work in self._given_up or self._times[spec.work] >= TIMES_DONE_AT_MOST:
            return False
        is_asked = spec.is_asked_for
        return is_asked or self._in_vain[spec.chat, spec.kind] < IN_VAIN_AT_MOST

    def is_given_up(self, work: Work) -> bool:
        """Whether it failed or was cancelled in this run."""
        return work in self._given_up

    def given_up(self, chat_id: int) -> tuple[Operation, ...]:
        """What failed or was cancelled in a chat and was not done since, oldest first."""
        return tuple(op for op in self._given_up.values() if op.spec.chat == chat_id)

    def failed(self, chat_id: int | None) -> tuple[Operation, ...]:
        """What failed in a chat or in all, also in earlier runs; some may stand in it twice."""
        return tuple(
            op
            for op in (*self._given_up.values(), *self.shown)
            if op.status is OperationStatus.FAILED and chat_id in (None, op.spec.chat)
        )

    def give_up(self, operations: Iterable[Operation]) -> None:
        """They are not planned again in this run."""
        self._given_up.update((operation.spec.work, operation) for operation in operations)

    def forget(self, works: Iterable[Work]) -> None:
        """Let this work be planned again."""
        for work in works:
            given_up = self._given_up.pop(work, None)
            self._times.pop(work, None)
            if given_up is not None:
                self._in_vain.pop((given_up.spec.chat, given_up.spec.kind), None)

    def ask_another(self) -> None:
        """Another model answers from now on: what the last one could not do, this one may."""
        self._in_vain.clear()

    def forgive(self, chat_id: int) -> None:
        """Let all of a chat be planned again that failed or was cancelled."""
        self.forget([work for work in self._given_up if work[0] == chat_id])

    def note(self, operation: Operation, *, is_for_good: bool = True) -> None:
        """An attempt has come to this. is_for_good: what was cancelled is not planned again."""
        work, status = operation.spec.work, operation.status
        if status in FINISHED:
            self._times[work] += 1
            if self._times[work] == TIMES_DONE_AT_MOST:
                log.error("%s was done %d times", operation.spec.kind.value, TIMES_DONE_AT_MOST)
        is_dropped = status is OperationStatus.CANCELLED and is_for_good
        if is_dropped or status is OperationStatus.FAILED:
            self._give_up_the_same(operation.spec)
            self._given_up[work] = operation
        if status is OperationStatus.FAILED and operation.spec.kind in BESIDE_THE_STORY:
            self._in_vain[operation.spec.chat, operation.spec.kind] += 1
        elif status is OperationStatus.DONE:
            self._given_up.pop(work, None)
            self._in_vain.pop((operation.spec.chat, operation.spec.kind), None)
            self._overcome.note(operation.spec)
            failed = [op for op in self._given_up.values() if self._overcome.has(op)]
            self.forget(op.spec.work for op in failed)

    def _give_up_the_same(self, spec: OperationSpec) -> None:
        """An earlier attempt at what is made anew is no more to be brought back."""
        if spec.kind not in MADE_ANEW:
            return
        task = _task(spec)
        same = [w for w, op in self._given_up.items() if _task(op.spec) == task]
        for work in same:
            del self._given_up[work]

    def keep(self, operation: Operation, needed: Collection[Key], *, is_shown: bool) -> None:
        """It has ended. needed: what others wait for."""
        key = (operation.spec.chat, operation.spec.key)
        if key in needed:
            self.needed[key] = operation
        if is_shown:
            self.shown = _bounded(without_overtaken([operation, *self.shown]))

    def remember(self, needed: Mapping[Key, Operation]) -> None:
        """How that ended in an earlier run which others need."""
        self.needed.update(needed)

    def find(self, operation_id: int) -> Operation | None:
        """One of those shown."""
        return next((op for op in self.shown if op.id == operation_id), None)

    def take_out(self, numbers: Collection[int]) -> None:
        """Show them no longer."""
        self.shown = [operation for operation in self.shown if operation.id not in numbers]

    def load(self, newest: Sequence[Operation]) -> None:
        """Show what ended last in earlier runs, and what failed in them."""
        self.shown = _bounded(without_overtaken(newest))


class Overcome:
    """What was done since, to tell which failures are none any more.

    The same task comes back as other work where the model, its prompt or the cut of the messages is
    another one. Of what is made of messages, all have to be read or recapped; of what is kept up to
    date, the next one tells the same and more.
    """

    def __init__(self) -> None:
        self._tasks: set[tuple[object, ...]] = set()
        self._messages: dict[tuple[int, OperationKind], set[str]] = {}

    def note(self, spec: OperationSpec) -> None:
        """This was done."""
        if spec.kind in OF_MESSAGES:
            self._messages.setdefault((spec.chat, spec.kind), set()).update(_anchors(spec))
        else:
            self._tasks.add(_task(spec))

    def has(self, operation: Operation) -> bool:
        """Whether this failed and was done all the same later."""
        spec = operation.spec
        if operation.status is not OperationStatus.FAILED:
            return False
        if spec.kind in OF_MESSAGES:
            return _anchors(spec) <= self._messages.get((spec.chat, spec.kind), set())
        return _task(spec) in self._tasks


def _anchors(spec: OperationSpec) -> set[str]:
    return {spec.anchor, *map(str, spec.params.get("anchors", ()))}


def _task(spec: OperationSpec) -> tuple[object, ...]:
    if spec.kind in KEPT_UP_TO_DATE:
        return spec.chat, spec.kind
    if spec.kind in OF_ONE_NAME:
        return spec.chat, spec.kind, spec.label
    return spec.chat, spec.kind, spec.anchor


def _bounded(ended: Sequence[Operation]) -> list[Operation]:
    older = (op for op in ended[SHOWN:] if op.status is OperationStatus.FAILED)
    return [*ended[:SHOWN], *older]


def without_overtaken(ended: Sequence[Operation]) -> list[Operation]:
    """Finished operations, newest first, but failures of work that ended in another way since, of
    a task that was done since, or of one that was tried again as other work. What was paid for
    still stands there, as no failure.
    """
    kept: list[Operation] = []
    works: set[Work] = set()
    tasks: set[tuple[object, ...]] = set()
    overcome = Overcome()
    for operation in ended:
        spec = operation.spec
        is_tried = spec.kind in MADE_ANEW and _task(spec) in tasks
        is_overtaken = operation.status in GIVEN_UP and (spec.work in works or is_tried)
        is_overcome = overcome.has(operation)
        if not is_overtaken and not is_overcome:
            kept.append(operation)
        elif operation.prompt_tokens:
            why = tr(MADE_UP_FOR if is_overcome else TRIED_AGAIN)
            kept.append(replace(operation, status=OperationStatus.OUTDATED, error=why))
        works.add(spec.work)
        tasks.add(_task(spec))
        if operation.status is OperationStatus.DONE:
            overcome.note(operation.spec)
    return kept
