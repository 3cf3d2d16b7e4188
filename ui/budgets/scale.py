"""The scale that all tracks share: widened for small budgets, so that 50 tokens can be hit."""

from __future__ import annotations

from dataclasses import dataclass

POWER = 0.62
CEILINGS = (1_200, 2_300, 3_200, 4_300, 8_500, 17_000, 34_000, 68_000, 136_000, 1_100_000)
HEADROOM = 1.04
MARKS = (100, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 1_000_000)
LEAST_APART = 46.0  # px between two marks, so that their labels do not meet


@dataclass(frozen=True, slots=True)
class Scale:
    """Tokens along a track. ceiling: tokens at its right end."""

    ceiling: int = CEILINGS[1]

    @classmethod
    def reaching(cls, tokens: int) -> Scale:
        """The narrowest scale that has room for so many tokens, and a little more."""
        wanted = tokens * HEADROOM
        return cls(next((c for c in CEILINGS if c >= wanted), CEILINGS[-1]))

    def place(self, tokens: float, width: float) -> float:
        """Px from the left end of a track."""
        return float(width * (max(0.0, min(tokens, self.ceiling)) / self.ceiling) ** POWER)

    def tokens_at(self, place: float, width: float) -> float:
        """The inverse."""
        if width <= 0:
            return 0.0
        return float(self.ceiling * max(0.0, min(1.0, place / width)) ** (1 / POWER))

    def marks(self, width: float) -> tuple[int, ...]:
        """Numbers of tokens to label, from right to left as long as they do not meet."""
        kept: list[int] = []
        for mark in reversed([m for m in MARKS if m <= self.ceiling]):
            at = self.place(mark, width)
            if not kept or self.place(kept[-1], width) - at >= LEAST_APART:
                kept.append(mark)
        return tuple(m for m in reversed(kept) if self.place(m, width) >= LEAST_APART)
