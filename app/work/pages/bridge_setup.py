"""Puts the bridge extension into taverns and takes it out, as the user wants."""

from __future__ import annotations

import asyncio
from pathlib import Path

from app.sillytavern.bridge import bridge_installer
from app.sillytavern.page_address import page_address
from app.views.bridge import BridgeState, BridgeStatus
from app.work.pages.link import BridgeLink


class BridgeSetup:
    """The extension in each tavern, and our pairing with it."""

    def __init__(self, link: BridgeLink) -> None:
        self._link = link

    @property
    def own_version(self) -> str:
        """Version of the extension that this program brings along."""
        return bridge_installer.program_version()

    async def install(self, user_folder: Path) -> BridgeStatus:
        """Put the bridge extension into a tavern and pair with it."""
        status = await asyncio.to_thread(bridge_installer.install, user_folder)
        await self._link.pair(user_folder)
        return status

    async def remove(self, user_folder: Path) -> BridgeStatus:
        """Take the bridge extension out of a tavern."""
        await self._link.part(user_folder)
        return await asyncio.to_thread(bridge_installer.remove, user_folder)

    def state(self, user_folder: Path) -> BridgeState | None:
        """How it stood there when it was last looked at; None where nobody looks."""
        return self._link.bridges.get(user_folder)

    async def page_address(self, user_folder: Path) -> str:
        """Where the page of a tavern is opened on this computer."""
        return await asyncio.to_thread(page_address, user_folder)

    async def pair_again(self) -> None:
        """Write anew how to reach us, wherever pages find something else."""
        for user_folder, state in tuple(self._link.bridges.items()):
            if state is BridgeState.UNPAIRED:
                await self._link.pair(user_folder)

    async def status(self, user_folder: Path) -> BridgeStatus:
        """Whether the bridge stands in a tavern."""
        return await asyncio.to_thread(bridge_installer.status, user_folder)
