"""A tavern whose pages may come: by which token, from where, and what they are to show."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Collection
from dataclasses import dataclass, field

from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers

from app.sillytavern.bridge import bridge_handshake
from app.sillytavern.bridge.bridge_file import BridgeFile
from app.sillytavern.bridge.bridge_protocol import (
    Challenge,
    ChatIdentity,
    Prove,
    decode,
    encode,
)
from app.sillytavern.bridge.published import Published

CHATS_KEPT = 100
PROOF_SECONDS = 10.0
MARK_LENGTH = 16


@dataclass(slots=True)
class PairedTavern:
    """One tavern.

    token: that its pages find in a file beside them. Of one on another machine, whose page keeps it
    for long: origin, the only one it may come from. Neither end sends the token, for another user
    of this computer may have taken the port of a program that died; both prove that they know it.
    Only an older page of this computer still sends it.
    """

    token: str = ""
    file: BridgeFile | None = None
    origin: str = ""
    published: dict[ChatIdentity, Published] = field(default_factory=dict)

    @property
    def is_remote(self) -> bool:
        """Whether its files are out of our reach."""
        return bool(self.origin)

    def lets_in(self, headers: Headers, allowed: Collection[str]) -> bool:
        """Whether a page with these headers may be one of its own; it has still to prove it.

        allowed: origins beside loopback.
        """
        if self.is_remote:
            has_nonce = bool(self.token and bridge_handshake.nonce(headers))
            return has_nonce and bridge_handshake.origin(headers) == self.origin
        mark = bridge_handshake.local_nonce(headers)[1]
        token = bridge_handshake.token(headers)
        is_its_token = secrets.compare_digest(token.encode(), self.token.encode())
        is_its_own = is_its_token or bool(self.token and mark == self.mark)
        return is_its_own and bridge_handshake.is_allowed_origin(headers, allowed)

    @property
    def mark(self) -> str:
        """By which its pages say whose they are, and that tells nothing of the token."""
        return hmac.new(self.token.encode(), b"mark", hashlib.sha256).hexdigest()[:MARK_LENGTH]

    def proof(self, role: str, port: int, page_nonce: str, nonce: str) -> str:
        """What only those can say who know the token. role: "page" or "program".

        port: at which they meet, or whoever has another one could hand on what the two say.
        """
        said = f"{role} {port} {page_nonce} {nonce}"
        return hmac.new(self.token.encode(), said.encode(), hashlib.sha256).hexdigest()

    def publish(self, chat: ChatIdentity, published: Published) -> None:
        """Remember the slots of a chat for pages that come, and leave them in the bridge file."""
        self.published.pop(chat, None)
        self.published[chat] = published
        if len(self.published) > CHATS_KEPT:
            del self.published[next(iter(self.published))]
        if self.file is not None:
            self.file.publish(chat, published)


async def is_proven(connection: ServerConnection, tavern: PairedTavern) -> bool:
    """Whether a page knows its tavern's token, also where that came not with the handshake.

    Raises BridgeError, TimeoutError, ConnectionClosed.
    """
    if connection.request is None:
        return False
    headers = connection.request.headers
    own = bridge_handshake.nonce if tavern.is_remote else _local_nonce
    nonces, port = (own(headers), secrets.token_hex(16)), connection.local_address[1]
    if not nonces[0]:
        return not tavern.is_remote  # it sent the token itself, see lets_in
    challenge = Challenge(nonces[1], tavern.proof("program", port, *nonces))
    await connection.send(encode(challenge))
    answer = decode(await asyncio.wait_for(connection.recv(), PROOF_SECONDS))
    expected = tavern.proof("page", port, *nonces).encode()
    return isinstance(answer, Prove) and secrets.compare_digest(
        answer.proof.encode("utf-8", "replace"), expected
    )


def _local_nonce(headers: Headers) -> str:
    return bridge_handshake.local_nonce(headers)[0]
