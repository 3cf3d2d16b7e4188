"""Listing a library of 200 characters with 10 chats each, and 20 groups."""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path

from app.sillytavern.card import PNG_SIGNATURE, CardReader
from app.sillytavern.data_folders import chat_ref_for, find_taverns
from tests.bench.table import Aim, Row, median_ms

CHARACTERS = 200
CHATS = 10
GROUPS = 20
PICTURE_BYTES = 500_000
CARD_CHARACTERS = 20_000


def measure() -> list[Row]:
    """With cards that were never read, and again."""
    with tempfile.TemporaryDirectory() as folder:
        user = Path(folder) / "default-user"
        _fill(user)
        cards = CardReader()
        find_taverns(user, cards=cards)
        work = f"{CHARACTERS} characters, {CHARACTERS * CHATS:,} chats, {GROUPS} groups"
        chat = user / "group chats" / "group 3.jsonl"
        return [
            Row(f"list {work}", median_ms(lambda: find_taverns(user)), aim=Aim(most=500)),
            Row("the same, cards known", median_ms(lambda: find_taverns(user, cards=cards))),
            Row("whose chat is this", median_ms(lambda: chat_ref_for(chat, cards=cards))),
        ]


def _fill(user: Path) -> None:
    for name in ("characters", "chats", "groups", "group chats"):
        (user / name).mkdir(parents=True)
    for number in range(CHARACTERS):
        name = f"character {number}"
        character = {"data": {"name": name.title(), "description": "x" * CARD_CHARACTERS}}
        text = b"chara\0" + base64.b64encode(json.dumps(character).encode())
        chunks = (_chunk(b"IDAT", bytes(PICTURE_BYTES)), _chunk(b"tEXt", text))
        (user / "characters" / f"{name}.png").write_bytes(PNG_SIGNATURE + b"".join(chunks))
        (user / "chats" / name).mkdir()
        for chat in range(CHATS):
            (user / "chats" / name / f"{name} - {chat}.jsonl").write_bytes(b"{}")
    for number in range(GROUPS):
        title = f"group {number}"
        members = [f"character {number * 3 + at}.png" for at in range(4)]
        group = {"id": str(number), "name": title, "members": members, "chats": [title]}
        (user / "groups" / f"{number}.json").write_text(json.dumps(group))
        (user / "group chats" / f"{title}.jsonl").write_bytes(b"{}")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + kind + body + bytes(4)
