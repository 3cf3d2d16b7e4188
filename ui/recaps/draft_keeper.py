"""Keeps what is being written in the store while it is typed, and finds it again."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.translation import N_
from app.story.drafts import Draft
from ui.controls.timers import once
from ui.core.session import Session

SETTLE_MS = 400
NOT_KEPT = N_("draft, could not be saved yet; it stays here as long as this text is open")


class DraftKeeper(QObject):
    """The draft of one text at a time.

    Signals:
        found: Draft, one was left behind for the text that was asked for; None for none.
        kept_changed: whether the last one that was to be kept could be.
    """

    found = Signal(object)
    kept_changed = Signal(bool)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._path: Path | None = None
        self._kind, self._anchor = "", ""
        self._pending: Draft | None = None
        self.is_begun = False  # something was noted since this text was turned to
        self._timer = once(self, SETTLE_MS, self.flush)

    def look_for(self, kind: str, anchor: str) -> None:
        """Turn to another text and tell whether a draft of it was left behind."""
        self.flush()
        self._path, self._kind, self._anchor = self._session.path, kind, anchor
        self.is_begun = False
        self.kept_changed.emit(True)
        if self._path is not None:
            self._session.do(self._look(self._path, kind, anchor), name=N_("looking for drafts"))

    async def _look(self, path: Path, kind: str, anchor: str) -> None:
        drafts = await self._session.companion.edits.drafts.of(path)
        if (path, kind, anchor) == (self._path, self._kind, self._anchor):
            wanted = [draft for draft in drafts if (draft.kind, draft.anchor) == (kind, anchor)]
            self.found.emit(wanted[0] if wanted else None)

    def note(self, text: str, base: int | None) -> None:
        """The text as it stands; it is kept when the typing pauses."""
        self.is_begun = True
        self._pending = Draft(self._kind, self._anchor, text, base)
        self._timer.start()

    def flush(self) -> None:
        """Keep at once what waits."""
        self._timer.stop()
        draft, self._pending = self._pending, None
        if draft is not None and self._path is not None:
            self._session.do(self._keep(self._path, draft), name=N_("keeping your draft"))

    async def _keep(self, path: Path, draft: Draft) -> None:
        is_kept = False
        try:
            await self._session.companion.edits.drafts.save(path, draft)
            is_kept = True
        finally:
            here = (path, draft.kind, draft.anchor) == (self._path, self._kind, self._anchor)
            if here and not is_kept and self._pending is None:
                self._pending = draft  # until more is typed, or the text is left
            if here:
                self.kept_changed.emit(is_kept)

    def forget(self) -> None:
        """What waits became a version, which ends the draft."""
        self._timer.stop()
        self._pending = None

    def discard(self) -> None:
        """The user wants none of it."""
        self.forget()
        if self._path is not None:
            drafts = self._session.companion.edits.drafts
            command = drafts.discard(self._path, self._kind, self._anchor)
            self._session.do(command, name=N_("discarding your draft"))
