"""Who owns which task: each has one supervisor that awaits or cancels it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from app.core.signals import Signal

log = logging.getLogger(__name__)

T = TypeVar("T")


class TaskSupervisor:
    """Keeps a strong reference to every task, logs its failure, and ends all at shutdown.

    Signals:
        failed: (name, error), emitted once for each task that raised.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self.is_closed = False  # from then on nobody waits for a task that is begun
        self.failed: Signal[tuple[str, BaseException]] = Signal("failed")

    def spawn(self, coroutine: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
        """Start a task that lives at most as long as this supervisor."""
        task = asyncio.get_running_loop().create_task(coroutine, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._on_done)
        return task

    def _on_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            log.error("Task %s failed", task.get_name(), exc_info=error)
            self.failed.emit((task.get_name(), error))

    async def aclose(self) -> None:
        """Cancel what is left and wait until every task has cleaned up."""
        self.is_closed = True
        while tasks := tuple(self._tasks):
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
