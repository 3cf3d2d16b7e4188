"""Settings as a file of the user's: given away, and taken over after a look at all of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import StoreError, UsageError
from app.llm.specs import parse_spec
from app.settings import REGISTRY, Settings
from app.sillytavern.guarded_write import write_file_atomically
from app.translation import N_, tr

KIND = "settings of Tavernkeep"
VERSION = 1
LARGEST = 1_000_000  # bytes
# Of this machine, or of one chat: where folders are, how the window stands, presets that are here.
NOT_GIVEN = frozenset({"tavern", "window_state", "lore_done", "prompt_preset"})
NO_FILE = N_("This is no file of Tavernkeep's settings. Nothing was changed.")


@dataclass(frozen=True, slots=True)
class NewSettings:
    """What a file would change. values: those that differ from what holds now. unknown: how many
    this version does not know.
    """

    values: dict[str, Any]
    unknown: int


class SettingsFile:
    """put: makes a value hold for all chats. copies: folder for what was before an import."""

    def __init__(
        self, settings: Settings, put: Callable[[str, Any], Awaitable[None]], copies: Path
    ) -> None:
        self._settings = settings
        self._put = put
        self._copies = copies
        self._before: dict[str, Any] = {}
        self._taken: dict[str, Any] = {}

    def text(self) -> str:
        """What holds for all chats, as JSON; nothing of this machine, no key of any server."""
        values = {name: self._settings[name] for name in REGISTRY if name not in NOT_GIVEN}
        held = {"kind": KIND, "version": VERSION, "settings": values}
        return json.dumps(held, ensure_ascii=False, indent=2) + "\n"

    async def save(self, target: Path) -> None:
        """Write them; the user has said that `target` may be replaced. Raises UsageError."""
        data = self.text().encode()
        try:
            await asyncio.to_thread(write_file_atomically, target, data)
        except OSError as error:
            raise UsageError(
                tr(
                    "{target} cannot be written: {reason}.",
                    target=target,
                    reason=error.strerror or error,
                )
            ) from error

    async def read(self, source: Path) -> NewSettings:
        """What a file would change; every value is looked at. Raises UsageError, says which one."""

        def data() -> bytes:
            with source.open("rb") as file:
                return file.read(LARGEST + 1)

        try:
            found = await asyncio.to_thread(data)
        except OSError as error:
            raise UsageError(
                tr(
                    "{source} cannot be read: {reason}.",
                    source=source,
                    reason=error.strerror or error,
                )
            ) from error
        return self._understood(found)

    def _understood(self, data: bytes) -> NewSettings:
        try:
            held = json.loads(data) if len(data) <= LARGEST else None
        except (ValueError, RecursionError):
            held = None
        values = held.get("settings") if isinstance(held, dict) else None
        if not isinstance(held, dict) or held.get("kind") != KIND or not isinstance(values, dict):
            raise UsageError(tr(NO_FILE))
        known = {name: value for name, value in values.items() if name in REGISTRY}
        wanted = {
            name: REGISTRY[name].checked(value)
            for name, value in known.items()
            if name not in NOT_GIVEN
        }
        for name in ("backend", "embeddings"):
            if wanted.get(name):
                parse_spec(str(wanted[name]))
        changed = {name: value for name, value in wanted.items() if value != self._settings[name]}
        return NewSettings(changed, len(values) - len(known))

    async def take_over(self, new: NewSettings) -> Path:
        """Make the values hold; gives the file that keeps what held before.

        Raises StoreError when that file cannot be written: then nothing is changed.
        """
        kept = self._copies / f"settings {time.strftime('%Y-%m-%d %H.%M.%S')}.json"
        before = self.text().encode()

        def keep() -> None:
            self._copies.mkdir(parents=True, exist_ok=True)
            write_file_atomically(kept, before)

        try:
            await asyncio.to_thread(keep)
        except OSError as error:
            raise StoreError(
                tr("{kept} cannot be written: nothing was changed.", kept=kept)
            ) from error
        self._before = {name: self._settings[name] for name in new.values}
        self._taken = dict(new.values)
        for name, value in new.values.items():
            await self._put(name, value)
        return kept

    @property
    def can_take_back(self) -> bool:
        """Whether a file was taken over since the start, and not taken back."""
        return bool(self._before)

    async def take_back(self) -> int:
        """Let hold again what the last file replaced, in one step; gives how many settings that
        were. What was changed by hand since stays.
        """
        before, taken = self._before, self._taken
        self._before, self._taken = {}, {}
        back = {name: was for name, was in before.items() if self._settings[name] == taken[name]}
        for name, value in back.items():
            await self._put(name, value)
        return len(back)
