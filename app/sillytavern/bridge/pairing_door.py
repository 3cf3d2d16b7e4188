"""Where a page comes that has no token yet: it brings a code, gets an answer, and leaves."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed

from app.core.errors import BridgeError
from app.core.translation import tr
from app.sillytavern.bridge import bridge_handshake
from app.sillytavern.bridge.bridge_protocol import Pair, Paired, decode, encode

CODE_SECONDS = 10.0
AT_ONCE = 4

# (origin of the page, code, port at which it came) -> its token. Raises BridgeError.
OnPair = Callable[[str, str, int], Awaitable[str]]


class PairingDoor:
    """Shut unless somebody waits for a page. is_open: whether a code is shown now."""

    def __init__(self) -> None:
        self.is_open: Callable[[], bool] = lambda: False
        self.on_pair: OnPair | None = None
        self._inside = 0

    def lets_in(self, headers: Headers) -> bool:
        """Whether a page may try a code now, from whatever site it is: the code decides."""
        has_origin = bool(bridge_handshake.origin(headers))
        return has_origin and self.is_open() and self._inside < AT_ONCE

    async def converse(self, connection: ServerConnection) -> None:
        """One try of one page."""
        handshake = connection.request
        if handshake is None or self._inside >= AT_ONCE:
            return
        self._inside += 1
        try:
            with contextlib.suppress(ConnectionClosed, TimeoutError):
                frame = await asyncio.wait_for(connection.recv(), CODE_SECONDS)
                origin = bridge_handshake.origin(handshake.headers)
                port = connection.local_address[1]
                await connection.send(encode(await self._answer(origin, frame, port)))
        finally:
            self._inside -= 1

    async def _answer(self, origin: str, data: str | bytes, port: int) -> Paired:
        if self.on_pair is None:
            return Paired(error=tr("Tavernkeep is not pairing with a page right now."))
        try:
            frame = decode(data)
            if not isinstance(frame, Pair):
                return Paired(error=tr("The bridge extension sent a message that makes no sense."))
            return Paired(token=await self.on_pair(origin, frame.code, port))
        except BridgeError as error:
            return Paired(error=str(error))
