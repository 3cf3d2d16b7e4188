"""What a companion is made of, opened before it and closed after it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import AlreadyRunning
from app.core.paths import Folders
from app.core.translation import N_, tr
from app.languages import LanguagePacks
from app.llm.backends.api_keys import ApiKeys
from app.settings.values import Settings
from app.store.folder_lock import ENDING, FolderLock
from app.store.store import Store
from app.story.scene_cues.language import LanguagePack

LOCK_SECONDS = 600.0
GLANCE_SECONDS = 0.5  # another start holds the lock for a moment to see whether it is free
UNCHANGED_WHEN_SAFE = N_("Safe mode does not change stories. Start normally to do that.")


@dataclass(frozen=True, slots=True)
class StartOptions:
    """How a companion is to work.

    tavern: where SillyTavern's data are, None: the setting, else the usual places. llm: backend
    spec in place of the setting. watch: follow SillyTavern's files and pages. asks_first: there
    is somebody to ask before a model is given a long backlog. keeps_memory: memories are wanted
    beside recaps. reads_to_the_end: for memory also the last reply, which nobody swipes any more;
    None: where nothing is watched. is_safe: stay and show what there is, but neither watch nor
    work, and refuse to change a story.
    """

    tavern: Path | None = None
    llm: str | None = None
    watch: bool = True
    asks_first: bool = False
    keeps_memory: bool = False
    reads_to_the_end: bool | None = None
    is_safe: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """The opened parts. lock: held unless another program works in the data folder."""

    folders: Folders
    store: Store
    settings: Settings
    packs: Sequence[LanguagePack]
    lock: FolderLock
    keys: ApiKeys
    options: StartOptions


@asynccontextmanager
async def open_parts(folders: Folders, options: StartOptions) -> AsyncIterator[Parts]:
    """Everything that has to be closed again.

    Raises StoreError when the data folder cannot be used, AlreadyRunning when another program
    follows SillyTavern from it.
    """
    lock = FolderLock(folders.data)
    store: Store | None = None
    try:
        await _take_lock(lock, stays=options.watch or options.is_safe)
        mends = lock.is_held and not options.is_safe
        store = Store(folders.database, backups=folders.backups, mends=mends)
        await store.open()
        if options.is_safe:
            store.undo.seal(tr(UNCHANGED_WHEN_SAFE))
        settings = Settings(await store.run(store.settings.load))
        packs = LanguagePacks()
        keys = ApiKeys(folders.data / "keys.json")
        await keys.load()
        yield Parts(folders, store, settings, packs, lock, keys, options)
    finally:
        if store is not None:
            await store.aclose()
        lock.release()


async def _take_lock(lock: FolderLock, *, stays: bool) -> None:
    """A command waits for another command; a program that stays is not waited for."""
    began = time.monotonic()
    while not lock.acquire("program" if stays else "command"):
        if stays and time.monotonic() > began + GLANCE_SECONDS:
            raise AlreadyRunning(
                tr(
                    "Tavernkeep is already running with this data folder. Close it first, or "
                    "choose another folder with --data-dir."
                ),
                is_ending=lock.holder() == ENDING,
            )
        is_in_vain = lock.holder() == "program" or time.monotonic() > began + LOCK_SECONDS
        if is_in_vain and not stays:
            return
        await asyncio.sleep(0.1)
