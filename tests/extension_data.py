"""What other memory extensions leave in SillyTavern's files, in the shapes of their public code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def memory_entry(number: int, first: Any, last: Any, chat: Any = "Harbour", **more: Any) -> Any:
    """An entry of MemoryBooks 8.6, with the fields that SillyTavern gives each entry."""
    return {
        "uid": number,
        "key": ["quay", "lantern"],
        "keysecondary": [],
        "comment": f"[{number:03}] - Scene {number}",
        "content": f"What happened in scene {number}.",
        "constant": False,
        "vectorized": True,
        "selective": True,
        "selectiveLogic": 0,
        "addMemo": True,
        "order": number,
        "position": 0,
        "disable": False,
        "ignoreBudget": False,
        "excludeRecursion": False,
        "preventRecursion": False,
        "delayUntilRecursion": True,
        "probability": 100,
        "useProbability": True,
        "displayIndex": number,
        "stmemorybooks": True,
        "STMB_start": first,
        "STMB_end": last,
        "STMB_chatId": chat,
        **more,
    }


def without(entry: dict[str, Any], *names: str) -> dict[str, Any]:
    """An entry as an earlier version wrote it."""
    return {name: value for name, value in entry.items() if name not in names}


def write_lorebook(user_folder: Path, name: str, *entries: Any) -> Path:
    """A lorebook as SillyTavern keeps it."""
    path = user_folder / "worlds" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    held = {str(number): entry for number, entry in enumerate(entries)}
    path.write_text(json.dumps({"entries": held}, indent=4), "utf-8")
    return path


def bakemono_summary(kind: str, number: int, messages: list[Any], **more: Any) -> Any:
    """A summary as BakemonoMemory keeps it when its draft is confirmed."""
    return {
        "id": f"{kind}-{number}",
        "hash": f"{kind}-{number}",
        "contentHash": "h1",
        "type": kind,
        "title": f"{kind} {number}",
        "content": f"<bakemono>\n<details>\n<summary>Plot</summary>\nTold {kind} {number}.\n"
        "</details>\n</bakemono>",
        "sourceHashes": [],
        "sourceStageHashes": [],
        "sourceMessageIds": messages,
        "sourceSortKey": 0,
        "sourceKind": "manual",
        "metadata": {},
        "level": 1,
        "createdAt": f"2026-05-0{number}T10:00:00.000Z",
        "draftId": f"draft-{number}",
        **more,
    }
