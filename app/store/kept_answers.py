"""Answers of models, kept by what was asked: nothing is paid for twice."""

from __future__ import annotations

from dataclasses import dataclass

from app.store.store import Store
from app.story.messages import combined_digest


@dataclass(frozen=True, slots=True)
class KeptInStore:
    """Answers kept beside the results of operations.

    again: of the operation; work that was asked for anew does not find the answers of before.
    """

    store: Store
    again: str = ""

    async def get(self, key: str) -> str | None:
        """See KeptAnswers."""
        kept = await self.store.run(lambda: self.store.operations.result(self._key(key)))
        return kept["answer"] if isinstance(kept, dict) else None

    async def keep(self, key: str, answer: str) -> None:
        """See KeptAnswers."""
        await self.store.run(lambda: self.save(key, answer))

    def save(self, key: str, answer: str) -> None:
        """The same as part of a unit."""
        self.store.operations.save_result(self._key(key), {"answer": answer})

    def _key(self, key: str) -> str:
        return combined_digest(key, self.again)
