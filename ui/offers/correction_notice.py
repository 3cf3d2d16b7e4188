"""Says what the newest reply contradicts, before a correction goes into the next prompt."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.translation import N_, tr
from app.memory.documents.continuity import pending_repair, uncorrected
from app.memory.records import Document, DocumentKind
from app.views.story_change import StoryChange
from ui.core.session import Session
from ui.shell.notice import Notice

KEY = "correction"
FOUND = "contradiction"
EDIT, DROP = "edit", "drop"
LONGEST = 240  # letters of what is contradicted


class CorrectionNotice(QObject):
    """One notice for each correction that waits: use, edit or drop it; and for what was found where
    none is written by itself: have it written, or leave it.

    Signals:
        edit_wanted: the user wants to change it among the texts.
        changed: how many wait, of which nothing was said yet: 0 or 1.
    """

    edit_wanted = Signal()
    changed = Signal(int)

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._waiting: Document | None = None
        self._found = ""  # what the newest reply contradicts, without a correction
        self._answered: set[str] = set()
        session.chat_opened.connect(self.look)
        session.story_changed.connect(self._on_story_changed)
        session.replayed.connect(self.look)
        notice.acted.connect(self._on_acted)
        notice.chosen.connect(self._on_chosen)
        notice.closed.connect(self._on_closed)

    @property
    def count(self) -> int:
        """How many wait for a word."""
        return int(self._waiting is not None or bool(self._found))

    def look(self, _story: object = None) -> None:
        """Look for a correction in what the open chat remembers."""
        path = self._session.path
        if path is not None:
            self._session.do(self._look(path), name=N_("looking for a correction"))

    def _on_story_changed(self, change: StoryChange) -> None:
        if change.memories or change.first_message is not None:
            self.look()

    async def _look(self, path: Path) -> None:
        view = await asyncio.to_thread(self._session.companion.memory, path, at=None)
        if path != self._session.path:
            return
        found = pending_repair(view.documents, view.story.messages)
        if found is not None and found.id in self._answered:
            found = None
        self._waiting = found
        lines = uncorrected(view.documents, view.story.messages)
        what = " ".join(one.text for one in lines)
        self._found = "" if what in self._answered else what
        if self._found:
            sentence = tr("The newest reply contradicts the story: {what}", what=what[:LONGEST])
            self._notice.offer(FOUND, sentence, way_on=tr("Correct it"))
        else:
            self._notice.withdraw(FOUND)
        if found is None:
            self._notice.withdraw(KEY)
        else:
            self._notice.offer(
                KEY,
                _sentence(found, view.documents),
                way_on=tr("Use it"),
                choices={EDIT: tr("Edit"), DROP: tr("Drop")},
            )
        self.changed.emit(self.count)

    def _on_acted(self, key: str) -> None:
        """It is used as it is, which closing the notice means, too."""
        if key == KEY:
            self._settle()
        elif key == FOUND:
            self._leave()
            path = self._session.path
            if path is not None:
                correcting = self._session.companion.texts.correct(path)
                self._session.do(correcting, name=N_("asking for a correction"))

    def _on_closed(self, key: str) -> None:
        if key == FOUND:
            self._leave()
        else:
            self._on_acted(key)

    def _leave(self) -> None:
        self._answered.add(self._found)
        self._found = ""
        self.changed.emit(self.count)

    def _on_chosen(self, key: str, choice: str) -> None:
        if key != KEY:
            return
        self._settle()
        path = self._session.path
        if choice == EDIT:
            self.edit_wanted.emit()
        elif path is not None:
            drop = self._session.companion.memories.edit_text(path, DocumentKind.REPAIR, "")
            self._session.do(drop, name=N_("dropping a correction"))

    def _settle(self) -> None:
        if self._waiting is not None:
            self._answered.add(self._waiting.id)
            self._waiting = None
            self.changed.emit(self.count)


def _sentence(note: Document, documents: tuple[Document, ...]) -> str:
    """What the reply contradicts, as far as that is known, and what would be said."""
    checks = [d for d in documents if d.kind is DocumentKind.CONTINUITY and d.until == note.until]
    told = " ".join((checks[-1].text if checks else "").split())
    said = " ".join(note.text.split())
    if told:
        return tr(
            "The newest reply contradicts the story: {what} The next prompt says: {note}",
            what=told[:LONGEST],
            note=said[:LONGEST],
        )
    return tr(
        "The newest reply contradicts the story. The next prompt says: {note}", note=said[:LONGEST]
    )
