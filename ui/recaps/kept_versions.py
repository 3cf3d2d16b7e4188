"""What is kept of versions and not told by the story: deleted ones, and the next one's number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.translation import N_
from app.story.recaps import RunningVersion
from ui.core.session import Session


class KeptVersions(QObject):
    """deleted: of the running recap. next_number: that the next version gets, None: not known.

    Signals:
        next_known: the next one's number was read.
        deleted_changed: others are deleted than were.
    """

    next_known = Signal()
    deleted_changed = Signal()

    def __init__(self, session: Session, anchor: Callable[[], str], parent: QObject) -> None:
        """anchor: of the scene whose recap is looked at, "" for the running recap."""
        super().__init__(parent)
        self._session, self._anchor = session, anchor
        self.deleted: tuple[RunningVersion, ...] = ()
        self.next_number: int | None = None

    def fetch(self) -> None:
        """Read it anew."""
        path = self._session.path
        if path is not None:
            self._session.do(self._load(path, self._anchor()), name=N_("reading versions"))

    async def _load(self, path: Path, anchor: str) -> None:
        edits = self._session.companion.edits
        number = await edits.next_recap_version(path, anchor)
        deleted = await edits.deleted_running_versions(path)
        if path != self._session.path or anchor != self._anchor():
            return
        self.next_number = number
        self.next_known.emit()
        if deleted != self.deleted:
            self.deleted = deleted
            self.deleted_changed.emit()
