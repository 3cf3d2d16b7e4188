"""Chats as SillyTavern writes them, for tests and measurements."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

HEADER: dict[str, Any] = {
    "chat_metadata": {"integrity": "1d0a4a2c-5a0e-4b1c-9d0c-000000000001"},
    "user_name": "unused",
    "character_name": "unused",
}


def date_of(number: int) -> str:
    """A date as 1.16 and newer write it, one minute apart."""
    moment = datetime(2026, 11, 20, 8, tzinfo=UTC) + timedelta(minutes=number)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{number % 1000:03d}Z"


def message(number: int, text: str = "", **more: Any) -> dict[str, Any]:
    """Message `number`; even ones are the user's, `more` replaces or adds fields."""
    is_user = number % 2 == 0
    return {
        "name": "Ana" if is_user else "Mira",
        "is_user": is_user,
        "is_system": False,
        "send_date": date_of(number),
        "mes": text or f"This is message {number}.",
        "extra": {} if is_user else {"api": "openai", "model": "a-model"},
    } | more


def swiped(number: int, *texts: str, shown: int) -> dict[str, Any]:
    """A reply with several swipes; the date is that of the swipe shown."""
    dates = [date_of(number + at * 100) for at in range(len(texts))]
    return message(
        number,
        texts[shown],
        send_date=dates[shown],
        swipe_id=shown,
        swipes=list(texts),
        swipe_info=[{"send_date": date, "extra": {}} for date in dates],
    )


def jsonl(objects: Iterable[object]) -> bytes:
    """One line for each object, without a newline at the end, as JSON.stringify writes them."""
    lines = (json.dumps(o, ensure_ascii=False, separators=(",", ":")) for o in objects)
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def write_chat(
    path: Path, messages: Sequence[object], header: dict[str, Any] | None = HEADER
) -> Path:
    """A chat file; with header None like an old group chat."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jsonl([*([header] if header is not None else []), *messages]))
    return path


def append(path: Path, *messages: dict[str, Any]) -> None:
    """Write further messages to the end of a chat."""
    with path.open("ab") as file:
        for one in messages:
            file.write(b"\n" + jsonl([one]).strip())


def save_like_sillytavern(path: Path, data: bytes) -> None:
    """Replace the file by renaming a new one over it, as write-file-atomic does."""
    temporary = path.with_name(f"{path.name}.{random.randrange(10**9)}")
    temporary.write_bytes(data)
    temporary.replace(path)


def long_chat(length: int, *, words: int = 120, seed: int = 1) -> list[dict[str, Any]]:
    """Messages of made-up words, about 1.6 kB each as in a real chat; replies have a swipe."""
    rng = random.Random(seed)
    vocabulary = ["".join(rng.choices("abdeilmnorstuv", k=rng.randint(2, 12))) for _ in range(4000)]
    chat = []
    for number in range(length):
        text = f"“{' '.join(rng.choices(vocabulary, k=words))}”"
        is_user = number % 2 == 0
        chat.append(message(number, text) if is_user else swiped(number, text, shown=0))
    return chat
