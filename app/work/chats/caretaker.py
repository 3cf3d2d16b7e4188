"""Opens chats without being asked for each: those that pages show, the newest, all anew."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from app.core.errors import TavernkeepError
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.story.story import ChatRef
from app.views.taverns import Tavern
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats


class Caretaker:
    """Looks after chats in tasks of its own, so that nobody waits for a long one.

    Signals:
        opened: a chat that was looked after.
        failed: (path, sentence) one that could not be.
    """

    def __init__(self, chats: OpenChats, tasks: TaskSupervisor) -> None:
        self._chats = chats
        self._tasks = tasks
        self.opened: Signal[OpenChat] = Signal("opened")
        self.failed: Signal[tuple[Path, str]] = Signal("failed")

    def refresh(self, path: Path) -> None:
        """Look at a chat again."""
        self._tasks.spawn(self._look_after(path), name="refreshing a chat")

    def refresh_all(self) -> None:
        """Look at every open chat again."""
        for path in self._chats.paths:
            self.refresh(path)

    def look_after_shown(self, paths: Iterable[Path]) -> None:
        """Open what pages show and nobody opened yet."""
        for path in paths:
            if self._chats.get(path) is None:
                self._tasks.spawn(self._look_after(path), name="following a page")

    def look_after_newest(self, taverns: Iterable[Tavern]) -> None:
        """Open the newest chat of each tavern."""
        for tavern in taverns:
            newest = [owner.chats[0] for owner in tavern.owners if owner.chats]
            if newest:
                chat = max(newest, key=_modified)
                self._tasks.spawn(self._look_after(chat.path), name="opening the newest chat")

    async def _look_after(self, path: Path) -> None:
        try:
            chat = await self._chats.open(path)
        except TavernkeepError as error:
            self.failed.emit((path, str(error)))
            return
        self.opened.emit(chat)


def _modified(chat: ChatRef) -> float:
    try:
        return chat.path.stat().st_mtime
    except OSError:
        return 0.0
