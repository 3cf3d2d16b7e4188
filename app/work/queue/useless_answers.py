"""Answers of no use, each of them paid for: what is asked no further, until somebody says so."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.operations import Operation, OperationKind
from app.core.translation import tr
from app.work.planning.kinds import MODEL_OF, model_label

# So many in a row of one kind of work, of any story: the next would be of no use either.
USELESS_IN_A_ROW = 4


@dataclass(frozen=True, slots=True)
class _Held:
    """So many answers of a kind in a row, and what was wrong with the last."""

    kind: OperationKind
    count: int
    why: Exception | str


class UselessAnswers:
    """Counted for each kind of work that has a model of its own.

    A model may write good recaps and be of no use for memory: then memory waits alone. Where no
    kind had an answer of use the last time, all is to pause.
    """

    def __init__(self) -> None:
        self._in_a_row: dict[str, int] = {}
        self._of_use: set[str] = set()  # kinds whose last answer was of use
        self._held: dict[str, _Held] = {}

    @property
    def held(self) -> str:
        """What is asked no further, and why the last of it was not; "" for nothing."""
        if not self._held:
            return ""
        last = list(self._held.values())[-1]
        return tr(
            "{model}: {n} jobs in a row got no usable answer. The last one: {why}",
            model=", ".join(tr(model_label(held.kind)) for held in self._held.values()),
            n=last.count,
            why=last.why,
        )

    def note_use(self, operation: Operation) -> None:
        """An answer was of use."""
        model = MODEL_OF[operation.spec.kind]
        self._of_use.add(model)
        self._in_a_row.pop(model, None)
        self._held.pop(model, None)

    def note(self, operation: Operation, why: Exception | str) -> str:
        """An answer was of no use. Gives why nothing at all is to be asked, "" where something is:
        then this kind alone may be held from now on.
        """
        kind = operation.spec.kind
        model = MODEL_OF[kind]
        self._of_use.discard(model)
        count = self._in_a_row[model] = self._in_a_row.get(model, 0) + 1
        if self._of_use:
            if count >= USELESS_IN_A_ROW:
                self._held[model] = _Held(kind, count, why)
            return ""
        if (total := sum(self._in_a_row.values())) < USELESS_IN_A_ROW:
            return ""
        return tr("{n} jobs in a row got no usable answer. The last one: {why}", n=total, why=why)

    def why(self, operation: Operation) -> str:
        """Why this one is not asked for, "" when it may be."""
        held = self._held.get(MODEL_OF[operation.spec.kind])
        if held is None:
            return ""
        # Short, since a hundred rows may say it; what was wrong is told over the page.
        return tr("{n} jobs in a row got no usable answer.", n=held.count)

    def try_once(self, operation: Operation) -> None:
        """The user wants this one: its kind goes on, and is held again by the next of no use."""
        model = MODEL_OF[operation.spec.kind]
        if self._held.pop(model, None) is not None:
            self._in_a_row[model] = USELESS_IN_A_ROW - 1

    def forget(self) -> None:
        """All may be asked for; who did well keeps that."""
        self._in_a_row.clear()
        self._held.clear()

    def forget_model(self) -> None:
        """Another one answers, of which nothing is known yet."""
        self.forget()
        self._of_use.clear()
