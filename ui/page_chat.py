"""Follows SillyTavern's page: to the chat it shows, and to a message that is asked for there."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.translation import N_, tr
from ui.library.words import chat_title
from ui.session import Session
from ui.shell.notice import Notice

PAGE_CHAT = "chat of the page"


class PageChat(QObject):
    """One quiet line; what was closed is not offered again until the page shows something else."""

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._offered: Path | None = None
        self._declined: Path | None = None
        session.health_changed.connect(self._look)
        session.chat_opened.connect(self._look)
        notice.acted.connect(self._on_acted)
        notice.closed.connect(self._on_closed)

    def _look(self, _news: object = None) -> None:
        shown, path = self._session.companion.chats_in_pages, self._session.path
        other = shown[-1] if shown and path is not None and path not in shown else None
        if other != self._declined:
            self._declined = None
        self._offered = other if other != self._declined else None
        if self._offered is None:
            self._notice.withdraw(PAGE_CHAT)
        else:
            sentence = tr(
                "SillyTavern shows another chat: {title}.", title=self._title(self._offered)
            )
            self._notice.offer(PAGE_CHAT, sentence, way_on=tr("Open it"))

    def _title(self, path: Path) -> str:
        story = self._session.companion.story(path)
        if story is None:
            return path.stem
        owner, title = story.chat.owner_name, chat_title(story.chat)
        return f"{owner}, {title}" if owner and owner != title else title

    def _on_acted(self, key: str) -> None:
        if key == PAGE_CHAT and self._offered is not None:
            self._session.do(self._session.open_path(self._offered), name=N_("opening the chat"))

    def _on_closed(self, key: str) -> None:
        if key == PAGE_CHAT:
            self._declined = self._offered


class PageCall(QObject):
    """Shows the window, and in it a message, when the user asks for it in SillyTavern's page.

    Signals:
        message_wanted: anchor of a message of the chat that is shown.
    """

    message_wanted = Signal(str)

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        wishes = session.companion.wishes
        wishes.has_window = True
        wishes.window_wanted.connect(self._on_wanted)

    def _on_wanted(self, wanted: tuple[Path, str]) -> None:
        window = self._window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()
        self._session.do(self._show(*wanted), name=N_("showing the message"))

    async def _show(self, path: Path, anchor: str) -> None:
        if self._session.path != path:
            await self._session.open_path(path)
        self.message_wanted.emit(anchor)
