"""Listens at ports of loopback, also at such as another program has just now."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from websockets.asyncio.server import Server

from app.core.signals import Signal
from app.core.tasks import TaskSupervisor

RETRY_SECONDS = 3.0

# Begins to listen at a port, 0 for any that is free. Raises OSError.
Listen = Callable[[int], Awaitable[Server]]


class LoopbackListener:
    """The ports at which pages find us. One that another program has is taken over as soon as that
    lets go of it: pages of other machines know no other, and the system lends any to a program that
    goes somewhere itself.

    Signals:
        changed: it listens at one more.
    """

    def __init__(self, listen: Listen) -> None:
        self.changed: Signal[None] = Signal("changed")
        self.retry_seconds = RETRY_SECONDS
        self._listen = listen
        self._servers: dict[int, Server] = {}  # by port
        self._taken: dict[int, None] = {}
        self._tasks = TaskSupervisor()

    @property
    def port(self) -> int:
        """The first at which it listened, and does until it ends; 0 before and after."""
        return next(iter(self._servers), 0)

    @property
    def ports(self) -> tuple[int, ...]:
        """All at which it listens now."""
        return tuple(self._servers)

    @property
    def taken(self) -> tuple[int, ...]:
        """Those that were asked for, and that another program has."""
        return tuple(self._taken)

    async def start(self, wanted: Iterable[int]) -> None:
        """Listen at these ports, and at any other while none of them is free. Raises OSError."""
        self._taken = dict.fromkeys(wanted)
        await self._try_all()
        if not self._servers:
            self._add(await self._listen(0))
        if self._taken:
            self._tasks.spawn(self._keep_trying(), name="waiting for a port")

    async def aclose(self) -> None:
        """Listen no more."""
        await self._tasks.aclose()
        servers, self._servers, self._taken = self._servers, {}, {}
        for server in servers.values():
            server.close()
        for server in servers.values():
            await server.wait_closed()

    async def _keep_trying(self) -> None:
        while self._taken:
            await asyncio.sleep(self.retry_seconds)
            if await self._try_all():
                self.changed.emit(None)

    async def _try_all(self) -> bool:
        """Whether one of those that were taken was free."""
        for port in (were_taken := self.taken):
            try:
                server = await self._listen(port)
            except OSError:
                continue
            del self._taken[port]
            self._add(server)
        return self.taken != were_taken

    def _add(self, server: Server) -> None:
        self._servers[int(server.sockets[0].getsockname()[1])] = server
