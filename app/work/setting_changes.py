"""Changes settings: looks at a value, stores it, and lets the program follow it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from app.llm.specs import parse_spec
from app.settings import Settings, ValueInForce
from app.sillytavern.data_folders import find_taverns
from app.store.store import Store
from app.work.open_chats import OpenChats
from app.work.prompt_edits import PromptEdits


class SettingChanges:
    """Settings for all chats, or for one that is open.

    follow: awaited with the name of a setting that became different.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        chats: OpenChats,
        prompts: PromptEdits,
        follow: Callable[[str], Awaitable[None]],
    ) -> None:
        self._store = store
        self._settings = settings
        self._chats = chats
        self._prompts = prompts
        self._follow = follow

    async def put(self, name: str, value: Any, *, path: Path | None = None) -> None:
        """Change a setting, for one chat when `path` is given.

        Raises UsageError, or NoTavern, for what makes no sense; then nothing is changed.
        """
        chat_id = self._chat_id(path)
        await self._check(name, value)
        with self._settings.as_before_on_error(name, chat_id=chat_id):
            key = self._settings.put(name, value, chat_id=chat_id)
            await self._store.run(lambda: self._store.settings.save(*key, value))
        await self._follow(name)

    async def reset(self, name: str, *, path: Path | None = None) -> None:
        """Let a setting's default hold again, or in one chat what holds for all.

        Raises UsageError.
        """
        chat_id = self._chat_id(path)
        with self._settings.as_before_on_error(name, chat_id=chat_id):
            key = self._settings.reset(name, chat_id=chat_id)
            await self._store.run(lambda: self._store.settings.reset(*key))
        await self._follow(name)

    def in_force(self, name: str, *, path: Path | None = None) -> ValueInForce:
        """A setting as it holds for all chats, or for an open one."""
        return self._settings.in_force(name, chat_id=self._chat_id(path))

    def _chat_id(self, path: Path | None) -> int | None:
        return None if path is None else self._chats.required(path).chat_id

    async def _check(self, name: str, value: Any) -> None:
        """What a setting's own range does not tell."""
        if name == "backend" or (name == "embeddings" and value):
            parse_spec(str(value))
        if name == "prompt_preset":
            await self._prompts.check(str(value))
        if name == "tavern" and value:
            await asyncio.to_thread(find_taverns, Path(str(value)))
