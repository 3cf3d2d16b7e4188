"""A tavern whose pages may come: by which token, from where, and what they are to show."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass, field

from websockets.datastructures import Headers

from app.prompt.slots import SlotSet
from app.sillytavern.bridge import bridge_handshake
from app.sillytavern.bridge.bridge_file import BridgeFile
from app.sillytavern.bridge.bridge_protocol import ChatIdentity

CHATS_KEPT = 100


def digest_of(token: str) -> str:
    """What is kept of a remote page's token: who reads it here cannot come in with it."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


@dataclass(slots=True)
class PairedTavern:
    """One tavern.

    token: that its pages find in a file beside them. Of one on another machine, which has no such
    files: digest, of the token that its page keeps, and origin, the only one it may come from.
    """

    token: str = ""
    file: BridgeFile | None = None
    digest: str = ""
    origin: str = ""
    published: dict[ChatIdentity, SlotSet] = field(default_factory=dict)

    @property
    def is_remote(self) -> bool:
        """Whether its files are out of our reach."""
        return bool(self.origin)

    def lets_in(self, headers: Headers, allowed: Collection[str]) -> bool:
        """Whether a page with these headers is one of its own. allowed: origins beside loopback."""
        token = bridge_handshake.token(headers)
        if self.is_remote:
            is_its_token = secrets.compare_digest(digest_of(token), self.digest)
            return is_its_token and bridge_handshake.origin(headers) == self.origin
        is_its_token = secrets.compare_digest(token.encode(), self.token.encode())
        return is_its_token and bridge_handshake.is_allowed_origin(headers, allowed)

    def publish(self, chat: ChatIdentity, slots: SlotSet) -> None:
        """Remember the slots of a chat for pages that come, and leave them in the bridge file."""
        self.published.pop(chat, None)
        self.published[chat] = slots
        if len(self.published) > CHATS_KEPT:
            del self.published[next(iter(self.published))]
        if self.file is not None:
            self.file.publish(chat, slots)
