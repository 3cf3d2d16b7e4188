"""Tokens of texts, counted off the interface's thread and each only once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, Signal

from app.core.errors import UsageError
from app.core.translation import N_
from ui.core.session import Session

MOST_TEXTS = 20_000  # more than a story has versions: else all are counted at each look


class TokenTally(QObject):
    """Running recaps are counted as they stand in the prompt, so that one has one size everywhere.

    Signals:
        counted: more counts are known.
    """

    counted = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._counts: dict[tuple[str, bool], int] = {}

    def of(self, text: str, *, is_running: bool = False) -> int | None:
        """Tokens of a text, None while they are not counted. is_running: of a running recap."""
        return self._counts.get((text, is_running))

    def want(self, texts: Iterable[str], *, is_running: bool = False) -> None:
        """Count those that are not counted yet."""
        missing = [text for text in texts if (text, is_running) not in self._counts]
        if missing:
            counting = self._count(missing, is_running=is_running)
            self._session.do(counting, name=N_("counting tokens"))

    async def _count(self, texts: list[str], *, is_running: bool) -> None:
        companion, path = self._session.companion, self._session.path
        count: Callable[[str], int] = companion.count_tokens
        if is_running and path is not None:
            try:
                count = companion.recap_texts.running_counter(path)
            except UsageError:  # another chat took its place, and is shown at once
                return
        counts = await asyncio.to_thread(
            lambda: {(text, is_running): count(text) for text in texts}
        )
        if len(self._counts) > MOST_TEXTS:
            self._counts.clear()
        self._counts.update(counts)
        self.counted.emit()
