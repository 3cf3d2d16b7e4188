"""Metadata of group chats from before SillyTavern 1.16, which stand in the group's own file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.sillytavern.json_file import load_object

GROUP_CHATS = "group chats"


def group_metadata(path: Path) -> dict[str, Any]:
    """A header for a group chat that has none, {} when no group claims the chat.

    The group's file holds `chat_metadata` of the open chat and `past_metadata` of the others.
    """
    if path.parent.name != GROUP_CHATS:
        return {}
    try:
        files = sorted((path.parent.parent / "groups").glob("*.json"))
    except OSError:
        return {}
    for file in files:
        group = load_object(file)
        chats = group.get("chats")
        if path.stem != group.get("chat_id") and not (
            isinstance(chats, list) and path.stem in chats
        ):
            continue
        past = group.get("past_metadata")
        metadata = past.get(path.stem) if isinstance(past, dict) else None
        if metadata is None and path.stem == group.get("chat_id"):
            metadata = group.get("chat_metadata")
        return {"chat_metadata": metadata} if isinstance(metadata, dict) else {}
    return {}
