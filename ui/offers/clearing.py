"""Forgets everything that is known of a chat, after saying how much that is."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.core.translation import N_, tr
from ui.core.session import Session
from ui.shell.notice import Notice

CLEARING = "clearing"
NOTHING = N_("Nothing to clear: this chat has no recaps and no breaks.")


class Clearing(QObject):
    """Says what would go, and lets it go when the user says so. It is one step for undo."""

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        notice.acted.connect(self._on_acted)
        session.chat_opened.connect(self._on_chat_opened)

    def begin(self) -> None:
        """Count what there is, and offer to clear it."""
        if self._session.path is not None:
            self._session.do(self._offer(self._session.path), name=N_("counting what there is"))

    async def _offer(self, path: Path) -> None:
        found = await self._session.companion.edits.clearance(path)
        if not found:
            self._session.told.emit(tr(NOTHING))
        elif path == self._session.path:
            parts = joined(found.parts)
            sentence = tr("This chat has {parts}. Clearing them can be undone.", parts=parts)
            self._notice.offer(CLEARING, sentence, way_on=tr("Clear them all"))

    async def _clear(self, path: Path) -> None:
        gone = await self._session.companion.edits.clear_all(path)
        self._session.told.emit(tr("Cleared: {parts}", parts=joined(gone.parts)))

    def _on_acted(self, key: str) -> None:
        if key == CLEARING and self._session.path is not None:
            self._session.do(self._clear(self._session.path), name=N_("clearing the chat"))

    def _on_chat_opened(self, _story: object) -> None:
        self._notice.withdraw(CLEARING)


def joined(parts: tuple[str, ...]) -> str:
    """ "a, b and c"."""
    *most, last = parts
    return tr("{most} and {last}", most=", ".join(most), last=last) if most else last
