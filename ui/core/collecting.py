"""Garbage is collected on the interface's thread only.

A widget in a reference cycle may be collected wherever Python allocates next. In a worker thread
its timers cannot be stopped, and Qt then delivers their events to freed memory: the program dies.
"""

from __future__ import annotations

import gc
from contextlib import ExitStack

from PySide6.QtCore import QObject, QTimer

from app.core.collecting import sparing_the_old

CHECK_MS = 1000


class GuiThreadCollector(QObject):
    """Switches Python's own collection off and collects by its thresholds from a timer."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sparing = ExitStack()
        self._timer = QTimer(self)
        self._timer.setInterval(CHECK_MS)
        self._timer.timeout.connect(self.collect_due)

    def start(self) -> None:
        """From now on no other thread collects."""
        gc.disable()
        self._sparing.enter_context(sparing_the_old())
        self._timer.start()

    def stop(self) -> None:
        """Collect what is left and give the matter back to Python."""
        self._timer.stop()
        self._sparing.close()
        gc.collect()
        gc.enable()

    def collect_due(self) -> None:
        """Collect each generation whose count is past its threshold, as Python would."""
        for generation, (count, threshold) in enumerate(
            zip(gc.get_count(), gc.get_threshold(), strict=True)
        ):
            if count <= threshold:
                return
            gc.collect(generation)
