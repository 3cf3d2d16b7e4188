"""What changed between two readings of a chat, and the messages that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import structs

from app.sillytavern.chat_file import ChatSnapshot
from app.sillytavern.chat_line import ChatLine
from app.story.anchors import common_ends
from app.story.messages import Message


@dataclass(frozen=True, slots=True)
class ChatChanges:
    """The stretch that differs: old messages [first, old_end) became new ones [first, new_end).

    first: None when no message changed. is_header_changed: SillyTavern's or an extension's data
    of the whole chat differ.
    """

    first: int | None
    old_end: int = 0
    new_end: int = 0
    is_header_changed: bool = False

    def __bool__(self) -> bool:
        return self.first is not None or self.is_header_changed


def changes(old: ChatSnapshot | None, new: ChatSnapshot) -> ChatChanges:
    """What differs in `new`; everything when there is no `old`."""
    if old is None:
        return ChatChanges(0 if new.lines else None, 0, len(new.lines), bool(new.header))
    is_header_changed = _differ(old.header, new.header)
    head, tail = common_ends(old.lines, new.lines)
    if head == len(old.lines) == len(new.lines):
        return ChatChanges(None, is_header_changed=is_header_changed)
    return ChatChanges(head, len(old.lines) - tail, len(new.lines) - tail, is_header_changed)


def messages_of(
    snapshot: ChatSnapshot,
    anchors: Sequence[str],
    old: ChatSnapshot | None = None,
    old_messages: tuple[Message, ...] = (),
    head: int = 0,
) -> tuple[Message, ...]:
    """The messages of a reading.

    anchors: of the snapshot's lines from `head` on. old, old_messages: the last reading and what it
    gave; messages that did not change keep their objects. head: so many lines, from the first, are
    those of the last reading, and so are their anchors.
    """
    if old is None or len(old.lines) != len(old_messages):
        return tuple(map(_message, snapshot.lines, anchors))
    lines, messages = snapshot.lines[head:], old_messages[head:]
    first, tail = common_ends(old.lines[head:], lines)
    old_end, new_end = len(messages) - tail, len(lines) - tail
    behind = (
        *_with_anchors(messages[:first], anchors[:first]),
        *map(_message, lines[first:new_end], anchors[first:new_end]),
        *_with_anchors(messages[old_end:], anchors[new_end:]),
    )
    return old_messages[:head] + behind


def _differ(old: dict[str, Any], new: dict[str, Any]) -> bool:
    try:
        return old is not new and old != new
    except RecursionError:
        return True  # nested as deep as a header can be and still be read


def _with_anchors(messages: tuple[Message, ...], anchors: Sequence[str]) -> list[Message]:
    """The same messages, but for those few that go by another anchor now."""
    return [
        message if message.anchor == anchor else structs.replace(message, anchor=anchor)
        for message, anchor in zip(messages, anchors, strict=True)
    ]


def _message(line: ChatLine, anchor: str) -> Message:
    return Message(
        anchor,
        line.content_hash,
        line.name,
        line.text,
        line.is_user,
        line.is_hidden,
        line.kind,
        line.sent,
        line.avatar,
        line.swipe,
        line.swipes,
    )
