"""Keeps requests to models apart by as much as the user wants."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager


class Spacing:
    """Shared by all that ask a model. seconds: asked for at each request."""

    def __init__(
        self,
        seconds: Callable[[], float],
        *,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._seconds, self._now, self._sleep = seconds, now, sleep
        self._ended: float | None = None

    @property
    def seconds(self) -> float:
        """From the end of a request to the next one."""
        return self._seconds()

    @asynccontextmanager
    async def request(self) -> AsyncIterator[None]:
        """Around one request: wait until it may begin."""
        if self._ended is not None:
            left = self._ended + self.seconds - self._now()
            if left > 0:
                await self._sleep(left)
        try:
            yield
        finally:
            self._ended = self._now()
