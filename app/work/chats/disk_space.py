"""Watches a full disk, and has what waits in memory written as soon as there is room."""

from __future__ import annotations

import asyncio
from pathlib import Path

from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.store.store import Store

LOOK_SECONDS = 3.0


class Room:
    """Says in one sentence that the disk of the data folder is full, while it is.

    Signals:
        changed: it is full now, or has room again.
    """

    def __init__(self, store: Store, folder: Path, tasks: TaskSupervisor) -> None:
        self._store = store
        self._folder = folder
        self._tasks = tasks
        self._looking: asyncio.Task[None] | None = None
        self.changed: Signal[None] = Signal("changed")
        store.out_of_room.connect(self._on_out_of_room)

    @property
    def sentence(self) -> str:
        """What to do about a full disk, "" while there is room."""
        if not self._store.is_out_of_room:
            return ""
        return tr(
            "The disk is full: {folder}. Everything new is held in memory until there is room. "
            "Keep Tavernkeep open until then.",
            folder=self._folder,
        )

    async def look(self) -> None:
        """See whether there is room now."""
        await self._store.try_room()

    def _on_out_of_room(self, is_full: bool) -> None:
        if is_full and (self._looking is None or self._looking.done()):
            self._looking = self._tasks.spawn(self._look_again(), name="waiting for room")
        self.changed.emit(None)

    async def _look_again(self) -> None:
        while self._store.is_out_of_room:
            await asyncio.sleep(LOOK_SECONDS)
            await self._store.try_room()
