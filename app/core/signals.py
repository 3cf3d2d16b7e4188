"""Typed signals without Qt: the program says what changed, whoever listens."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakMethod

log = logging.getLogger(__name__)

T = TypeVar("T")


class Signal(Generic[T]):
    """Calls its receivers, in the order of their connection, with one payload.

    Bound methods are held weakly, so a closed window stops listening by itself;
    plain functions are held strongly. A receiver that raises is logged and does
    not keep the others from hearing.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._receivers: list[Callable[[], Callable[[T], object] | None]] = []

    def connect(self, receiver: Callable[[T], object]) -> None:
        """Call `receiver(payload)` at each emission."""
        if hasattr(receiver, "__self__"):
            self._receivers.append(WeakMethod(receiver))
        else:
            self._receivers.append(lambda: receiver)

    def disconnect(self, receiver: Callable[[T], object]) -> None:
        """Stop calling `receiver`; unknown ones are ignored."""
        self._receivers = [r for r in self._receivers if r() not in (None, receiver)]

    def emit(self, payload: T) -> None:
        """Tell all receivers."""
        for reference in tuple(self._receivers):
            receiver = reference()
            if receiver is None:
                self._receivers.remove(reference)
                continue
            try:
                receiver(payload)
            except Exception:
                log.exception("A receiver of %s failed", self.name)
