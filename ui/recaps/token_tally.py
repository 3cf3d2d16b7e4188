"""Tokens of texts, counted off the interface's thread and each only once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from app.translation import N_
from ui.session import Session

MOST_TEXTS = 20_000  # more than a story has versions: else all are counted at each look


class TokenTally(QObject):
    """Signals:
    counted: more counts are known.
    """

    counted = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._counts: dict[str, int] = {}

    def of(self, text: str) -> int | None:
        """Tokens of a text, None while they are not counted."""
        return self._counts.get(text)

    def want(self, texts: Iterable[str]) -> None:
        """Count those that are not counted yet."""
        missing = [text for text in texts if text not in self._counts]
        if missing:
            self._session.do(self._count(missing), name=N_("counting tokens"))

    async def _count(self, texts: list[str]) -> None:
        count = self._session.companion.count_tokens
        counts = await asyncio.to_thread(lambda: {text: count(text) for text in texts})
        if len(self._counts) > MOST_TEXTS:
            self._counts.clear()
        self._counts.update(counts)
        self.counted.emit()
