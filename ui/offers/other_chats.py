"""Says once for each chat that its next prompt tells memories of the character's other chats."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.core.translation import N_, tr, trn
from app.prompt.slots import SlotSet
from app.settings.memory import MemorySettings
from app.story.story import ChatKind
from ui.core.session import Session
from ui.shell.notice import Notice

OTHER_CHATS = "memories of other chats"
KEEP = "keep"
LEAVE_OUT, KEEP_THEM = N_("Leave them out here"), N_("Keep them")
SEEN_ON = ("story", "recaps", "memories", "minds", "budgets", "prompt")  # what is of the chat
SWITCH = MemorySettings.other_chats_enabled.name


class OtherChats(QObject):
    """Asks until it is answered; the answer is the chat's own value of the setting, so that undo
    takes it back, and the chat keeps it over starts. Who closes it is asked at the next start.
    """

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._closed: set[Path] = set()
        self._standing = False
        session.slots_changed.connect(self._on_slots)
        session.chat_opened.connect(self._on_chat_opened)
        notice.acted.connect(self._on_acted)
        notice.chosen.connect(self._on_chosen)
        notice.closed.connect(self._on_closed)

    def _on_chat_opened(self, _story: object) -> None:
        self._withdraw()

    def _withdraw(self) -> None:
        self._standing = False
        self._notice.withdraw(OTHER_CHATS)

    def _on_slots(self, slots: SlotSet) -> None:
        path = self._session.path
        if path is None or not slots.of_other_chats or not self._is_open(path):
            self._withdraw()
            return
        sentence = self._sentence(slots.of_other_chats)
        if self._standing:  # another number is no reason to stand before newer offers
            self._notice.amend(OTHER_CHATS, sentence)
        else:
            self._standing = True
            self._notice.offer(
                OTHER_CHATS,
                sentence,
                way_on=tr(LEAVE_OUT),
                choices={KEEP: tr(KEEP_THEM)},
                pages=SEEN_ON,
            )

    def _is_open(self, path: Path) -> bool:
        """Whether the question is to be asked, and can be answered."""
        companion = self._session.companion
        if path in self._closed or path == companion.demo.path or companion.is_reading_only:
            return False
        return companion.story(path) is not None and not companion.setting(SWITCH, path=path).is_own

    def _sentence(self, count: int) -> str:
        story = self._session.story
        if story is None or story.chat.kind is not ChatKind.SOLO or not story.chat.owner_name:
            return trn(
                "The next prompt tells {n} memory of other chats.",
                "The next prompt tells {n} memories of other chats.",
                count,
            )
        return trn(
            "The next prompt tells {n} memory of {name}'s other chats.",
            "The next prompt tells {n} memories of {name}'s other chats.",
            count,
            name=story.chat.owner_name,
        )

    def _on_acted(self, key: str) -> None:
        path = self._session.path
        if key == OTHER_CHATS and path is not None:
            self._standing = False
            put = self._session.companion.put_setting(SWITCH, False, path=path, noted_in=path)
            self._session.do(put, name=N_("leaving memories out"))

    def _on_chosen(self, key: str, _choice: str) -> None:
        path = self._session.path
        if key == OTHER_CHATS and path is not None:
            self._standing = False
            put = self._session.companion.put_setting(SWITCH, True, path=path)
            self._session.do(put, name=N_("keeping memories"))

    def _on_closed(self, key: str) -> None:
        if key == OTHER_CHATS and self._session.path is not None:
            self._standing = False
            self._closed.add(self._session.path)
