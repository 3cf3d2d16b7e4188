"""What the user does with prompts; what is in force afterwards writes from then on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from app.errors import StoreError, UsageError
from app.llm.prompt_library import PromptLibrary, PromptTask
from app.llm.prompt_presets import Conflict, Imported, PromptPresets

T = TypeVar("T")

BUSY = "Another Tavernkeep works in this data folder: change prompts there, or close it first."


class PromptEdits:
    """Shows, changes, names, gives away and takes in prompts, one change at a time.

    preset: name of the one in force, "" for none. use: puts another in force. changed: told when
    the prompts in force became others. Every call raises UsageError for a task or preset that
    there is not, PromptUnusable for a file or text that cannot be used, and then changes nothing;
    those that change something raise StoreError while another program works in the folder.
    """

    def __init__(
        self,
        folder: Path,
        *,
        preset: Callable[[], str],
        use: Callable[[str], Awaitable[None]],
        changed: Callable[[], Awaitable[None]],
        is_reading_only: Callable[[], bool],
    ) -> None:
        self._presets = PromptPresets(folder)
        self._preset = preset
        self._use = use
        self._changed = changed
        self._is_reading_only = is_reading_only
        self._lock = asyncio.Lock()

    @property
    def folder(self) -> Path:
        """Where the user's own files in force are; it need not be there."""
        return self._library.folder

    async def tasks(self) -> tuple[PromptTask, ...]:
        """All tasks, each with ours or yours in force."""
        return await asyncio.to_thread(self._library.tasks)

    async def text(self, task: str) -> str:
        """The prompt file in force."""
        return await asyncio.to_thread(self._library.text, task)

    async def shipped_text(self, task: str) -> str:
        """Our prompt file."""
        return await asyncio.to_thread(self._library.shipped_text, task)

    async def save(self, task: str, text: str) -> PromptTask:
        """Put your text in force, in the preset that is in force."""
        saved = await self._do(lambda: self._library.save(task, text))
        await self._changed()
        return saved

    async def revert(self, task: str) -> bool:
        """Go back to ours; false when it was ours."""
        is_changed = await self._do(lambda: self._library.revert(task))
        if is_changed:
            await self._changed()
        return is_changed

    async def presets(self) -> tuple[str, ...]:
        """Names of all presets."""
        return await asyncio.to_thread(self._presets.names)

    async def save_preset(self, name: str, *, replace: bool = False) -> str:
        """Keep your prompts as they are under a name; gives it as it is kept."""
        kept = await self._do(lambda: self._presets.save(name, self._library, replace=replace))
        if self._is_in_force(kept):
            await self._changed()
        return kept

    async def use_preset(self, name: str) -> None:
        """Put a preset in force, with "" your prompts outside of any."""
        if self._is_reading_only():
            raise StoreError(BUSY)
        await self._use(name)

    async def delete_preset(self, name: str) -> None:
        """Delete a preset; when it is in force, your prompts outside of any are then."""
        is_in_force = self._is_in_force(name)
        await self._do(lambda: self._presets.delete(name))
        if is_in_force:
            await self._use("")

    async def exported(self) -> bytes:
        """All your prompts and presets as one JSON file."""
        return await asyncio.to_thread(self._presets.exported)

    async def take_in(self, data: bytes, conflict: Conflict = Conflict.KEEP) -> Imported:
        """Keep the presets of an exported file. None is put in force by that."""
        done = await self._do(lambda: self._presets.take_in(data, conflict))
        if any(map(self._is_in_force, done.replaced)):
            await self._changed()
        return done

    async def check(self, preset: str) -> None:
        """See that a preset is there and can be used as a whole."""
        await asyncio.to_thread(lambda: self._presets.library(preset).check())

    @property
    def _library(self) -> PromptLibrary:
        return self._presets.in_force(self._preset())

    def _is_in_force(self, preset: str) -> bool:
        return preset.casefold() == self._preset().casefold()

    async def _do(self, change: Callable[[], T]) -> T:
        if self._is_reading_only():
            raise StoreError(BUSY)
        async with self._lock:
            try:
                return await asyncio.to_thread(change)
            except OSError as error:
                raise UsageError(f"The prompts cannot be changed: {error.strerror}.") from error
