"""What a page of another machine's SillyTavern answers about a chat, read strictly: it may lie."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, TypeVar
from zlib import crc32

import msgspec
from msgspec import Meta, Struct

from app.core.errors import CopyRefused
from app.core.translation import tr
from app.sillytavern.bridge.bridge_protocol import ChatIdentity, Count, Crc

MOST_MESSAGES = 50_000
MOST_LINE_BYTES = 8 * 1024 * 1024
MOST_CHAT_BYTES = 256 * 1024 * 1024
MARKS_AT_ONCE = 10_000  # of a chat's lines in one answer
BATCH_BYTES = 256 * 1024  # of lines in one answer
MOST_MEMBERS = 100
LONGEST_FIELD = 100_000

# Checksum and bytes of a line: whether it is the one that we have.
LineMark = tuple[Crc, Annotated[int, Meta(ge=2, le=MOST_LINE_BYTES)]]
Name = Annotated[str, Meta(min_length=1, max_length=512)]
Field = Annotated[str, Meta(max_length=LONGEST_FIELD)]

T = TypeVar("T")

_CONTROL = re.compile(rb"[\x00-\x1f]")  # JSON has none outside of its strings' escapes


class ChatState(Struct, frozen=True):
    """Answer to `copy_state`: how the chat stands in the page.

    header: of what belongs to the whole chat. marks: of the lines from `first` on. is_busy: a
    reply is being written, so that the chat is not as it will be saved.
    """

    chat: ChatIdentity
    first: Count
    length: Annotated[int, Meta(ge=0, le=MOST_MESSAGES)]
    header: LineMark
    marks: Annotated[tuple[LineMark, ...], Meta(max_length=MARKS_AT_ONCE)]
    is_busy: bool = False


class ChatLines(Struct, frozen=True):
    """Answer to `copy_lines`: lines as SillyTavern saves them, or one piece of a long line."""

    chat: ChatIdentity
    lines: Annotated[tuple[str, ...], Meta(max_length=MARKS_AT_ONCE)]


class PageMember(Struct, frozen=True):
    """Answer to `copy_member`: what a character's card says. avatar: its file name."""

    avatar: Name
    name: Name
    description: Field = ""
    personality: Field = ""
    scenario: Field = ""
    first_mes: Field = ""
    mes_example: Field = ""
    system_prompt: Field = ""
    creator_notes: Field = ""


class PageGroup(Struct, frozen=True):
    """The group of an open chat. chats: names of all its chats. members: card file names."""

    id: Name
    name: Name
    members: Annotated[tuple[Name, ...], Meta(max_length=MOST_MEMBERS)]
    chats: Annotated[tuple[Name, ...], Meta(max_length=MARKS_AT_ONCE)] = ()


class PageCompany(Struct, frozen=True):
    """Answer to `copy_company`: who is in the open chat. members: card file names."""

    chat: ChatIdentity
    members: Annotated[tuple[Name, ...], Meta(max_length=MOST_MEMBERS)]
    group: PageGroup | None = None


def read_answer(kind: type[T], result: dict[str, Any]) -> T:
    """An answer's content. Raises CopyRefused, which never repeats what the page said."""
    try:
        return msgspec.convert(result, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        # Without its cause: it may quote the page.
        raise CopyRefused(
            tr("The page described its chat in a form that makes no sense.")
        ) from None


def mark_of(line: bytes) -> LineMark:
    """As the page marks the same line."""
    return crc32(line), len(line)


def check_line(line: bytes) -> None:
    """Raise CopyRefused for what would be no line of its own in a chat's file, or no message."""
    if len(line) > MOST_LINE_BYTES:
        raise CopyRefused(tr("The page sent a message that is too large."))
    if _CONTROL.search(line):
        raise CopyRefused(tr("The page sent a message that would imitate others."))
    try:
        content = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise CopyRefused(tr("The page sent something that is not a message."))


def check_size(marks: Sequence[LineMark]) -> None:
    """Raise CopyRefused where a chat is larger than any that is taken."""
    if sum(size for _, size in marks) > MOST_CHAT_BYTES:
        raise CopyRefused(tr("The page's chat is too large to copy."))
