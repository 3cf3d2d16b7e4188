"""Opening a chat of 10,000 messages, against merely parsing its JSON."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import msgspec

from app.sillytavern.chat_diff import messages_of
from app.sillytavern.chat_file import read_chat
from app.story.anchors import align, known_after
from tests.bench.table import Aim, Row, median_ms, medians_ms
from tests.chat_files import HEADER, jsonl, long_chat, message, save_like_sillytavern, write_chat

MESSAGES = 10_000
DIGESTED = (
    "Beside the parse each line and each text is digested, by which they are found again, and line "
    "by line, so that other threads get in between."
)


def measure() -> list[Row]:
    """Reading at first sight and again, and giving anchors."""
    with tempfile.TemporaryDirectory() as folder:
        return _measured(Path(folder))


def _measured(folder: Path) -> list[Row]:
    chat = long_chat(MESSAGES)
    path = write_chat(folder / "chat.jsonl", chat)
    longer = folder / "longer.jsonl"
    save_like_sillytavern(longer, jsonl([HEADER, *chat, message(MESSAGES)]))
    os.utime(path, (1, 1))

    first, parse = medians_ms(lambda: read_chat(path), lambda: _parse(path))
    again, parse_slowly = medians_ms(lambda: read_chat(path), lambda: _parse_stdlib(path))
    snapshot = read_chat(path)
    after = read_chat(longer, snapshot)
    anchors = align((), snapshot.lines)
    known = known_after(anchors, snapshot.lines)
    messages = messages_of(snapshot, anchors)
    size = f"{MESSAGES:,} messages, {path.stat().st_size / 1e6:.0f} MB"
    return [
        Row(f"read a chat ({size})", first, "msgspec to dicts", parse, Aim(times=2), DIGESTED),
        Row("the same", again, "json of the standard library", parse_slowly),
        Row(
            "read it again, one message more",
            median_ms(lambda: read_chat(longer, snapshot)),
            "msgspec to dicts",
            parse,
            Aim(times=0.5),
        ),
        Row(
            "read it again, unchanged",
            median_ms(lambda: read_chat(path, snapshot)),
            aim=Aim(most=1),
        ),
        Row(
            "anchors at first sight", median_ms(lambda: align((), snapshot.lines)), aim=Aim(most=50)
        ),
        Row(
            "anchors, one message more",
            median_ms(lambda: align(known, after.lines)),
            aim=Aim(most=5),
        ),
        Row(
            "messages, one message more",
            median_ms(lambda: messages_of(after, (*anchors, "new"), snapshot, messages)),
            aim=Aim(most=5),
        ),
    ]


def _parse(path: Path) -> list[object]:
    with path.open("rb") as file:
        return [msgspec.json.decode(line) for line in file]


def _parse_stdlib(path: Path) -> list[object]:
    with path.open("rb") as file:
        return [json.loads(line) for line in file]
