"""A card as a file, for a character of which only the words are known."""

from __future__ import annotations

import base64
import struct
import zlib

import msgspec

from app.sillytavern.card import PNG_SIGNATURE
from app.sillytavern.remote.page_answers import PageMember


def card_file(member: PageMember) -> bytes:
    """A picture of one point that carries the character, as SillyTavern's own cards do."""
    fields = {
        name: value for name, value in msgspec.to_builtins(member).items() if name != "avatar"
    }
    character = {"spec": "chara_card_v2", "spec_version": "2.0", "data": fields} | fields
    text = base64.b64encode(msgspec.json.encode(character))
    return b"".join(
        (
            PNG_SIGNATURE,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
            _chunk(b"tEXt", b"chara\0" + text),
            _chunk(b"IDAT", zlib.compress(b"\0\x80")),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
