"""Compares what the program remembers with the labels, at every label's message."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from app.memory.records import EndReason, Tier
from app.views.memory_view import MemoryView
from tests.oracle.gold import Gold, folded


@dataclass(slots=True)
class Score:
    """Counts over all messages that were looked at. missing, extra: for whoever looks for why."""

    found: int = 0
    held: int = 0
    expected: int = 0
    missing: list[tuple[int, Hashable]] = field(default_factory=list)
    extra: list[tuple[int, Hashable]] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.found / self.held if self.held else 1.0

    @property
    def recall(self) -> float:
        return self.found / self.expected if self.expected else 1.0

    def add(self, place: int, held: Iterable[Hashable], expected: Iterable[Hashable]) -> None:
        """Compare two sets at a message."""
        has, wants = list(held), set(expected)
        self.found += len(wants.intersection(has))
        self.held += len(has)
        self.expected += len(wants)
        self.missing += [(place, one) for one in wants.difference(has)]
        self.extra += [(place, one) for one in set(has) - wants]


def compare(scores: dict[str, Score], gold: Gold, view: MemoryView) -> None:
    """Add what holds at the view's message to the scores of its tiers."""
    at = view.at
    holding = [s for s in view.memories if s.is_active]
    knowings = [s.memory for s in holding if s.memory.tier is Tier.EPISTEMIC]
    scores["epistemic"].add(
        at,
        [(m.type, folded(m.subject), folded(m.target), folded(m.text)) for m in knowings],
        [label.key for label in gold.known_at(at)],
    )
    values = [s.memory for s in holding if s.memory.tier is Tier.STATE_LEDGER]
    scores["state_ledger"].add(
        at,
        [(folded(m.subject), m.field, folded(m.text)) for m in values],
        [label.key for label in gold.values_at(at)],
    )
    arcs = [s for s in view.memories if s.memory.tier is Tier.ARCS]
    resolved = [s for s in arcs if s.ending and s.ending.reason is EndReason.RESOLVED]
    scores["arcs"].add(
        at,
        [("open", folded(s.memory.text)) for s in arcs if s.is_active]
        + [
            ("resolved", folded(s.memory.text))
            for s in resolved
            if s.end is not None and s.end <= at
        ],
        [("open", folded(arc.thread)) for arc in gold.open_at(at)]
        + [("resolved", folded(arc.thread)) for arc in gold.resolved_at(at)],
    )
