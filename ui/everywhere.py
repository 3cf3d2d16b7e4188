"""What is at hand on every page: the history of changes."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.health import count_of
from app.store.undo import AT_FIRST
from ui.actions import Actions
from ui.session import Session
from ui.shell.frame import Frame
from ui.shell.history_sheet import HistorySheet


class Everywhere(QObject):
    """Opens the sheets over any page. Owned by the window."""

    def __init__(self, session: Session, frame: Frame, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._frame = frame
        self._actions = actions
        self.history = HistorySheet(window)
        self.history.change_chosen.connect(self._on_change_chosen)
        actions["history"].triggered.connect(self.open_history)
        session.chat_opened.connect(self._on_chat_opened)

    def _on_chat_opened(self, _story: object) -> None:
        self._actions["history"].setEnabled(True)

    def open_history(self) -> None:
        """Show what was done to the chat, to go back to."""
        path = self._session.path
        if path is not None:
            self._session.do(self._open_history(path), name="reading the history")

    async def _open_history(self, path: Path) -> None:
        changes = await self._session.companion.edits.history.entries(path)
        if path == self._session.path:
            self.history.open_below(self._frame.header, changes)

    def _on_change_chosen(self, entry_id: int) -> None:
        path = self._session.path
        if path is not None:
            self._session.do(self._go_to(path, entry_id), name="going back")

    async def _go_to(self, path: Path, entry_id: int) -> None:
        history = self._session.companion.edits.history
        labels = {change.id: change for change in await history.entries(path)}
        steps = await history.go_to(path, entry_id)
        if not steps:
            return
        entry = labels.get(entry_id)
        word = "Redone" if entry is not None and entry.is_undone else "Undone"
        where = "as it was at first" if entry_id == AT_FIRST else "now at: "
        self._session.told.emit(
            f"{word}: {count_of(steps, 'change')}, {where}{entry.label if entry else ''}"
        )
