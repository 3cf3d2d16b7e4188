"""Keeps what was learned of backends' token counts over the program's end."""

from __future__ import annotations

import time

from app.core.tasks import TaskSupervisor
from app.llm.writers.correction import Corrections
from app.prompt.model_tokens import KnownTokenizer
from app.store.store import Store


class KeptCorrections:
    """Loads corrections once, and writes each that becomes otherwise."""

    def __init__(self, store: Store, corrections: Corrections, tasks: TaskSupervisor) -> None:
        self._store = store
        self._corrections = corrections
        self._tasks = tasks
        corrections.learned.connect(self._on_learned)

    async def load(self) -> None:
        """Know again what was learned before."""
        self._corrections.load(await self._store.run(self._store.tokenizers.all))

    def _on_learned(self, known: KnownTokenizer) -> None:
        self._tasks.spawn(self._save(known), name="keeping a correction")

    async def _save(self, known: KnownTokenizer) -> None:
        await self._store.run(lambda: self._store.tokenizers.save(known, time.time()))
