"""What recaps take that the user asks for by one command."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.core.model_use import Prices


@dataclass(frozen=True, slots=True)
class AskedCost:
    """Requests to a model and their tokens, about; 0 where none is asked. price: by the user's own
    prices, None without any.
    """

    requests: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    price: float | None = None

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.prompt_tokens + self.output_tokens

    def priced(self, prices: Prices) -> AskedCost:
        """The same at these prices."""
        return replace(self, price=prices.of(self.prompt_tokens, self.output_tokens))
