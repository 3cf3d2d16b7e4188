"""What comes while another page is in front: taken in by itself, so that this one does not wait."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from ui.controls.timers import once


class LateStory(QObject):
    """Has a page show a story's changes: at once while it is seen, else in a turn of the event loop
    that is theirs alone, or before it is seen again.

    show: is given the first message that changed since it was called last, None for none.
    """

    def __init__(self, page: QWidget, show: Callable[[int | None], None]) -> None:
        super().__init__(page)
        self._page = page
        self._show = show
        self._first: int | None = None
        self._due = once(self, 0, self._catch_up)
        page.installEventFilter(self)

    def take(self, first_message: int | None) -> None:
        """The story changed, from this message on; None where no message did."""
        known = (self._first, first_message)
        self._first = min((first for first in known if first is not None), default=None)
        self._due.start()
        if self._page.isVisible():
            self._catch_up()

    def _catch_up(self) -> None:
        self._due.stop()
        first, self._first = self._first, None
        self._show(first)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and self._due.isActive():
            self._catch_up()
        return False
