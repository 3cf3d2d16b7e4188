"""Messages of a chat as the story sees them, and the digests that identify texts."""

from __future__ import annotations

from collections.abc import Container, Sequence
from enum import StrEnum
from hashlib import blake2b
from itertools import compress, tee
from operator import attrgetter

import msgspec


class MessageKind(StrEnum):
    """What a message is to the story."""

    CHAT = "chat"
    NARRATOR = "narrator"  # extra.type == "narrator"
    THOUGHT = "thought"  # of a character before it speaks (Stepped Thinking)
    NOTICE = "notice"  # comments, and what other programs put there that is no story


class Absence(StrEnum):
    """Why a text has no recap."""

    UNKNOWN = ""  # nobody looked yet, or it failed
    NOTHING = "nothing"  # there is nothing of the story in it
    REMOVED = "removed"  # the user took it away: none is written unasked


class MessageRecap(msgspec.Struct, frozen=True, gc=False):
    """The recap of one message with its marks (seed 003; spec/auto-recap.md §1.2).

    source_hash: content hash of the text it was made from, "" when unknown; swipe: which one of
    the message's swipes that was. reasoning: the model's, split off its answer. prefill: the
    beginning that was put into the model's mouth. taken_from: the extension that wrote the text
    (MESSAGE_SUMMARIZE), "" where that is not told from what we write.
    """

    text: str = ""
    is_excluded: bool = False
    is_remembered: bool = False
    is_edited: bool = False
    is_lagging: bool = False
    error: str = ""
    source_hash: str = ""
    reasoning: str = ""
    prefill: str = ""
    absence: Absence = Absence.UNKNOWN
    swipe: int = 0
    taken_from: str = ""

    def shown_text(self, *, with_prefill: bool) -> str:
        """The text to read and to count; the prefill goes before it on wish (get_memory)."""
        return f"{self.prefill}{self.text}" if with_prefill and self.text else self.text


class Message(msgspec.Struct, frozen=True, gc=False):
    """One message; its place in the chat is its place in the tuple that holds it.

    anchor: identity for life (design.md, "message anchor"). content_hash: digest of `text`.
    is_hidden: left out of SillyTavern's own prompt (/hide). sent: SillyTavern's date, as written.
    avatar: card file of the speaker where the chat says so (groups), else "".
    """

    anchor: str
    content_hash: str
    name: str
    text: str
    is_user: bool = False
    is_hidden: bool = False
    kind: MessageKind = MessageKind.CHAT
    sent: str = ""
    avatar: str = ""
    swipe: int = 0
    swipes: int = 1


_ANCHOR = attrgetter("anchor")


def places_of(messages: Sequence[Message], anchors: Container[str]) -> dict[str, int]:
    """Index by anchor, of these anchors only; a long chat is gone through in C."""
    at, found = tee(map(_ANCHOR, messages))
    wanted = map(anchors.__contains__, found)
    return {anchor: index for index, anchor in compress(enumerate(at), wanted)}


def digest(text: str) -> str:
    """Content hash: 16 bytes of BLAKE2b as 32 hex digits. Lone surrogates are allowed."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def combined_digest(*parts: str) -> str:
    """Digest of several texts in order; never equal for different splits of the same text."""
    raw = [part.encode("utf-8", "surrogatepass") for part in parts]
    sized = b"".join([part for one in raw for part in (len(one).to_bytes(8, "little"), one)])
    return blake2b(sized, digest_size=16).hexdigest()
