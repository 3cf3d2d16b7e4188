"""What reads files and messages that others wrote, each as a function of any bytes.

It may refuse them in words. It may not raise anything else, take long, or write where it reads.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from app.core.errors import TavernkeepError
from app.core.resources import RESOURCES
from app.llm.prompts.prompt_presets import Conflict, PromptPresets
from app.settings.values import REGISTRY, Settings
from app.sillytavern.bridge.bridge_file import BRIDGE_FILE, read_bridge_file
from app.sillytavern.card import read_card
from app.sillytavern.chat_edit import ChatEdit, LineEdit, edited
from app.sillytavern.chat_file import read_chat
from app.sillytavern.chat_line import LineDecoder, UnreadableLine
from app.sillytavern.extensions.char_memory import lines_of
from app.sillytavern.extensions.memory_books import find_memory_books
from app.sillytavern.extensions.message_extras import other_swipe_recaps
from app.story.answers.task_answers import Unreadable
from app.work.edits.settings_file import KIND, read_settings
from tests.chat_files import HEADER, jsonl, message, swiped
from tests.extension_data import memory_entry
from tests.text_readers import READERS

CHAT = jsonl([HEADER, message(0), swiped(1, "One.", "Two.", shown=1), message(2, is_system=True)])
BLOCK = {"auto_recap_memory": {"memory": "Told.", "scene_break": True}}


@dataclass(frozen=True, slots=True)
class Target:
    """One reader. seeds: bytes that it takes, to begin from. run raises only for a fault."""

    run: Callable[[bytes], object]
    seeds: tuple[bytes, ...]


def refusing(read: Callable[[bytes], object], data: bytes) -> None:
    """Read; a refusal in words is an answer too."""
    try:
        read(data)
    except (TavernkeepError, Unreadable, UnreadableLine) as refusal:
        str(refusal).encode("utf-8", "strict")


def as_text(read: Callable[[str], object], data: bytes) -> None:
    refusing(lambda given: read(given.decode("utf-8", "replace")), data)


def on_disk(name: str, read: Callable[[Path], object], data: bytes) -> None:
    """Read a file of these bytes; nothing in its folder is another than before."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        refusing(lambda _: read(path), data)
        assert path.read_bytes() == data
        assert [found for found in Path(folder).rglob("*") if found.is_file()] == [path]


def chat_twice(path: Path) -> None:
    """Read a chat, and once more after SillyTavern has changed a byte."""
    before = path.read_bytes()
    snapshot = read_chat(path)
    again = before[: len(before) // 2] + b"x" + before[len(before) // 2 :]
    path.write_bytes(again)
    try:
        fresh, followed = read_chat(path), read_chat(path, snapshot)
        assert fresh.lines == followed.lines
        assert fresh.header == followed.header
    finally:
        path.write_bytes(before)


def line(data: bytes) -> None:
    for message_line in data.split(b"\n"):
        refusing(LineDecoder().decode, message_line)


def edit(data: bytes) -> None:
    """What is not edited stays as it is, byte for byte."""
    assert edited(data, ChatEdit()) == data
    lines = data.split(b"\n")
    new = edited(data, ChatEdit({2: LineEdit({"tavernkeep": {"hidden": True}})}, {}))
    after = new.split(b"\n")
    assert len(after) == len(lines)
    assert [n for n in range(len(lines)) if lines[n] != after[n]] in ([], [1])


async def settings_file(path: Path) -> None:
    settings = Settings()
    before = {name: settings[name] for name in REGISTRY}
    await read_settings(path, settings)
    assert before == {name: settings[name] for name in REGISTRY}


def presets(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "prompts")
        refusing(lambda given: PromptPresets(root).take_in(given, Conflict.RENAME), data)
        assert all(path == root for path in Path(folder).iterdir())


def card_seed() -> bytes:
    card = next((RESOURCES / "demo" / "data").glob("default-user/characters/*.png")).read_bytes()
    return card[:50_000]


def setting_seed() -> bytes:
    values = {"running_recap_budget": 700, "theme": "dark", "backend": "openai:m@http://x"}
    return json.dumps({"kind": KIND, "version": 1, "settings": values}).encode()


def text_seeds() -> tuple[bytes, ...]:
    prompt = (RESOURCES / "prompts" / "scene_recap.md").read_bytes()
    return (
        prompt,
        b'<think>Hm.</think>```json\n{"name": "Fog", "recap": {"state": ["Cold."]}}\n```',
        b"[fact|4|scene] Mira has the lamp. (m1)\n- Ana: knows it",
        b'{"type":"turn","id":"1","chat":{"kind":"solo","avatar":"A.png","chat":"E"},"context":9}',
    )


FILES: dict[str, Callable[[Path], object]] = {
    "chat.jsonl": chat_twice,
    "card.png": read_card,
    "settings.json": lambda path: asyncio.run(settings_file(path)),
    BRIDGE_FILE.as_posix(): lambda path: read_bridge_file(path.parents[len(BRIDGE_FILE.parts) - 1]),
}
BOOK = "worlds/Harbour.json"
FILES[BOOK] = lambda path: find_memory_books(
    path.parents[1], {"world_info": "Harbour"}, "Harbour", 40, lambda _: False
)
SEEDS = {BOOK: (json.dumps({"entries": {"0": memory_entry(1, 0, 9)}}).encode(),)}
SEEDS |= {"chat.jsonl": (CHAT,), "card.png": (card_seed(),), "settings.json": (setting_seed(),)}
TARGETS: dict[str, Target] = {
    **{name: Target(partial(as_text, read), text_seeds()) for name, read in READERS.items()},
    **{
        Path(name).name: Target(partial(on_disk, name, read), SEEDS.get(name, (b'{"chats":{}}',)))
        for name, read in FILES.items()
    },
    "line of a chat": Target(line, (CHAT, jsonl([message(0, extra=BLOCK)]))),
    "edit of a chat": Target(partial(refusing, edit), (CHAT,)),
    "recaps of other swipes": Target(partial(refusing, other_swipe_recaps), (CHAT,)),
    "lines of CharMemory": Target(
        partial(as_text, lines_of), (b'<memory chat="A" date="2026-05-01 14:30">\n- x\n</memory>',)
    ),
    "presets": Target(presets, (b'{"format":"tavernkeep-prompts","presets":[]}',)),
}
