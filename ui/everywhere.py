"""What is at hand on every page: the history of changes, and search in all chats."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.health import count_of
from app.store.undo import AT_FIRST
from app.story.story import ChatRef
from app.work.searching import Findings, Hit
from ui.actions import Actions
from ui.library.words import chat_title
from ui.session import Session
from ui.shell.frame import Frame
from ui.shell.history_sheet import HistorySheet
from ui.shell.search_sheet import MOST, SearchSheet, place_words, stem_words


class Everywhere(QObject):
    """Opens the sheets over any page. Owned by the window.

    Signals (of the chat that is shown by then):
        message_wanted: anchor. memory_wanted: its id.
    """

    message_wanted = Signal(str)
    memory_wanted = Signal(str)

    def __init__(self, session: Session, frame: Frame, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._frame = frame
        self._actions = actions
        self._window = window
        self.history = HistorySheet(window)
        self.history.change_chosen.connect(self._on_change_chosen)
        actions["history"].triggered.connect(self.open_history)
        self.search_sheet = SearchSheet(self._find, self._place_of, self._run_search, window)
        self.search_sheet.hit_chosen.connect(self._on_hit_chosen)
        actions["search.all"].triggered.connect(self.open_search)
        self._chats: dict[Path, ChatRef] = {}
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

    # Search

    def open_search(self) -> None:
        """Open the field that finds words in all chats."""
        companion = self._session.companion
        self._chats = {companion.demo.path: companion.demo}
        for tavern in companion.taverns:
            owned = [character.chats for character in tavern.characters]
            owned += [group.chats for group in tavern.groups]
            self._chats.update((chat.path, chat) for chats in owned for chat in chats)
        self.search_sheet.open_over(self._window)

    async def _find(self, query: str) -> Findings:
        # By words alone: a model would be asked at each pause in the typing.
        return await self._session.companion.search.find(
            query, limit=MOST, by_meaning=False, here=self._session.path
        )

    def _run_search(self, search: Coroutine[Any, Any, None]) -> None:
        self._session.do(search, name="searching")

    def _place_of(self, hit: Hit) -> str:
        chat = self._chats.get(hit.chat)
        if chat is None:
            name = stem_words(hit.chat)
        else:
            name = ", ".join(filter(None, (chat.owner_name, chat_title(chat))))
        return place_words(hit, name, is_here=hit.chat == self._session.path)

    def _on_hit_chosen(self, hit: Hit) -> None:
        self._session.do(self._show_hit(hit), name="showing what was found")

    async def _show_hit(self, hit: Hit) -> None:
        if hit.chat != self._session.path:
            await self._session.open_path(hit.chat)
        if hit.memory_id:
            self.memory_wanted.emit(hit.memory_id)
        else:
            self.message_wanted.emit(hit.anchor)
