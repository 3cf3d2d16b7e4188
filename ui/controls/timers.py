"""Timers that go off once, so long after they were started last."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def once(owner: QObject, milliseconds: int, slot: Callable[[], object]) -> QTimer:
    """A timer that calls `slot`, not started yet; to start it anew is to wait anew."""
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(slot)
    return timer
