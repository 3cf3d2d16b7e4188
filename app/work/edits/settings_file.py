"""Settings as a file of the user's: given away, and taken over after a look at all of it.

Taking over is one step that undo takes back, in the history of the chat that was open then.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from app.core.errors import StoreError, UsageError
from app.core.translation import N_, tr
from app.llm.backends.specs import OLLAMA_URL, parse_spec
from app.settings.program import ProgramSettings
from app.settings.setting import Scope
from app.settings.values import REGISTRY, Settings, fits
from app.sillytavern.guarded_write import write_file_atomically
from app.store.store import Store
from app.views.offered_settings import NewSettings
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.edits.setting_changes import OF_MODELS
from app.work.edits.user_files import UserFiles

KIND = "settings of Tavernkeep"
VERSION = 1
LARGEST = 1_000_000  # bytes
# Of this machine, or of one chat: where folders are, how the window stands, presets that are here.
NOT_GIVEN = frozenset(
    {
        *("tavern", "window_state", "memories_shown", "lore_done", "recap_pins", "prompt_preset"),
        "backend_typed",
    }
)
IMPORT, IMPORT_TAKEN_BACK = N_("import of settings"), N_("import of settings undone")
NO_FILE = N_("This is not a Tavernkeep settings file. Nothing was changed.")


async def read_settings(source: Path, settings: Settings) -> NewSettings:
    """What a file would change of these; each value is looked at. Raises UsageError, says which."""
    return _understood(await UserFiles.read(source, LARGEST + 1), settings)


def _understood(data: bytes, settings: Settings) -> NewSettings:
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
    for name in ("backend", *OF_MODELS):
        if wanted.get(name):
            parse_spec(str(wanted[name]))
    changed = {name: value for name, value in wanted.items() if value != settings[name]}
    return NewSettings(changed, len(values) - len(known), tuple(_warnings(changed, settings)))


def _warnings(changed: Mapping[str, Any], settings: Settings) -> Iterator[str]:
    """A file may come from a stranger, and who takes it over wants their texts and colours."""
    models = ("backend", *OF_MODELS)
    known = {*_addresses(settings[name] for name in models), OLLAMA_URL}
    if new := sorted(_addresses(changed.get(name, "") for name in models) - known):
        yield tr("Your stories would be sent to {addresses}.", addresses=", ".join(new))
    if changed.get("mirror_to_chat") or changed.get("auto_hide_scenes", -1) >= 0:
        yield tr("Tavernkeep would write into your chats.")
    if ProgramSettings(settings).daily_cap and changed.keys() & {"daily_cap", "daily_cap_unit"}:
        yield tr("Your daily limit would change.")


def _addresses(specs: Iterable[Any]) -> set[str]:
    return {url for spec in specs if spec and (url := parse_spec(str(spec)).url)}


class SettingsFile:
    """follow: works by a setting that has changed. copies: folder for what was before an import."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        chats: OpenChats,
        follow: Callable[[str], Awaitable[None]],
        copies: Path,
    ) -> None:
        self._settings = settings
        self._store = store
        self._chats = chats
        self._follow = follow
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
        await UserFiles.write(target, self.text().encode(), may_replace=True)

    async def read(self, source: Path) -> NewSettings:
        """What a file would change; every value is looked at. Raises UsageError, says which one."""
        return await read_settings(source, self._settings)

    async def take_over(self, new: NewSettings, *, path: Path | None = None) -> Path:
        """Make the values hold; gives the file that keeps what held before.

        path: the open chat in whose history this is a step, None where no chat is open. Raises
        StoreError when that file cannot be written: then nothing is changed.
        """
        stem = f"settings {time.strftime('%Y-%m-%d %H.%M.%S')}"
        kept, text = self._copies / f"{stem}.json", self.text().encode()

        def keep() -> Path:
            self._copies.mkdir(parents=True, exist_ok=True)
            target, number = kept, 1
            while target.exists():  # of the same second, maybe before the clock was set back
                number += 1
                target = kept.with_name(f"{stem} ({number}).json")
            write_file_atomically(target, text)
            return target

        try:
            kept = await asyncio.to_thread(keep)
        except OSError as error:
            raise StoreError(
                tr("{kept} cannot be written, so nothing was changed.", kept=kept)
            ) from error
        before = {name: self._settings[name] for name in new.values}
        await self._put(new.values, IMPORT, path)
        self._before, self._taken = before, dict(new.values)
        return kept

    async def _put(self, values: Mapping[str, Any], label: str, path: Path | None) -> None:
        table, journal = self._store.settings, self._store.undo

        def unit() -> None:
            for name, value in values.items():
                table.save(Scope.GLOBAL.value, "", name, value)

        if path is None or journal.is_sealed:
            await self._store.run(unit)
        else:
            chat_id = self._chats.required(path).chat_id
            await self._store.run(lambda: journal.record_if_any(chat_id, label, unit))
        await self._hold(values)

    async def take_in(self, _chat: OpenChat) -> None:
        """Work by what undo or redo put into the store."""
        moved = await self._store.run(self._store.settings.moved)
        known = {name: value for name, value in moved.items() if name in REGISTRY}
        await self._hold({n: v for n, v in known.items() if v is None or fits(n, v)})

    async def _hold(self, values: Mapping[str, Any]) -> None:
        changed = [name for name, value in values.items() if value != self._settings[name]]
        for name in changed:
            if values[name] is None:
                self._settings.reset(name)
            else:
                self._settings.put(name, values[name])
        for name in changed:
            await self._follow(name)

    @property
    def can_take_back(self) -> bool:
        """Whether a file was taken over since the start, and something of it holds."""
        return bool(self._back())

    async def take_back(self, *, path: Path | None = None) -> int:
        """Let hold again what the last file replaced, in one step; gives how many settings that
        were. What was changed by hand since stays. path: as in `take_over`.
        """
        back = self._back()
        await self._put(back, IMPORT_TAKEN_BACK, path)
        return len(back)

    def _back(self) -> dict[str, Any]:
        taken = self._taken
        return {n: was for n, was in self._before.items() if self._settings[n] == taken[n]}
