"""Who speaks, as pages tell: a group's round that goes on, and replies that no file holds yet."""

from __future__ import annotations

from pathlib import Path

from app.sillytavern.bridge.bridge_protocol import Event
from app.sillytavern.bridge.bridge_socket import Page
from app.work.chats.open_chats import OpenChats


class Rounds:
    """Follows the events of pages."""

    def __init__(self, chats: OpenChats) -> None:
        self._chats = chats
        self._going: dict[str, Path] = {}  # by page: the chat in which a group's round goes on
        self._replied: dict[Path, int] = {}  # messages that a chat has since its newest reply

    def hear(self, page: Page, path: Path, event: Event) -> None:
        """What happened in a chat that a page shows."""
        if event.name == "group_finished":
            self.end(page)
        elif event.name == "group_started" and event.kind != "quiet":
            # One in the background is no round of the story (§2, EV3).
            self._going[page.id] = path
            self._chats.set_round(path, is_on=True)
        if event.name == "message_received":
            self._replied[path] = event.length
        elif event.length < self._replied.get(path, 0):  # it was deleted
            self._replied.pop(path)

    def end(self, page: Page) -> None:
        """The page goes, or shows another chat: no round of its goes on."""
        path = self._going.pop(page.id, None)
        if path is not None:
            self._chats.set_round(path, is_on=False)

    def is_ahead(self, path: Path, messages: int) -> bool:
        """Whether a reply came that a story of so many messages does not hold: in a group's round
        the next one answers before the file of the last reply is read.
        """
        return self._replied.get(path, 0) > messages
