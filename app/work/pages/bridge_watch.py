"""Looks again and again how the bridge stands in each tavern, since others write there too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.sillytavern.bridge import bridge_installer
from app.views.bridge import BridgeState

LOOK_SECONDS = 3.0
SEEK_SECONDS = 20.0  # in which a page that is open finds a program that has just begun


class BridgeWatch:
    """Knows of each tavern whether its pages could reach us, and if not, why.

    state_of: reads how the bridge stands in a user folder; None when that is known elsewhere.

    Signals:
        changed: a tavern stands otherwise than before, or the first look for a page is over.
        returned: the user folder of a tavern that has the bridge and had none.
    """

    def __init__(self, state_of: Callable[[Path], BridgeState | None]) -> None:
        self.changed: Signal[None] = Signal("changed")
        self.returned: Signal[Path] = Signal("returned")
        self.is_seeking = False
        self._state_of = state_of
        self._states: dict[Path, BridgeState] = {}
        self._settings: dict[Path, tuple[float, bool]] = {}  # read anew when they are newer
        self._tasks = TaskSupervisor()

    @property
    def states(self) -> Mapping[Path, BridgeState]:
        """How each tavern stood when it was last looked at."""
        return self._states

    def start(self) -> None:
        """Look from now on; the pages that are open have a moment to come."""
        self.is_seeking = True
        self._tasks.spawn(self._seek(), name="looking for a page")
        self._tasks.spawn(self._look_forever(), name="looking at the bridges")

    async def add(self, user_folder: Path) -> None:
        """Look at this one too, at once."""
        self._states[user_folder] = await asyncio.to_thread(self._look, user_folder)

    def forget(self, user_folder: Path) -> None:
        """Look at it no more."""
        self._states.pop(user_folder, None)

    def end_seeking(self) -> None:
        """A page came: one that goes again is not one that is looked for."""
        self.is_seeking = False

    async def aclose(self) -> None:
        """Look no more."""
        await self._tasks.aclose()

    async def _seek(self) -> None:
        await asyncio.sleep(SEEK_SECONDS)
        if self.is_seeking:
            self.is_seeking = False
            self.changed.emit(None)

    async def _look_forever(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for user_folder, before in tuple(self._states.items()):
                now = await asyncio.to_thread(self._look, user_folder)
                if now is before or self._states.get(user_folder) is not before:
                    continue
                self._states[user_folder] = now
                if before is BridgeState.ABSENT:
                    self.returned.emit(user_folder)
                self.changed.emit(None)

    def _look(self, user_folder: Path) -> BridgeState:
        before = self._states.get(user_folder, BridgeState.ABSENT)
        if not user_folder.is_dir():  # the whole of SillyTavern is away, which is told elsewhere
            return before
        state = self._state_of(user_folder)
        if state is BridgeState.PAIRED and self._is_switched_off(user_folder):
            return BridgeState.SWITCHED_OFF
        return before if state is None else state

    def _is_switched_off(self, user_folder: Path) -> bool:
        try:
            written = (user_folder / "settings.json").stat().st_mtime
        except OSError:
            return False
        known = self._settings.get(user_folder)
        if known is None or known[0] != written:
            known = (written, bridge_installer.is_switched_off(user_folder))
            self._settings[user_folder] = known
        return known[1]
