"""Vectors of texts by model and content hash: each text is embedded once in its life."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from app.store.database.database import Database

Floats = NDArray[np.float32]
STORED = np.dtype("<f4")  # the same on every machine


class StoredVectors:
    """The cache on disk. model: the spec of what made them, with its address."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self, model: str, content_hashes: Collection[str]) -> dict[str, Floats]:
        """The known vectors of these texts; read-only arrays."""
        rows = self._database.execute(
            "SELECT content_hash, numbers FROM vector WHERE model = ?"
            " AND content_hash IN (SELECT value FROM json_each(?))",
            (model, json.dumps(list(content_hashes))),
        )
        return {content_hash: np.frombuffer(blob, dtype=STORED) for content_hash, blob in rows}

    def save(self, model: str, vectors: Mapping[str, Floats]) -> None:
        """Remember vectors by content hash."""
        if not vectors:
            return
        values = [(model, key, row.astype(STORED).tobytes()) for key, row in vectors.items()]
        self._database.execute_many(
            "INSERT OR REPLACE INTO vector (model, content_hash, numbers) VALUES (?, ?, ?)", values
        )
