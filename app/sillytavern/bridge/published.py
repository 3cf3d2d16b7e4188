"""What a chat's pages are given before anybody asks: slots for whoever answers, and for members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from app.prompt.slots import SlotSet
from app.sillytavern.bridge.bridge_protocol import (
    ChatIdentity,
    ProgramFrame,
    Slots,
    WireSlot,
    wire_slots,
)

Wire = tuple[WireSlot, ...]
NOBODYS: Mapping[str, SlotSet] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Published:
    """The slots of a chat. members: of those who answer in a group each one's own, by card file;
    the page takes them where it cannot wait.
    """

    slots: SlotSet
    members: Mapping[str, SlotSet] = field(default_factory=dict)


class Given:
    """What a page was given of the chat that it shows; of members it gets what became another."""

    def __init__(self) -> None:
        self._chat: ChatIdentity | None = None
        self._members: dict[str, Wire] = {}

    def forget(self, avatar: str = "") -> None:
        """The page has other slots of a member; of everybody, where none is named."""
        if avatar:
            self._members.pop(avatar, None)
        else:
            self._members.clear()

    def frames(self, chat: ChatIdentity, published: Published) -> tuple[ProgramFrame, ...]:
        """What is to be sent now."""
        if chat != self._chat:
            self._members.clear()
        now = {avatar: wire_slots(slots) for avatar, slots in published.members.items()}
        kept = tuple(avatar for avatar, wire in now.items() if self._members.get(avatar) == wire)
        self._chat, self._members = chat, now
        revision = published.slots.revision
        return (
            Slots(chat, revision, wire_slots(published.slots), kept=kept),
            *(Slots(chat, revision, now[avatar], avatar) for avatar in now if avatar not in kept),
        )
