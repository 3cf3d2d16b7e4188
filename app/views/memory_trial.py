"""How a model did on the tasks of memory (spec/smart-memory.md §18, MTEST)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.core.translation import tr
from app.memory.reading.windows import Window
from app.memory.records import Tier
from app.memory.tiers.table import TIERS
from app.story.messages import Message, digest

ORDER: Mapping[Tier, str] = {  # the tiers that are tried, with the scene that each reads
    Tier.LONG_TERM: "main",
    Tier.SESSION: "main",
    Tier.ARCS: "main",
    Tier.STATE_LEDGER: "state",
    Tier.EPISTEMIC: "epistemic",
}
GOOD, FAIR = 0.75, 0.5  # shares of what is wanted


@dataclass(frozen=True, slots=True)
class TrialScene:
    """A scene that is read. known: what the model is told beforehand."""

    title: str
    lines: tuple[tuple[str, str], ...]
    known: str = ""

    @property
    def characters(self) -> tuple[str, ...]:
        """Who speaks, in the order of their first line."""
        return tuple(dict.fromkeys(name for name, _ in self.lines))

    @property
    def window(self) -> Window:
        """The scene as a window of a chat that is nowhere."""
        return Window(
            0,
            tuple(
                Message(f"line {n}", digest(text), name, text)
                for n, (name, text) in enumerate(self.lines)
            ),
        )


@dataclass(frozen=True, slots=True)
class TierTrial:
    """How a model did on one tier.

    hint: what a good answer holds. raw: the answer without its reasoning, of which
    `reasoning_characters` were taken off. items: the entries that were understood; skipped: lines
    that were not. seconds: until the answer was there. prompt_tokens, output_tokens: 0 where nobody
    counted. score: 0 to 1. remarks: why it is not 1. error: why there is no answer, "" else.
    """

    tier: Tier
    hint: str
    scene: TrialScene
    raw: str = ""
    reasoning_characters: int = 0
    items: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    seconds: float = 0.0
    prompt_tokens: int = 0
    output_tokens: int = 0
    score: float = 0.0
    remarks: tuple[str, ...] = ()
    error: str = ""

    @property
    def parse_rate(self) -> float:
        """Share of the answer's lines that were understood."""
        lines = len(self.items) + len(self.skipped)
        return len(self.items) / lines if lines else 0.0

    @property
    def is_empty(self) -> bool:
        """Whether nothing could be made of it."""
        return not self.items


@dataclass(frozen=True, slots=True)
class MemoryTrial:
    """How a model did on all tiers that were tried."""

    label: str
    tiers: tuple[TierTrial, ...]

    @property
    def score(self) -> float:
        """The mean of the tiers."""
        return sum(t.score for t in self.tiers) / len(self.tiers) if self.tiers else 0.0

    @property
    def verdict(self) -> str:
        """In one sentence."""
        failed = ", ".join(words(t.tier) for t in self.tiers if t.error or t.is_empty)
        if failed:
            return tr("{model} gave nothing usable for {what}.", model=self.label, what=failed)
        weak = ", ".join(words(t.tier) for t in self.tiers if t.score < FAIR)
        if weak:
            return tr("{model} is too weak for {what}.", model=self.label, what=weak)
        if self.score >= GOOD:
            return tr("{model} can remember a story.", model=self.label)
        return tr("{model} remembers with gaps; check what it notes.", model=self.label)


def words(tier: Tier) -> str:
    """A tier in words."""
    return tr(TIERS[tier].words.in_sentence or TIERS[tier].words.name)
