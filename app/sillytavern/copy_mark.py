"""Tells a copy of another machine's SillyTavern from a real one, which has its files here."""

from __future__ import annotations

from pathlib import Path

from app.core.errors import WriteRefused
from app.core.translation import tr
from app.sillytavern.json_file import load_object

MARK = "tavernkeep-copy.json"  # in the user folder of a copy
_DEPTH = 3  # user folder, "chats", character


def host_of(user_folder: Path) -> str:
    """Host of the page that a copy comes from, "" for SillyTavern's own folder. Blocks."""
    return str(load_object(user_folder / MARK).get("host", ""))


def refuse_copy(path: Path) -> None:
    """Raise WriteRefused for a chat of a copy: what is written there, SillyTavern never sees."""
    for folder in path.parents[:_DEPTH]:
        if (folder / MARK).exists():
            raise WriteRefused(
                tr(
                    "{name} was not changed: its file is on another machine. The change is made "
                    "when SillyTavern's page shows the chat.",
                    name=path.name,
                )
            )
