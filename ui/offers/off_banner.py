"""Says over every page that Tavernkeep is off for the open chat, and switches it on again."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from app.core.operations import OFF
from app.core.translation import N_, tr
from ui.core.session import Session
from ui.shell.notice import Notice

KEY = "chat off"


class OffBanner(QObject):
    """Owns the switch of the open chat. action: the command that turns it."""

    def __init__(self, session: Session, banner: Notice, action: QAction) -> None:
        super().__init__(banner)
        self._session = session
        self._banner = banner
        self._action = action
        action.triggered.connect(self.turn)
        banner.acted.connect(self._on_acted)
        session.chat_opened.connect(self.look)
        session.story_changed.connect(self.look)
        session.replayed.connect(self.look)
        session.slots_changed.connect(self.look)
        self.look()

    @property
    def is_off(self) -> bool:
        """Whether the open chat is switched off."""
        path = self._session.path
        if path is None or self._session.companion.story(path) is None:
            return False
        return bool(self._session.companion.setting("chat_off", path=path).value)

    def look(self, _news: object = None) -> None:
        """Show how it is now; while the chat takes another name, how it was."""
        path = self._session.path
        if path is not None and self._session.companion.story(path) is None:
            return
        is_off = self.is_off
        self._action.setEnabled(self._session.path is not None)
        self._action.setText(
            tr("Switch on for this chat") if is_off else tr("Switch off for this chat")
        )
        # Where stories are only read, it cannot be switched, and the banner may say why that is.
        is_ours = not self._session.companion.is_reading_only
        if is_off and (is_ours or not self._banner.sentence):
            self._banner.offer(KEY, tr(OFF), way_on=tr("Switch it on") if is_ours else "")
        else:
            self._banner.withdraw(KEY)

    def turn(self) -> None:
        """Switch the open chat off, or on again."""
        path = self._session.path
        if path is None:
            return
        wanted = not self.is_off

        async def put() -> None:
            await self._session.companion.put_setting("chat_off", wanted, path=path, noted_in=path)
            self._session.refresh()
            self.look()

        self._session.do(put(), name=N_("changing a setting"))

    def _on_acted(self, key: str) -> None:
        if key == KEY and self.is_off:
            self.turn()
