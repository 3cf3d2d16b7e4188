"""Takes over the settings that the user chose in Smart Memory, when the user says so."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from app.core.errors import UsageError
from app.settings.values import REGISTRY, Settings
from app.sillytavern.extensions import loose_json as loose
from app.sillytavern.extensions.smart_memory_settings import ChangedSettings, changed_settings
from app.sillytavern.json_file import load_object
from app.story.story import ChatRef
from app.views.offered_settings import NewSettings, TheirSettings
from app.work.chats.open_chats import OpenChats
from app.work.edits.settings_file import SettingsFile


class ExtensionSettings:
    """`path` is that of an open chat, whose history keeps the step; UsageError for others."""

    def __init__(self, settings: Settings, chats: OpenChats, file: SettingsFile) -> None:
        self._settings = settings
        self._chats = chats
        self._file = file

    async def found(self, path: Path) -> TheirSettings:
        """What is otherwise there, and wished so."""
        chat = self._chats.required(path).chat
        changed = await asyncio.to_thread(_changed, chat)
        values: dict[str, Any] = {}
        unfit = 0
        for name, value in changed.values.items():
            try:
                fitting = REGISTRY[name].checked(value)
            except UsageError:
                unfit += 1
                continue
            if fitting != self._settings[name]:
                values[name] = fitting
        return TheirSettings(values, changed.left_out + unfit)

    async def take_over(self, path: Path) -> TheirSettings:
        """Let them hold for all chats, as one step that undo takes back; gives what they were.

        What held before is kept in a file, too. Raises StoreError when that cannot be written.
        """
        found = await self.found(path)
        if found:
            await self._file.take_over(NewSettings(dict(found.values), 0), path=path)
        return found


def _changed(chat: ChatRef) -> ChangedSettings:
    if chat.user_folder is None:
        return ChangedSettings()
    held = load_object(chat.user_folder / "settings.json")
    return changed_settings(loose.object_at(held, "extension_settings"))
