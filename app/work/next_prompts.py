"""The slots of open chats with revisions, for the pages that show them and for whoever asks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.prompt.occasion import Turn
from app.prompt.slots import SlotSet
from app.signals import Signal
from app.work.open_chat import OpenChat
from app.work.open_chats import OpenChats
from app.work.prompting import Prompting


class NextPrompts:
    """What the next prompt of each chat gets. A revision grows only when a chat's slots differ.

    Signals:
        changed: the chat whose next prompt changed.
    """

    def __init__(self, chats: OpenChats, prompting: Prompting) -> None:
        self._chats = chats
        self._prompting = prompting
        self._revisions: dict[Path, SlotSet] = {}
        self.changed: Signal[Path] = Signal("changed")

    async def of(
        self,
        path: Path,
        *,
        until: int | None = None,
        total: int | None = None,
        turn: Turn | None = None,
    ) -> SlotSet:
        """The slots of a chat, which is opened for it. total: bound for all slots together."""
        chat = self._chats.get(path, until) or await self._chats.open(path, until=until)
        return self._prompting.slots(chat, turn, total=total)

    async def for_turn(self, chat: OpenChat, turn: Turn) -> SlotSet:
        """The slots of one turn, under the revision of the chat's."""
        general = self.revised(chat)
        return replace(self._prompting.slots(chat, turn), revision=general.revision)

    def revised(self, chat: OpenChat) -> SlotSet:
        """The slots as they are for any turn."""
        path = chat.chat.path
        fresh, last = self._prompting.slots(chat), self._revisions.get(path)
        if last is None or last.slots != fresh.slots:
            last = replace(fresh, revision=(last.revision if last else 0) + 1)
            self._revisions[path] = last
            self.changed.emit(path)
        return last
