"""What recaps take that the user asks for by one command, before they are queued. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.core.model_use import Prices
from app.settings.recaps import RecapSettings
from app.story.story import Story

# Of a request for the recap of a message, beside the messages, about; and of its answer.
INSTRUCTION_TOKENS, ANSWER_TOKENS = 300, 60


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


def message_recaps_cost(
    story: Story, indexes: Sequence[int], settings: Mapping[str, Any], reasoning_tokens: int
) -> AskedCost:
    """Recaps of these messages, a request each, with those before them that each is read with.

    reasoning_tokens: that the model writes before an answer, as seen so far.
    """
    tokens, before = story.message_tokens, RecapSettings(settings).message_recap_history
    read = sum(sum(tokens[max(0, index - before) : index + 1]) for index in indexes)
    count = len(indexes)
    return AskedCost(
        count,
        read + count * INSTRUCTION_TOKENS,
        count * (ANSWER_TOKENS + reasoning_tokens),
    )
