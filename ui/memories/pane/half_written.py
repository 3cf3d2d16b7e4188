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
        path, adding = self._session.path, self._pane.adding
        self._pane.show_adding()
        if path is not None and path == self._written_in:  # it was left for another sheet
            adding.go_on(at)
            return
        self._written_in = path
        adding.begin(tier, at)
        if path in self._words:
            adding.words.set_text(self._words.pop(path))

    def end(self) -> None:
        """What stands on the sheet was added, or is not wanted any more."""
        self._written_in = None

    def put_away(self) -> None:
        """What is being written is of its chat: another one must not get it."""
        path = self._written_in
        if path is None or path == self._session.path:
            return
        self._written_in = None
        if words := self._pane.adding.words.text.strip():
            self._words[path] = words
        if not self._pane.kind:
            self._pane.show_kind(DETAILS)
