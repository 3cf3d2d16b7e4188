"""How many memories wait for review, for as long as the page Memories was not opened yet."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.translation import N_
from app.views.story_change import StoryChange
from ui.core.session import Session


class WaitingCount(QObject):
    """Counts at each change of the chat's memories, until the page does so itself.

    Signals:
        changed: how many wait.
    """

    changed = Signal(int)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._is_over = False
        session.chat_opened.connect(self._count)
        session.story_changed.connect(self._on_story_changed)

    def stop(self) -> None:
        """The page counts from now on."""
        self._is_over = True

    def _on_story_changed(self, change: StoryChange) -> None:
        if change.memories:
            self._count()

    def _count(self, _story: object = None) -> None:
        path = self._session.path
        if path is not None and not self._is_over:
            self._session.do(self._look(path), name=N_("counting memories"))

    async def _look(self, path: Path) -> None:
        view = await asyncio.to_thread(self._session.companion.memory, path, at=None)
        if path == self._session.path and not self._is_over:
            self.changed.emit(len(view.review))
