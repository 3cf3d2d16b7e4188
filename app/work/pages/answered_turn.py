"""What comes of a turn for which a page asked."""

from __future__ import annotations

from dataclasses import dataclass

from app.prompt.slots import SlotSet
from app.sillytavern.bridge.bridge_protocol import TurnRequest
from app.sillytavern.bridge.bridge_socket import Page
from app.work.chats.open_chat import OpenChat


@dataclass(frozen=True, slots=True)
class AnsweredTurn:
    """A turn for which a page asked, and what it was given. is_made: the slots were; else they took
    too long, and the page has what it had before.
    """

    page: Page
    request: TurnRequest
    chat: OpenChat
    slots: SlotSet
    is_made: bool = True
