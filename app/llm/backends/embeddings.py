"""Vectors of texts from Ollama or an OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from app.core.errors import AnswerUnusable, PromptTooLong, UsageError
from app.core.translation import tr
from app.llm.backends.embedded import EmbeddedEmbedder
from app.llm.backends.faults import form_fault
from app.llm.backends.specs import BUILTIN, KINDS, BackendSpec
from app.llm.backends.streams import Limits, ModelServer

Floats = NDArray[np.float32]

BATCH = 32  # texts of one request; answers stay below a few megabytes
LONGEST_TEXT = 2_000  # characters; memories have 500 at most, only messages are longer
SHORTEST_CUT = 200
# A vector of 4,096 numbers takes about 90 kB as text. A cold model is loaded first.
LIMITS = Limits(lookup_seconds=120.0, line_bytes=32 * 1024 * 1024)


class Embedder(Protocol):
    """A source of vectors."""

    @property
    def spec(self) -> str:
        """The form that `parse_spec` reads; vectors of different ones are never compared."""

    async def embed(self, texts: Sequence[str]) -> Floats:
        """One row for each text, in their order, all of one length, finite. Raises BackendError."""

    async def aclose(self) -> None:
        """Give back connections."""


class ServerEmbedder:
    """Asks a server in batches, one request after the other.

    A text that is longer than the model reads is cut, visibly only here: its beginning says what
    it is about. Servers that would cut by themselves are told not to, since they cut elsewhere.
    """

    def __init__(
        self, spec: BackendSpec, *, api_key: str | None = None, limits: Limits = LIMITS
    ) -> None:
        kind = KINDS[spec.kind]
        form = kind.embeddings
        if form is None:
            raise UsageError(
                tr("{backend} cannot compare memories by meaning.", backend=tr(kind.title))
            )
        self._spec, self._form = spec, form
        self._server = ModelServer(spec.url, spec.model, api_key=api_key, limits=limits)

    @property
    def spec(self) -> str:
        return str(self._spec)

    async def embed(self, texts: Sequence[str]) -> Floats:
        """One row for each text; see Embedder.embed."""
        rows: list[Floats] = []
        for start in range(0, len(texts), BATCH):
            rows.append(await self._batch(texts[start : start + BATCH]))
            if rows[-1].shape[1] != rows[0].shape[1]:
                raise self._form_fault()
        return np.concatenate(rows) if rows else np.zeros((0, 0), dtype=np.float32)

    async def aclose(self) -> None:
        """Give back connections."""
        await self._server.aclose()

    async def _batch(self, texts: Sequence[str]) -> Floats:
        longest = LONGEST_TEXT
        while True:
            try:
                return await self._ask([text[:longest] or " " for text in texts])
            except PromptTooLong:
                longest //= 2
                if longest < SHORTEST_CUT:
                    raise

    async def _ask(self, texts: Sequence[str]) -> Floats:
        body: dict[str, Any] = {"model": self._spec.model, "input": texts, **dict(self._form.body)}
        found = self._object(await self._server.get_json(self._form.path, body))
        vectors = found.get("embeddings")
        if vectors is None:
            vectors = _by_index(found.get("data"), len(texts))
        if not isinstance(vectors, list) or len(vectors) != len(texts):
            raise self._form_fault()
        return self._matrix(vectors)

    def _object(self, answer: Any) -> dict[str, Any]:
        found = self._server.checked(answer)
        if found is None:
            raise self._form_fault()
        return found

    def _matrix(self, vectors: list[Any]) -> Floats:
        try:
            with np.errstate(over="ignore"):
                matrix = np.array(vectors, dtype=np.float32)
        except (TypeError, ValueError, OverflowError) as error:
            raise self._form_fault() from error
        if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
            raise self._form_fault()
        return matrix

    def _form_fault(self) -> AnswerUnusable:
        return form_fault(self._server.url, self._form.whose)


def make_embedder(
    spec: BackendSpec, *, api_key: str | None = None, limits: Limits = LIMITS
) -> Embedder:
    """The embedder of a spec; opens no connection yet, and loads nothing. Raises UsageError for
    what makes no vectors.
    """
    if spec.kind == BUILTIN:
        return EmbeddedEmbedder()
    return ServerEmbedder(spec, api_key=api_key, limits=limits)


def _by_index(data: Any, count: int) -> list[Any] | None:
    """The vectors in the order of the texts: servers may answer in another one, and say so."""
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        return None
    places = [item.get("index", place) for place, item in enumerate(data)]
    if sorted(place for place in places if type(place) is int) != list(range(count)):
        return None
    ordered: list[Any] = [None] * count
    for place, item in zip(places, data, strict=True):
        ordered[place] = item.get("embedding")
    return ordered
