"""Reads a story for its memory at the user's word, after saying what that takes."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.translation import N_, tr
from app.views.queued_work import reading_sentence
from ui.core.session import Session
from ui.shell.notice import Notice
from ui.shell.plan_words import READ, plan_sentence

READING = "reading for memory"
SECONDS = 60.0  # that it is said for: the reading goes on meanwhile


UNDER_WAY = "reading under way"


class StoryReading(QObject):
    """Where no model is asked there is nothing to say, and it begins at once.

    Signals:
        work_wanted: the user wants to see how far the reading is.
    """

    work_wanted = Signal()

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        session.read_asked.connect(self.begin)
        session.chat_opened.connect(self._on_chat_opened)
        notice.acted.connect(self._on_acted)

    def begin(self) -> None:
        """Say what it takes, and wait for the word."""
        path = self._session.path
        if path is not None:
            self._session.do(self._offer(path), name=N_("reading the story"))

    async def _offer(self, path: Path) -> None:
        companion = self._session.companion
        ahead = companion.work.reading_ahead(path)
        if ahead is not None:
            sentence = reading_sentence(ahead)
            self._notice.offer(UNDER_WAY, sentence, way_on=tr("Show the work"), seconds=SECONDS)
            return
        plan = None if companion.is_reading_only else await companion.work.reading(path)
        if plan is None:
            await companion.remembered.read_now(path)
        elif path == self._session.path:
            self._notice.offer(READING, plan_sentence(plan), way_on=tr(READ))

    def _on_acted(self, key: str) -> None:
        if key == UNDER_WAY:
            self.work_wanted.emit()
        path = self._session.path
        if key == READING and path is not None:
            reading = self._session.companion.remembered.read_now(path)
            self._session.do(reading, name=N_("reading the story"))

    def _on_chat_opened(self, _story: object) -> None:
        for key in (READING, UNDER_WAY):
            self._notice.withdraw(key)
