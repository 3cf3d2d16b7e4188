"""Everything that is kept, in one place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from app.core.moments import moment_text
from app.core.signals import Signal
from app.core.translation import tr
from app.store.clearing import Clearing
from app.store.database.database import Database
from app.store.database.recovery import Recovery
from app.store.memory.branching import Branching
from app.store.memory.memories import Memories
from app.store.memory.memory_modes import MemoryModes
from app.store.memory.vectors import StoredVectors
from app.store.model_uses import ModelUses
from app.store.operations import Operations
from app.store.prompt_facts import StoredPromptFacts
from app.store.search import SearchIndex
from app.store.settings_table import SettingsTable
from app.store.speakers import Speakers
from app.store.stories.activity import Activity
from app.store.stories.catch_ups import CatchUps
from app.store.stories.chats import Chats
from app.store.stories.drafts import Drafts
from app.store.stories.hiding import Hiding
from app.store.stories.recaps import Recaps
from app.store.stories.scenes import Scenes
from app.store.token_counts import TokenCounts
from app.store.tokenizers import Tokenizers
from app.store.turns import Turns
from app.store.undo import UndoJournal

T = TypeVar("T")


class Store:
    """The database with its queries.

    The queries are plain functions for the database's own thread: hand a unit of work to `run`,
    which gives it one transaction, and let it call as many of them as belong together.
    """

    def __init__(self, path: Path, *, backups: Path | None = None, mends: bool = False) -> None:
        self._database = Database(path, backups=backups, mends=mends)
        self.written = self._database.written
        self.chats = Chats(self._database)
        self.hiding = Hiding(self._database)
        self.scenes = Scenes(self._database)
        self.recaps = Recaps(self._database)
        self.memories = Memories(self._database)
        self.memory_modes = MemoryModes(self._database)
        self.branching = Branching(self._database, self.memories, self.memory_modes)
        self.clearing = Clearing(self._database)
        self.drafts = Drafts(self._database)
        self.operations = Operations(self._database)
        self.catch_ups = CatchUps(self._database)
        self.activity = Activity(self._database)
        self.model_uses = ModelUses(self._database)
        self.settings = SettingsTable(self._database)
        self.token_counts = TokenCounts(self._database)
        self.tokenizers = Tokenizers(self._database)
        self.turns = Turns(self._database)
        self.prompt_facts = StoredPromptFacts(self._database)
        self.vectors = StoredVectors(self._database)
        self.search = SearchIndex(self._database)
        self.speakers = Speakers(self._database)
        self.undo = UndoJournal(self._database)

    async def open(self) -> None:
        """Connect and migrate. Raises StoreError, StoreTooNew."""
        await self._database.open()

    @property
    def recovery(self) -> Recovery | None:
        """What was done at opening about a damaged database."""
        return self._database.recovery

    @property
    def found_at_opening(self) -> str:
        """What is to be told at the start: a damaged database, or what a full disk has cost."""
        recovery, lost_since = self._database.recovery, self._database.lost_since
        mended = "" if recovery is None else recovery.sentence
        if not lost_since:
            return mended
        lost = tr(
            "The disk was full from {moment} on, and Tavernkeep closed before there was room. "
            "What you changed and what it wrote after that is lost. Your chats are unchanged; "
            "missing recaps and memories are made again.",
            moment=moment_text(lost_since),
        )
        return f"{mended} {lost}".strip()

    @property
    def out_of_room(self) -> Signal[bool]:
        """Tells when the disk is full, so that what is written waits in memory, and when not."""
        return self._database.out_of_room

    @property
    def is_out_of_room(self) -> bool:
        """Whether what is written waits in memory."""
        return self._database.is_out_of_room

    async def try_room(self) -> None:
        """Write what waits in memory, where there is room again."""
        await self._database.try_room()

    async def back_up_if_due(self) -> None:
        """Keep a checked copy of the database, one a day. Raises StoreError."""
        await asyncio.to_thread(self._database.back_up_if_due)

    async def run(self, unit: Callable[[], T]) -> T:
        """Do the unit on the database's thread, all of it or nothing."""
        return await self._database.run(unit)

    async def run_undoable(self, chat_id: int, label: str, unit: Callable[[], T]) -> T:
        """The same as an action that the user can take back by name."""
        return await self._database.run(lambda: self.undo.record(chat_id, label, unit))

    def within(self, seconds: float) -> AbstractContextManager[None]:
        """Inside of a unit: no statement takes longer. Raises TimeoutError."""
        return self._database.within(seconds)

    async def aclose(self) -> None:
        """Finish and close."""
        await self._database.aclose()
