"""Says at once when a chat lost messages, with the copy that still has them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.core.translation import tr
from app.views.chat_copies import ChatAlarm, ChatCopy
from ui.copies.dialog import CopiesDialog
from ui.core.chat_words import chat_words
from ui.core.session import Session
from ui.shell.notice import Notice

ALARM, RESTORED = "chat alarm", "restored"


class ChatCopies(QObject):
    """The alarm as a notice, and the way to the copies of the chat that is shown."""

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._alarm: ChatAlarm | None = None
        guard = session.companion.guard
        guard.name = lambda chat: chat_words(guard.chat_of(chat))
        session.chat_alarm.connect(self._on_alarm)
        session.chat_alarm_over.connect(self._on_over)
        session.library_changed.connect(self._on_library_changed)
        notice.acted.connect(self._on_acted)

    def begin(self) -> None:
        """Show the copies of a chat that lost something, as long as nobody looked at them, else of
        the chat that is shown.
        """
        left = self._session.companion.guard.alarm_left
        path, alarm = (self._session.path, self._alarm) if left is None else (left.chat, left)
        if path is not None:
            wanted = alarm.copy if alarm is not None and alarm.chat == path else None
            self._open(path, wanted)

    def on_status_pressed(self, key: str) -> None:
        """The status bar tells of what a chat lost: from there it leads to the copies, too."""
        if key == "reading" and self._session.companion.guard.alarm_left is not None:
            self.begin()

    def _open(self, chat: Path, wanted: ChatCopy | None) -> None:
        dialog = CopiesDialog(self._session, chat, self._notice.window(), wanted=wanted)
        dialog.restored.connect(self._on_restored)
        dialog.open()

    def _on_restored(self, sentence: str) -> None:
        self._notice.offer(RESTORED, sentence)

    def _on_alarm(self, alarm: ChatAlarm) -> None:
        self._alarm = alarm
        self._notice.offer(ALARM, alarm.sentence, way_on=tr("Look at the copy"), is_bad=True)

    def _on_over(self, chat: Path) -> None:
        if self._alarm is not None and self._alarm.chat == chat:
            self._alarm = None
            self._notice.withdraw(ALARM)

    def _on_library_changed(self) -> None:
        """A chat that is there again, or another under its name, is not called deleted."""
        alarm = self._alarm
        if alarm is not None and alarm.is_gone and alarm.chat.exists():
            self._notice.withdraw(ALARM)

    def _on_acted(self, key: str) -> None:
        if key == ALARM and self._alarm is not None:
            chat, copy = self._alarm.chat, self._alarm.copy
            self._open(chat, copy)
