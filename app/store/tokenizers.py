"""What is known of the tokenizers of models: how their counts compare with ours."""

from __future__ import annotations

from app.prompt.model_tokens import KnownTokenizer
from app.store.database import Database

_COLUMNS = "name, encoding, overhead, factor, weight"


class Tokenizers:
    """Plain functions of the database's thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[KnownTokenizer, ...]:
        """Every tokenizer that was met, the one met last first."""
        rows = self._database.execute(f"SELECT {_COLUMNS} FROM tokenizer ORDER BY seen DESC")
        return tuple(KnownTokenizer(*row) for row in rows)

    def save(self, known: KnownTokenizer, moment: float) -> None:
        """Remember one; moment: when it was met, seconds since the epoch."""
        self._database.execute(
            f"INSERT OR REPLACE INTO tokenizer ({_COLUMNS}, seen) VALUES (?, ?, ?, ?, ?, ?)",
            (known.name, known.encoding, known.overhead, known.factor, known.weight, moment),
        )
