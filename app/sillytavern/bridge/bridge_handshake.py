"""Who may open the bridge's websocket: any web page can reach loopback, so each says who it is."""

from __future__ import annotations

import re
from collections.abc import Collection

from websockets.datastructures import Headers

from app.sillytavern.bridge.bridge_protocol import (
    LOCAL_PREFIX,
    NONCE_PREFIX,
    PAIRING_SUBPROTOCOL,
    offered_token,
)

_LOOPBACK = r"(127\.0\.0\.1|localhost|\[::1\])"
_LOOPBACK_ORIGIN = re.compile(rf"https?://{_LOOPBACK}(:[0-9]{{1,5}})?", re.IGNORECASE)
_NONCE = re.compile(r"[0-9a-f]{32}")
_LOCAL = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{16})")
_LOOPBACK_HOST = re.compile(rf"{_LOOPBACK}:([0-9]{{1,5}})", re.IGNORECASE)


def is_own_host(headers: Headers, port: int) -> bool:
    """Whether the request was meant for this server.

    A page whose site's name was rebound to loopback still sends that name.
    """
    hosts = headers.get_all("Host")
    match = _LOOPBACK_HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
    return match is not None and int(match[2]) == port


def is_allowed_origin(headers: Headers, allowed: Collection[str]) -> bool:
    """Whether the page comes from this computer, or from one of `allowed` (lower case)."""
    named = origin(headers)
    return _LOOPBACK_ORIGIN.fullmatch(named) is not None or named in allowed


def origin(headers: Headers) -> str:
    """The page's origin in lower case, empty when it named none or several."""
    origins = headers.get_all("Origin")
    return origins[0].lower() if len(origins) == 1 else ""


def wants_pairing(headers: Headers) -> bool:
    """Whether the page has no token yet, and brings a code."""
    return PAIRING_SUBPROTOCOL in _offered(headers)


def nonce(headers: Headers) -> str:
    """What the page made up for its proof, empty when it brought none."""
    for offer in _offered(headers):
        if offer.startswith(NONCE_PREFIX) and _NONCE.fullmatch(offer, len(NONCE_PREFIX)):
            return offer.removeprefix(NONCE_PREFIX)
    return ""


def local_nonce(headers: Headers) -> tuple[str, str]:
    """The same of a page of this computer's SillyTavern, and the mark of its token."""
    for offer in _offered(headers):
        found = _LOCAL.fullmatch(offer.removeprefix(LOCAL_PREFIX))
        if offer.startswith(LOCAL_PREFIX) and found:
            return found[1], found[2]
    return "", ""


def token(headers: Headers) -> str:
    """The pairing token the page brought, as an older one does; empty when it brought none."""
    return offered_token(_offered(headers))


def _offered(headers: Headers) -> list[str]:
    values = headers.get_all("Sec-WebSocket-Protocol")
    return [part.strip() for value in values for part in value.split(",")]
