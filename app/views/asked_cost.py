"""What recaps take that the user asks for by one command."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from app.core.model_use import Prices


class Asked(StrEnum):
    """What one command asks for."""

    MESSAGES = "messages"
    SCENES = "scenes"
    RUNNING = "running"  # a scene folded in anew, with what comes behind it


@dataclass(frozen=True, slots=True)
class AskedCost:
    """Requests to a model and their tokens, about; 0 where none is asked. price: by the user's own
    prices, None without any. searches: so many of the requests ask where scenes end. kept: answers
    of before that are given again, for nothing.
    """

    requests: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    price: float | None = None
    of: Asked = Asked.MESSAGES
    searches: int = 0
    kept: int = 0

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.prompt_tokens + self.output_tokens

    def __add__(self, other: AskedCost) -> AskedCost:
        prices = [price for price in (self.price, other.price) if price is not None]
        return AskedCost(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.output_tokens + other.output_tokens,
            sum(prices) if prices else None,
            other.of,
            self.searches + other.searches,
            self.kept + other.kept,
        )

    def priced(self, prices: Prices) -> AskedCost:
        """The same at these prices."""
        return replace(self, price=prices.of(self.prompt_tokens, self.output_tokens))
