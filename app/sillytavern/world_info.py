"""A lorebook file as SillyTavern imports it (World Info)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from app.story.lore_entries.lore import LoreEntry, lore_text

CONSTANT_TYPES = frozenset({"rule"})
FIRST_ORDER = 1000
STICKY_MESSAGES = 4
MOST_KEYS = 10
# SillyTavern's defaults of a new entry that carry no decision of ours.
_PLAIN: dict[str, Any] = {
    "keysecondary": [],
    "vectorized": False,
    "selective": True,
    "selectiveLogic": 0,
    "addMemo": True,
    "position": 0,
    "disable": False,
    "excludeRecursion": False,
    "preventRecursion": False,
    "delayUntilRecursion": False,
    "probability": 100,
    "useProbability": True,
    "depth": 4,
    "group": "",
    "groupOverride": False,
    "groupWeight": 100,
    "scanDepth": None,
    "caseSensitive": None,
    "matchWholeWords": None,
    "useGroupScoring": None,
    "automationId": "",
    "role": None,
    "cooldown": None,
    "delay": None,
}


def world_info(entries: Iterable[LoreEntry]) -> bytes:
    """One JSON file with the entries by name, of which SillyTavern triggers each by its names.

    Source: spec/auto-recap.md §8, 4, 5 and 9: comment "type-Name", ten keys at most, rules always,
    the others for four messages once triggered, beyond the budget, order from 1000 downwards.
    """
    ordered = sorted(entries, key=lambda entry: (entry.name.casefold(), entry.type.casefold()))
    value = {"entries": {str(uid): _entry(uid, entry) for uid, entry in enumerate(ordered)}}
    return msgspec.json.format(msgspec.json.encode(value), indent=4)


def _entry(uid: int, entry: LoreEntry) -> dict[str, Any]:
    return {
        "uid": uid,
        "key": _keys((entry.name, *entry.keywords)),
        "comment": f"{entry.type}-{entry.name}",
        "content": lore_text(entry),
        "constant": entry.type.casefold() in CONSTANT_TYPES,
        "order": max(1, FIRST_ORDER - uid),
        "ignoreBudget": True,
        "sticky": STICKY_MESSAGES,
        "displayIndex": uid,
        **_PLAIN,
    }


def _keys(words: Sequence[str]) -> list[str]:
    """Words that trigger it. One between slashes would be read as a regular expression."""
    bare = (word.strip().strip("/").replace("{{", "{ {").strip() for word in words)
    return list({word.casefold(): word for word in bare if word}.values())[:MOST_KEYS]
