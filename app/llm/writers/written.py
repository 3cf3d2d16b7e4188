"""What comes back from whoever writes, and where answers are kept meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

T_co = TypeVar("T_co", covariant=True)
OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Written(Generic[T_co]):
    """What was written, and what it took: tokens of all prompts and answers, 0 without a model.

    reasoning: of the model's last answer, split off it. left_out: entries that a model wrote and
    that are not in the value, for want of room.
    """

    value: T_co
    prompt_tokens: int = 0
    output_tokens: int = 0
    reasoning: str = ""
    left_out: int = 0


class KeptAnswers(Protocol):
    """Answers of models by what was asked, so that work that broke off goes on where it was."""

    async def get(self, key: str) -> str | None:
        """The answer that was kept, None when none was."""

    async def keep(self, key: str, answer: str) -> None:
        """Keep an answer."""
