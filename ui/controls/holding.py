"""Holds the rows of a list while the pointer is over it, so that a press hits what was aimed at."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QAbstractItemView

from ui.controls.timers import once

PARKED_MS = 10_000  # a pointer that rests so long aims at nothing

_BEGINS = (QEvent.Type.Enter, QEvent.Type.MouseMove, QEvent.Type.MouseButtonPress)
_ENDS = (QEvent.Type.Leave, QEvent.Type.Hide)


class Hold(QObject):
    """Whether the rows of a view are to keep their places now.

    Qt moves rows wherever the pointer is: who shows other rows asks `is_on` first, changes what
    stands in them only, and gives them their new order once it `ended`.

    Signals:
        ended: the pointer left or came to rest, or the rows were let go.
    """

    ended = Signal()

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self.is_on = False
        self.parked = once(self, PARKED_MS, self.let_go)
        view.viewport().setMouseTracking(True)
        view.viewport().installEventFilter(self)

    def let_go(self) -> None:
        """The user's own act moves rows, wherever the pointer is; as it moves they are held."""
        if self.is_on:
            self.is_on = False
            self.ended.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _BEGINS:
            self.is_on = True
            self.parked.start()
        elif event.type() in _ENDS:
            self.let_go()
        return False
