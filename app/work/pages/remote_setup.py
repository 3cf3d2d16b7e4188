"""Pairs with pages of SillyTaverns on other machines, as the user wants."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from app.core.errors import BridgeError, UsageError
from app.core.signals import Signal
from app.core.translation import tr
from app.sillytavern.remote.pairing_code import PairingCode, ShownCode
from app.sillytavern.remote.remote_taverns import RemoteTaverns
from app.views.taverns import RemoteTavern
from app.work.pages.bridge_health import TAKEN
from app.work.pages.link import PREFERRED_PORT, BridgeLink


class RemoteSetup:
    """The SillyTaverns that are paired, and the code for one more.

    folder: where their copies lie. library_changed: called when there is one more, or one less.

    Signals:
        changed: one was paired or forgotten, or the code holds no more.
        paired: the tavern, as soon as its page brought the code.
    """

    def __init__(
        self, folder: Path, link: BridgeLink, library_changed: Callable[[], Awaitable[None]]
    ) -> None:
        self._taverns = RemoteTaverns(folder)
        self._link = link
        self._library_changed = library_changed
        self._code = PairingCode(time.monotonic)
        self._pairing = asyncio.Lock()
        self.changed: Signal[None] = Signal("changed")
        self.paired: Signal[RemoteTavern] = Signal("paired")

    @property
    def taverns(self) -> tuple[RemoteTavern, ...]:
        """Those that are paired, in the order of their pairing."""
        return self._taverns.all

    @property
    def copies(self) -> tuple[Path, ...]:
        """Folders of their copies."""
        return tuple(tavern.folder for tavern in self._taverns.all)

    @property
    def ports(self) -> tuple[int, ...]:
        """Where those that are paired look for us, the usual port without any."""
        looked_at = dict.fromkeys(one.port for one in self._taverns.all if one.is_paired)
        return tuple(looked_at) or (PREFERRED_PORT,)

    async def load(self) -> None:
        """Know again who was paired."""
        await asyncio.to_thread(self._taverns.load)

    def start(self) -> None:
        """Let in those that are paired, and take codes, from now on."""
        for tavern in self._taverns.all:
            if tavern.is_paired:
                self._link.let_in(tavern)
        self._link.open_door(self._on_pair, lambda: self._code.shown is not None)

    def is_connected(self, tavern: RemoteTavern) -> bool:
        """Whether a page of it is there now."""
        return any(page.user_folder == tavern.folder for page in self._link.pages)

    def problem(self, folder: Path) -> str:
        """Why no page of the one whose copy lies there can come, "" where it can."""
        tavern = self._taverns.of(folder)
        if tavern is None or not tavern.is_paired or tavern.port not in self._link.taken_ports:
            return ""
        return tr(TAKEN, port=tavern.port) + "."

    # --- the code

    @property
    def code(self) -> ShownCode | None:
        """The code that holds now, None for none."""
        return self._code.shown

    @property
    def code_text(self) -> str:
        """The code as it is typed, with the port where that is not the usual one."""
        shown, port = self._code.shown, self._link.port
        if shown is None:
            return ""
        return shown.text if port == PREFERRED_PORT else f"{shown.text}@{port}"

    def show_code(self) -> ShownCode:
        """Make a code for one page. Raises UsageError where no page could come."""
        if not self._link.port:
            raise UsageError(tr("Tavernkeep is not accepting SillyTavern's pages right now."))
        return self._code.show()

    def withdraw_code(self) -> None:
        """No code holds any more."""
        self._code.withdraw()
        self.changed.emit(None)

    async def _on_pair(self, origin: str, typed: str, port: int) -> str:
        """The token for a page that brought the code to a port of ours. Raises BridgeError."""
        async with self._pairing:
            try:
                self._code.use(typed)
            except BridgeError:
                self.changed.emit(None)  # one try less
                raise
            tavern = await asyncio.to_thread(self._taverns.add, origin, port)
            await self._link.part(tavern.folder)  # the old token is void
            self._link.let_in(tavern)
        await self._library_changed()
        self.paired.emit(tavern)
        self.changed.emit(None)
        return tavern.token

    async def forget(self, tavern: RemoteTavern) -> None:
        """Let a tavern's pages in no more. Their chats stay as they were copied."""
        await self._link.part(tavern.folder)
        await asyncio.to_thread(self._taverns.forget, tavern)
        self.changed.emit(None)

    async def erase(self, tavern: RemoteTavern) -> None:
        """Let a tavern's pages in no more, and take the copies of their chats away."""
        await self._link.part(tavern.folder)
        await asyncio.to_thread(self._taverns.erase, tavern)
        await self._library_changed()
        self.changed.emit(None)
