"""Says over the page what undo took back, with a way to make it again: the key says of nothing
what it means, and what it takes back may be out of sight.
"""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.core.translation import tr
from ui.core.session import Session
from ui.shell.notice import Notice

UNDONE = "undone"
SHOWN_SECONDS = 20.0


class UndoneNotice(QObject):
    """Stands until something else is done, the change is made again, or a moment has passed."""

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._has_redo = False  # whether that is known since
        notice.acted.connect(self._on_acted)
        session.undone.connect(self._on_undone)
        session.undo_changed.connect(self._on_undo_changed)
        session.chat_opened.connect(self._on_chat_opened)

    def _on_undone(self, sentence: str) -> None:
        self._has_redo = False
        self._notice.offer(UNDONE, sentence, way_on=tr("Redo"), seconds=SHOWN_SECONDS)

    def _on_acted(self, key: str) -> None:
        if key == UNDONE:
            self._notice.withdraw(UNDONE)
            self._session.redo()

    def _on_undo_changed(self, _undo: str, redo: str) -> None:
        if self._has_redo and not redo:  # something new was done: it cannot be had again
            self._notice.withdraw(UNDONE)
        self._has_redo = bool(redo)

    def _on_chat_opened(self, _story: object) -> None:
        self._notice.withdraw(UNDONE)
