"""Everything that works on memories, wired: readings, comparisons by meaning, derived texts."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.operations import Operation, OperationKind, Outcome
from app.core.signals import Signal
from app.llm.backends.api_keys import ApiKeys
from app.llm.backends.embeddings import Embedder, make_embedder
from app.llm.backends.specs import parse_spec
from app.memory.similarity import Vectors
from app.settings.memory import MemorySettings
from app.settings.values import Settings
from app.work.jobs.document_making import DocumentMaker
from app.work.jobs.memory_reading import MemoryReader
from app.work.jobs.reconciliation import Reconciler
from app.work.jobs.services import JobServices
from app.work.models.text_vectors import TextVectors


class MemoryWork:
    """Does the operations of memory for the queue.

    Signals:
        failed: a sentence when memories can no longer be compared by meaning.
    """

    def __init__(self, services: JobServices, settings: Settings, keys: ApiKeys) -> None:
        self._store = services.store
        self._settings = settings
        self._keys = keys
        self.failed: Signal[str] = Signal("failed")
        self._vectors = self._made_vectors()
        reconciler = Reconciler(services.count, services.packs, self.vectors_of)
        self._reader = MemoryReader(services, reconciler)
        self._documents = DocumentMaker(services)

    async def perform(self, operation: Operation) -> Outcome:
        """Do one operation of memory. Raises BackendError, OperationOutdated."""
        if operation.spec.kind is OperationKind.MEMORY_PASS:
            return await self._reader.perform(operation)
        return await self._documents.perform(operation)

    async def follow_embeddings(self) -> None:
        """Compare by the model that the settings name now."""
        old, self._vectors = self._vectors, self._made_vectors()
        await old.aclose()

    async def aclose(self) -> None:
        """Give back connections."""
        await self._vectors.aclose()

    async def vectors_of(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, none where there is no embedding model or it fails."""
        return await self._vectors.of(texts)

    def _made_vectors(self) -> TextVectors:
        vectors = TextVectors(self._store, self._embedder())
        vectors.failed.connect(self.failed.emit)
        return vectors

    def _embedder(self) -> Embedder | None:
        text = MemorySettings(self._settings).embeddings.strip()
        if not text:
            return None
        spec = parse_spec(text)
        return make_embedder(spec, api_key=self._keys.find(spec.url))
