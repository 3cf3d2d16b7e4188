"""What operations made, kept by their keys, so that nothing is paid for twice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from app.core.operations import Operation, OperationSpec, Outcome
from app.llm.writers.written import Written
from app.store.store import Store


class ResultCache:
    """The results of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def once(
        self,
        operation: Operation,
        write: Callable[[], Awaitable[Written[dict[str, str]]]],
        *,
        reuse: bool,
        is_wanted: Callable[[dict[str, str]], bool] = lambda kept: True,
    ) -> tuple[dict[str, str], Outcome]:
        """The kept result of this key, or a new one; what it took. is_wanted: whether a kept one
        may be given again.
        """
        key = operation.spec.key
        kept: Any = None
        if reuse:
            kept = await self._store.run(lambda: self._store.operations.result(key))
        if kept is not None and is_wanted(kept):
            return kept, Outcome(backend="kept")
        written = await write()
        outcome = Outcome(written.prompt_tokens, written.output_tokens, written.value["made_by"])
        return written.value, outcome

    async def keep(self, key: str, value: dict[str, str], add: Callable[[], None]) -> None:
        """Keep a result, and add what was made of it, a unit."""

        def unit() -> None:
            self._store.operations.save_result(key, value)
            add()

        await self._store.run(unit)

    def add(self, spec: OperationSpec, label: str, add: Callable[[], None]) -> None:
        """Add what was made; a unit. What the user asked for is theirs to take back by name."""
        again = str(spec.params.get("again", ""))
        if again.isdecimal():
            self._store.undo.record_part(spec.chat, label, int(again) / 1e9, add)
        else:
            add()
