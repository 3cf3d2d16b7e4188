"""Token counts by content hash and encoding: each text is counted once in its life."""

from __future__ import annotations

from collections.abc import Mapping

from app.store.database.database import Database


class TokenCounts:
    """The cache on disk behind the token counter's memory."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self, encoding: str) -> dict[str, int]:
        """Every known count of the encoding, by content hash."""
        statement = "SELECT content_hash, tokens FROM token_count WHERE encoding = ?"
        return dict(self._database.execute(statement, (encoding,)))

    def save(self, encoding: str, counts: Mapping[str, int]) -> None:
        """Remember counts."""
        if not counts:
            return
        statement = (
            "INSERT OR REPLACE INTO token_count (content_hash, encoding, tokens) VALUES (?, ?, ?)"
        )
        values = [(content_hash, encoding, tokens) for content_hash, tokens in counts.items()]
        self._database.execute_many(statement, values)
