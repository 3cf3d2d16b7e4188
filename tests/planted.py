"""Secrets that the tests plant, and a look for them where none may be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from app.core.resources import RESOURCES

TOKEN = "planted-token-"  # every token of a bridge begins with it while tests run
COOKIE = "secret-cookie"
# Keys of all tests begin like real ones.
SECRET = re.compile(rf"\bsk-[\w-]{{4,}}|{TOKEN}[\w-]+|{COOKIE}")
IN_FILES = tuple(re.compile(sign) for sign in (rb"\bsk-[a-z0-9-]{4,}", TOKEN.encode()))
OWN_PLACES = ("keys.json", "pairing.json", "paired.json")  # where a key, and where a token belongs
MOST_BYTES = 50_000_000  # of a file that is looked through


@cache
def story_texts() -> tuple[str, ...]:
    """Beginnings of what is told in the stories that most tests use."""
    texts = ["This is message ", "A dark and stormy night", "a dark and stormy night"]
    for chat in (RESOURCES / "demo" / "data").glob("default-user/chats/*/*.jsonl"):
        lines = chat.read_text("utf-8").splitlines()[1:]
        texts += [json.loads(line)["mes"][:40] for line in lines]
    return tuple(text for text in texts if len(text) > 12)


def secret_in(text: str) -> str:
    """What a log or a report says that it must not, "" for nothing."""
    found = SECRET.search(text)
    if found:
        return found[0]
    return next((words for words in story_texts() if words in text), "")


def files_with_secrets(folder: Path) -> Iterator[Path]:
    """Files below that hold a key or a token, though it is not their place."""
    for path in folder.rglob("*"):
        if path.name.startswith(OWN_PLACES) or not path.is_file() or path.is_symlink():
            continue
        if path.stat().st_size > MOST_BYTES:
            continue
        data = path.read_bytes()
        if any(sign.search(data) for sign in IN_FILES):
            yield path
