"""Follows SillyTavern's page: to the chat it shows, and to a message that is asked for there."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from app.core.translation import N_, tr
from app.settings.program import ProgramSettings
from ui.core.chat_words import chat_words
from ui.core.session import Session
from ui.shell.notice import Notice

PAGE_CHAT = "chat of the page"


class PageChat(QObject):
    """Changes to the chat that SillyTavern's page opens, where the user wants that.

    A chat that was chosen in the window while the page shows another one is looked at on purpose,
    and stays: a line over every page says so, as long as that is so, and leads back. What is being
    written is not torn away either.

    is_held: the steps of the first run are shown, which choose the chat.
    """

    def __init__(self, session: Session, banner: Notice) -> None:
        super().__init__(banner)
        self._session = session
        self._banner = banner
        self._offered: Path | None = None
        self._opening: Path | None = None
        self._is_looking = False
        self._is_held = False
        session.health_changed.connect(self._look)
        session.library_changed.connect(self._look)
        session.chat_opened.connect(self._on_opened)
        banner.acted.connect(self._on_acted)

    @property
    def is_held(self) -> bool:
        """Whether the window stays as it is, whatever the page shows."""
        return self._is_held

    @is_held.setter
    def is_held(self, is_held: bool) -> None:
        self._is_held = is_held
        self._look()

    def _on_opened(self, _story: object) -> None:
        shown, path = self._session.companion.chats_in_pages, self._session.path
        self._is_looking = bool(shown) and path not in shown and not self._session.came_by_itself
        self._look()

    def _look(self, _news: object = None) -> None:
        shown, path = self._session.companion.chats_in_pages, self._session.path
        other = shown[-1] if shown and path not in shown else None
        if path in shown:
            self._is_looking = False
        follows = ProgramSettings(self._session.companion.settings).follow_page
        is_free = not self._is_looking and not is_writing(self._window())
        if other is not None and follows and is_free and not self._is_held:
            self._follow(other)
            other = None
        self._offered = other if path is not None else None
        if self._offered is None:
            self._banner.withdraw(PAGE_CHAT)
            return
        sentence = tr("SillyTavern shows another chat: {title}.", title=self._title(self._offered))
        way_on = tr("Go back to it") if follows else tr("Open it")
        self._banner.offer(PAGE_CHAT, sentence, way_on=way_on)

    def _follow(self, path: Path) -> None:
        # What nobody has written in yet has no file: its first message brings it.
        if path != self._opening and path.exists():
            self._opening = path
            self._session.do(self._open(path), name=N_("opening the chat"))

    async def _open(self, path: Path) -> None:
        try:
            await self._session.open_path(path, by_itself=True)
        finally:
            self._opening = None
            self._look()

    def _window(self) -> QWidget:
        return self._banner.window()

    def _title(self, path: Path) -> str:
        story = self._session.companion.story(path)
        return path.stem if story is None else chat_words(story.chat)

    def _on_acted(self, key: str) -> None:
        if key == PAGE_CHAT and self._offered is not None:
            self._is_looking = False
            self._session.do(self._session.open_path(self._offered), name=N_("opening the chat"))


def is_writing(window: QWidget) -> bool:
    """Whether the user has words of their own under the cursor that a change of page would hide."""
    focused = QApplication.focusWidget()
    if focused is None or focused.window() is not window:
        return False
    if isinstance(focused, QTextEdit | QPlainTextEdit):
        return not focused.isReadOnly() and focused.document().isModified()
    return isinstance(focused, QLineEdit) and not focused.isReadOnly() and focused.isModified()


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
        wishes = session.companion.page_requests
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
