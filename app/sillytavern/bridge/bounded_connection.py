"""A connection to the bridge that counts itself among all, and ends where there are too many."""

from __future__ import annotations

import asyncio
from typing import Any

from websockets.asyncio.server import ServerConnection

MOST_CONNECTIONS = 64  # also of those who have not said yet who they are


class BoundedConnection(ServerConnection):
    """Ends at once where there are too many: each takes a descriptor, and so does the database."""

    def __init__(self, connections: set[ServerConnection], *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._connections = connections

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._connections.add(self)
        if len(self._connections) > MOST_CONNECTIONS:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        super().connection_lost(exc)
