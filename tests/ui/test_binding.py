"""The binding itself: what a green suite would not show."""

from __future__ import annotations

import asyncio
import sys

import qasync
from PySide6.QtWidgets import QApplication


def test_qt_calls_do_not_steal_references(qapp: QApplication) -> None:
    """PySide6 6.12.0 on Python 3.11 loses a reference to None with each call, and aborts later."""
    before = sys.getrefcount(None)
    for _ in range(1000):
        qapp.processEvents()
    assert sys.getrefcount(None) > before - 100


async def test_coroutine_tests_of_the_window_run_in_qts_loop() -> None:
    assert isinstance(asyncio.get_running_loop(), qasync.QEventLoop)
