"""A connection to the bridge that counts itself among all, and ends where there are too many."""

from __future__ import annotations

import asyncio
from collections.abc import Container
from typing import Any

from websockets.asyncio.server import ServerConnection

MOST_CONNECTIONS = 64  # also of those who have not said yet who they are


class BoundedConnection(ServerConnection):
    """Each takes a descriptor, and so does the database. Where there are too many, the one ends
    that has waited longest without saying who it is: whoever keeps opening some keeps no page out.

    connections: all of them, the oldest first. known: those that have said who they are.
    """

    def __init__(
        self,
        connections: dict[ServerConnection, None],
        known: Container[ServerConnection],
        *args: Any,
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self._connections = connections
        self._known = known

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._connections[self] = None
        if len(self._connections) > MOST_CONNECTIONS:
            stranger = next(one for one in self._connections if one not in self._known)
            del self._connections[stranger]
            stranger.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.pop(self, None)
        super().connection_lost(exc)
