"""Holds what is pressed where it was aimed at: rows under the pointer stay, and a button that comes
under it takes no press yet.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QWidget

from ui.controls.timers import once

PARKED_MS = 10_000  # a pointer that rests so long aims at nothing

_BEGINS = (QEvent.Type.Enter, QEvent.Type.MouseMove, QEvent.Type.MouseButtonPress)
_ENDS = (QEvent.Type.Leave, QEvent.Type.Hide)
UNAIMED_MS = 800  # a press within so short a time was meant for what stood there before


class Unaimed(QObject):
    """Buttons that came up by themselves, maybe between the pointer and what it was about to press:
    for a moment the mouse does not reach them; the keyboard does.
    """

    def __init__(self, *buttons: QWidget) -> None:
        super().__init__(buttons[0])
        self._buttons = buttons
        self._end = once(self, UNAIMED_MS, lambda: self._shut(is_shut=False))

    def begin(self) -> None:
        """They have just come."""
        self._shut(is_shut=True)
        self._end.start()

    def _shut(self, *, is_shut: bool) -> None:
        for button in self._buttons:
            button.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, is_shut)


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
