"""Keeps a memory that is being written by hand for its chat while another chat is shown."""

from __future__ import annotations

from pathlib import Path

from app.memory.records import Tier
from ui.core.session import Session
from ui.memories.pane.pane import DETAILS, MemoryPane


class HalfWritten:
    """The words on the pane's sheet for a new memory, chat by chat."""

    def __init__(self, session: Session, pane: MemoryPane) -> None:
        self._session, self._pane = session, pane
        self._written_in: Path | None = None
        self._words: dict[Path, str] = {}

    def begin(self, tier: Tier | None, at: int) -> None:
        """Show the sheet with what was begun for the open chat. at: index of the message meant."""
        path = self._written_in = self._session.path
        self._pane.show_adding()
        self._pane.adding.begin(tier, at)
        if path in self._words:
            self._pane.adding.words.set_text(self._words.pop(path))

    def put_away(self) -> None:
        """What is being written is of its chat: another one must not get it."""
        path = self._written_in
        if self._pane.kind or path is None or path == self._session.path:
            return
        if words := self._pane.adding.words.text.strip():
            self._words[path] = words
        self._pane.show_kind(DETAILS)
