"""Asks about a running recap that was written for another chat, and is neither lost nor used."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.core.translation import N_, tr
from app.story.story import Story
from ui.core.session import Session
from ui.shell.notice import Notice

SET_ASIDE = "set aside"
QUESTION = N_(
    "The running recap in this chat's file was written for another chat, so it is not used. Did "
    "you just rename or copy this chat?"
)


class SetAside(QObject):
    """Asks when a chat is opened that has none of its own; whoever closes it is asked at the next
    start.

    The version stays in the list either way, and choosing it can be undone.
    """

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._asked: tuple[Path, int] | None = None
        self._declined: set[Path] = set()
        session.chat_opened.connect(self._on_chat_opened)
        notice.acted.connect(self._on_acted)
        notice.closed.connect(self._on_closed)

    def _on_chat_opened(self, story: Story) -> None:
        path, running = story.chat.path, story.running
        if self._asked is not None and self._asked[0] == path:
            return  # read again; what is folded in meanwhile is no answer
        self._notice.withdraw(SET_ASIDE)
        self._asked = None
        if running.set_aside is not None and path not in self._declined:
            self._asked = path, running.set_aside.version
            self._notice.offer(SET_ASIDE, tr(QUESTION), way_on=tr("Use it"))

    def _on_acted(self, key: str) -> None:
        if key == SET_ASIDE and self._asked is not None:
            path, version = self._asked
            self._answered()
            choice = self._session.companion.edits.select_running_version(path, version)
            self._session.do(choice, name=N_("choosing a version"))

    def _on_closed(self, key: str) -> None:
        if key == SET_ASIDE:
            self._answered()

    def _answered(self) -> None:
        if self._asked is not None:
            self._declined.add(self._asked[0])
        self._asked = None
