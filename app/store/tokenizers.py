"""What is known of the tokenizers of models: how their counts compare with ours."""

from __future__ import annotations

from app.prompt.model_tokens import KnownTokenizer
from app.store.database.database import Database

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
        """Remember one as met last; moment: when that was, seconds since the epoch."""
        # Also by a clock that was set back since it met the others.
        self._database.execute(
            f"INSERT OR REPLACE INTO tokenizer ({_COLUMNS}, seen) VALUES (?, ?, ?, ?, ?, "
            "MAX(?, (SELECT COALESCE(MAX(seen), 0) + 0.001 FROM tokenizer)))",
            (known.name, known.encoding, known.overhead, known.factor, known.weight, moment),
        )
