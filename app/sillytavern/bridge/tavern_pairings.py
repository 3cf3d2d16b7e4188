"""The taverns whose pages may come: paired, told of new tokens, and parted from again."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from pathlib import Path

from websockets.datastructures import Headers

from app.core.errors import BridgeError
from app.core.tasks import TaskSupervisor
from app.sillytavern.bridge import bridge_handshake, bridge_installer
from app.sillytavern.bridge.bridge_file import RETRY_SECONDS, BridgeFile
from app.sillytavern.bridge.bridge_pairing import Pairing
from app.sillytavern.bridge.bridge_taverns import PairedTavern
from app.views.bridge import BridgeState

log = logging.getLogger(__name__)


class TavernPairings:
    """Keeps the pairing file of each tavern on this machine as it has to be.

    session: of the program's run. port: where pages find us, 0 where they do not.
    allowed_origins: beside loopback.
    """

    def __init__(
        self,
        session: str,
        port: Callable[[], int],
        tasks: TaskSupervisor,
        allowed_origins: Iterable[str],
    ) -> None:
        self._session, self._port, self._tasks = session, port, tasks
        self.allowed_origins = frozenset(origin.rstrip("/").lower() for origin in allowed_origins)
        self._pairing = Pairing()
        self._taverns: dict[Path, PairedTavern] = {}
        self._unwritten: set[Path] = set()  # taverns whose pairing could not be written last

    def get(self, user_folder: Path) -> PairedTavern | None:
        """A paired tavern."""
        return self._taverns.get(user_folder)

    @property
    def folders(self) -> tuple[Path, ...]:
        """User folders of all that are paired."""
        return tuple(self._taverns)

    async def add(self, user_folder: Path) -> bool:
        """Pair with a tavern; see BridgeServer.add_tavern."""
        tavern = self._taverns.get(user_folder)
        if tavern is None:
            file = BridgeFile(user_folder, self._session, self._tasks)
            tavern = PairedTavern(secrets.token_urlsafe(32), file)
        is_installed = await self._pairing.write(user_folder, self._port(), tavern.token)
        if is_installed:
            self._taverns[user_folder] = tavern
        return is_installed

    def add_remote(self, folder: Path, origin: str, token: str) -> None:
        """Let in the pages of a tavern on another machine; see BridgeServer.add_remote."""
        self._taverns[folder] = PairedTavern(token, origin=origin)

    def take(self, user_folder: Path) -> PairedTavern | None:
        """Let none of its pages in any more; its file still says how to come, see `part_from`."""
        return self._taverns.pop(user_folder, None)

    async def part_from(self, user_folder: Path, tavern: PairedTavern) -> None:
        """Let the pages of one that was taken away find no pairing any more."""
        if tavern.file is not None:
            await self.write(user_folder, "")
            await tavern.file.aclose()

    async def rotate_tokens(self) -> set[Path]:
        """Give every tavern a new token; gives those that were told of it.

        A tavern that cannot be told keeps the old one: its pages would not come back.
        """
        told = set()
        for user_folder, tavern in self.local():
            old, tavern.token = tavern.token, secrets.token_urlsafe(32)
            if await self.write(user_folder, tavern.token):
                told.add(user_folder)
            else:
                tavern.token = old
        return told

    def refusal(self, headers: Headers) -> tuple[HTTPStatus, str] | None:
        """Why a page with these headers may not come, None when it may."""
        pinned = {tavern.origin for tavern in self._taverns.values() if tavern.is_remote}
        if not bridge_handshake.is_allowed_origin(headers, self.allowed_origins | pinned):
            return HTTPStatus.FORBIDDEN, "unknown origin\n"
        if self.folder_of(headers) is None:
            return HTTPStatus.UNAUTHORIZED, "unknown token\n"
        return None

    def folder_of(self, headers: Headers) -> Path | None:
        """The user folder of the tavern that a page is of, None for one that may not come."""
        found = None
        for user_folder, tavern in self._taverns.items():
            if tavern.lets_in(headers, self.allowed_origins):
                found = user_folder
        return found

    def state_of(self, user_folder: Path) -> BridgeState | None:
        """How the bridge stands there; reads files. None while the pairing cannot be written."""
        found = bridge_installer.read_pairing(user_folder)
        if found is None:
            return BridgeState.ABSENT
        if user_folder in self._unwritten:
            return None
        tavern = self._taverns.get(user_folder)
        is_same = tavern is not None and found == (self._port(), tavern.token)
        return BridgeState.PAIRED if is_same else BridgeState.UNPAIRED

    async def write(self, user_folder: Path, token: str) -> bool:
        """Whether it could be written; a failure is logged once, until it works again."""
        try:
            await self._pairing.write(user_folder, self._port() if token else 0, token)
        except BridgeError as error:
            if user_folder not in self._unwritten:
                log.warning("%s", error)
            self._unwritten.add(user_folder)
            return False
        self._unwritten.discard(user_folder)
        return True

    def choose_parts(self, parts: Mapping[str, bool]) -> None:
        """Which parts of the page are wanted; pages also know while we do not run."""
        self._pairing.parts = dict(parts)
        for user_folder, tavern in self.local():
            self._tasks.spawn(self._keep_pairing(user_folder, tavern), name="bridge parts")

    def local(self) -> list[tuple[Path, PairedTavern]]:
        """The taverns that are told in a file of theirs how to reach us."""
        return [entry for entry in self._taverns.items() if not entry[1].is_remote]

    async def _keep_pairing(self, user_folder: Path, tavern: PairedTavern) -> None:
        """Write a pairing, again and again until it is as it has to be."""
        while self._taverns.get(user_folder) is tavern:
            token = tavern.token
            if not await self.write(user_folder, token):
                await asyncio.sleep(RETRY_SECONDS)
            elif token == tavern.token:
                return
