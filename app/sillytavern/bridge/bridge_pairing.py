"""Tells the pages of taverns how to reach the program, and what of it they are to show."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from app.sillytavern.bridge import bridge_installer


class Pairing:
    """Writes the pairing files, one at a time: what was asked for last is what holds.

    parts: which parts of the page are wanted, also while nobody is there; see `page_...` settings.
    """

    def __init__(self) -> None:
        self.parts: Mapping[str, bool] = {}
        self._lock = asyncio.Lock()

    async def write(self, user_folder: Path, port: int, token: str) -> bool:
        """Whether the bridge is installed there. port 0: nobody is there. Raises BridgeError."""
        async with self._lock:
            return await asyncio.to_thread(
                bridge_installer.write_pairing, user_folder, port, token, self.parts
            )
