"""Who is who among a chat's messages from one reading of its file to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.sillytavern.chat_file import ChatSnapshot
from app.store.store import Store
from app.store.stories.chats import RETIRED
from app.story.anchors import KnownMessage, common_ends
from app.story.messages import Message


@dataclass(frozen=True, slots=True)
class ChatReading:
    """What a story was made from: the file at one moment, and who is who in it.

    seen: the part of the snapshot that is looked at. retired: messages that were there once.
    """

    snapshot: ChatSnapshot
    seen: ChatSnapshot
    retired: tuple[KnownMessage, ...]


def alike(old: ChatSnapshot, new: ChatSnapshot) -> int:
    """How many lines, from the first, both have. new: was read behind `old`."""
    head = new.kept
    return head + common_ends(old.lines[head:], new.lines[head:])[0]


def first_difference(old: Sequence[Message], new: Sequence[Message], head: int) -> int | None:
    """Index of the first message that differs, None when none does; the first `head` are alike."""
    more, _ = common_ends(old[head:], new[head:])
    first = head + more
    return None if first == len(old) == len(new) else first


async def remember(
    store: Store,
    chat_id: int,
    before: Sequence[KnownMessage],
    known: Sequence[KnownMessage],
    head: int,
    new_slug: str | None,
) -> None:
    """Keep who is who. before, known: then and now, of the messages from `head` on.

    new_slug: SillyTavern's mark of the chat, None where it is kept already.
    """
    rows = [
        (head + at, message)
        for at, message in enumerate(known)
        if at >= len(before) or before[at] != message
    ]
    if rows or len(before) != len(known):
        present = {message.anchor for message in known}
        gone = (message for message in before if message.anchor not in present)
        rows += [(RETIRED, message) for message in gone]

    def unit() -> None:
        store.chats.save_known(chat_id, rows)
        if new_slug is not None:
            store.chats.set_integrity(chat_id, new_slug)

    if rows or new_slug is not None:
        await store.run(unit)
