"""Vectors for comparing texts: those that are known, and the others from the embedding model."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable

from app.core.errors import BackendError
from app.core.signals import Signal
from app.core.translation import tr
from app.llm.backends.embeddings import Embedder
from app.memory.similarity import NO_VECTORS, Vectors
from app.store.store import Store
from app.story.messages import combined_digest

log = logging.getLogger(__name__)

PAUSE_SECONDS = 300.0  # a server that hangs must not hold up each reading


class TextVectors:
    """Gives the vectors of texts, or none at all, so that no pass compares by two measures.

    Signals:
        failed: a sentence for the user; once, until it has worked again.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.failed: Signal[str] = Signal("TextVectors.failed")
        self._store = store
        self._embedder = embedder
        self._clock = clock
        self._paused_until: float | None = None

    async def of(self, texts: Iterable[str]) -> Vectors:
        """Vectors of all these texts; none when there is no model, or it fails."""
        embedder, wanted = self._embedder, list(dict.fromkeys(texts))
        if embedder is None or not wanted or self._is_paused():
            return NO_VECTORS
        keys = {text: combined_digest("vector", text) for text in wanted}
        known = await self._store.run(
            lambda: self._store.vectors.load(embedder.spec, keys.values())
        )
        missing = [text for text in wanted if keys[text] not in known]
        if missing:
            try:
                rows = await embedder.embed(missing)
            except BackendError as error:
                self._fail(error)
                return NO_VECTORS
            made = {keys[text]: row for text, row in zip(missing, rows, strict=True)}
            await self._store.run(lambda: self._store.vectors.save(embedder.spec, made))
            known |= made
            self._paused_until = None
        return await asyncio.to_thread(Vectors.of, {text: known[keys[text]] for text in wanted})

    async def aclose(self) -> None:
        """Give back connections."""
        if self._embedder is not None:
            await self._embedder.aclose()

    def _is_paused(self) -> bool:
        return self._paused_until is not None and self._clock() < self._paused_until

    def _fail(self, error: BackendError) -> None:
        is_news = self._paused_until is None
        self._paused_until = self._clock() + PAUSE_SECONDS
        if is_news:
            log.info("Memories are compared by words: %s", type(error).__name__)
            self.failed.emit(
                tr("{error} Until then memories are compared by their words.", error=error)
            )
