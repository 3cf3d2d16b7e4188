"""Groups and bare cards as SillyTavern keeps them."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any


def write_card(folder: Path, file: str, name: str) -> None:
    """A card without a picture."""
    text = b"chara\0" + base64.b64encode(json.dumps({"name": name}).encode())
    chunks = [struct.pack(">I4s", len(text), b"tEXt") + text, struct.pack(">I4s", 0, b"IEND")]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(chunk + b"\0" * 4 for chunk in chunks)
    (folder / "characters" / file).write_bytes(data)


def write_group(folder: Path, members: list[str], **more: Any) -> None:
    group = {"id": "7", "name": "The Crew", "members": members, "chats": ["crew"]} | more
    (folder / "groups" / "7.json").write_text(json.dumps(group), encoding="utf-8")
