"""Tells in the notice what happened before, when a chat is opened after an absence."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.views.away_recap import AwayRecap
from ui.core.session import Session
from ui.shell.notice import Notice

PREVIOUSLY = "previously"
# It is long, and may have come while nobody was there; but it lies over what one goes on with.
READ_SECONDS, ITS_PAGE = 60.0, "story"


class AwayRecaps(QObject):
    """Stands with its chat until it is closed, or the story goes on."""

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._told: AwayRecap | None = None
        session.recap_told.connect(self._on_told)
        session.recap_over.connect(self._on_over)
        session.chat_opened.connect(self._show)  # the recap may be there before the chat is shown
        notice.closed.connect(self._on_closed)

    def _on_told(self, recap: AwayRecap) -> None:
        self._told = recap
        self._show()

    def _on_over(self, path: Path) -> None:
        if self._told is not None and self._told.path == path:
            self._told = None
            self._show()

    def _show(self, _news: object = None) -> None:
        told = self._told
        if told is None or told.path != self._session.path:
            self._notice.withdraw(PREVIOUSLY)
        else:
            words = f"{told.title}: {told.text}"
            self._notice.offer(PREVIOUSLY, words, pages=(ITS_PAGE,), seconds=READ_SECONDS)

    def _on_closed(self, key: str) -> None:
        if key == PREVIOUSLY:
            self._told = None
