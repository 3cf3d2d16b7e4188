"""What Smart Memory 1.8 leaves in SillyTavern's files (spec/smart-memory.md §8, §9, §13)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FACT, OLD, OTHER = "0b9c-fact", "0b9c-old", "0b9c-other"


def memory(memory_id: str, kind: str, content: str, **fields: Any) -> dict[str, Any]:
    """A record with all that the extension writes into one."""
    return {
        "id": memory_id,
        "type": kind,
        "content": content,
        "importance": 3,
        "expiration": "permanent",
        "ts": 1_760_000_000_000,
        "consolidated": True,
        "entities": ["e-well"],
        "source_messages": [[2, 4]],
        "source_chat_id": None,
        "witnessed_by": ["A", "B"],
        "time_scope": "global",
        "valid_from": 4,
        "valid_to": None,
        "supersedes": [],
        "superseded_by": None,
        "contradicts": [],
        "confidence": 0.85,
        "unconfirmed_since": 2,
        "last_confirmed_ts": 1_760_000_100_000,
        "retrieval_count": 3,
        "persona_relevance": 1,
        "intimacy_relevance": 1,
        "triggers": ["water", "rope"],
        **fields,
    }


def character_block(title: str) -> dict[str, Any]:
    """`extension_settings.smart_memory.characters[name]`."""
    return {
        "schema_version": 9,
        "memories": [
            memory(FACT, "fact", "The well is sealed.", source_chat_id=title, supersedes=[OLD]),
            memory(OLD, "fact", "The well is open.", superseded_by=FACT, valid_to=4),
            memory(OTHER, "event", "They met at sea.", source_chat_id="An earlier chat"),
        ],
        "lastUpdated": 1_760_000_200_000,
        "entities": [
            {"id": "e-well", "name": "The Well", "type": "place", "aliases": ["well"]},
            {"id": "e-x", "name": "Nobody", "type": "no type", "last_seen": 1_760_000_000_000},
        ],
        "relationship_history": {
            "A→B": {
                "descriptors": [
                    {"word": "warm", "magnitude": "high"},
                    {"word": "wary", "magnitude": "none such"},
                ],
                "updatedAt": 1_760_000_000_000,
            },
            "B -> A": "proud, distant",
        },
        "epistemic_knowledge": [
            {
                "id": "k1",
                "type": "knows",
                "subject": "A",
                "target": None,
                "content": "who sealed the well",
                "ts": 1_760_000_000_000,
                "source_messages": [1, 3],
            },
            {"id": "k2", "type": "hiding", "subject": "B", "target": None, "content": "the key"},
        ],
        "persistent_arcs": [{"content": "The well must be opened.", "ts": 1, "persistent": True}],
        "canon": {"text": "A came from the sea.", "ts": 1_760_000_000_000},
    }


def chat_block() -> dict[str, Any]:
    """`chat_metadata.smartMemory`."""
    return {
        "schema_version": 9,
        "summary": "They came to the well.",
        "summaryEnd": 6,
        "summaryUpdated": 1_760_000_000_000,
        "sessionMemories": [
            memory("s1", "detail", "A rope lies beside it.", expiration="session"),
            memory("s2", "scene", "Dawn at the well.", importance=99, confidence=7),
        ],
        "sessionEntities": [
            {"id": "e-well", "name": "The Well", "type": "place", "first_seen": 3, "last_seen": 5}
        ],
        "sceneHistory": [{"summary": "They walked all night.", "ts": 1, "source_memory_ids": []}],
        "storyArcs": [
            {"content": "Somebody follows them.", "ts": 1},
            {"content": "The well must be opened.", "ts": 1, "persistent": True},
        ],
        "arcSummaries": [
            {"summary": "It was found in the hay.", "arc": "The key is lost.", "ts": 2}
        ],
        "profiles": {
            "A": {
                "character_state": "Tired.",
                "world_state": "",
                "relationship_matrix": "B: trust 0.7",
                "generated_at": 1_760_000_000_000,
            }
        },
        "state_ledger": {
            "the well|place": {"_name": "The Well", "hazards": "deep", "damage": "unknown"},
            "a|character": {"_name": "A", "mood": "tired", "no such field": "x"},
            "broken": {"mood": "x"},
        },
        "lastExtractCutoff": 6,
        "lastActive": 1_760_000_000_000,
        "freshStart": False,
        "pendingRepair": None,
    }


def put(chat: Path, user_folder: Path, name: str, of_chat: Any, of_character: Any) -> None:
    """Write both where the extension keeps them."""
    if of_chat is not None:
        lines = chat.read_text("utf-8").splitlines()
        header = json.loads(lines[0])
        header.setdefault("chat_metadata", {})["smartMemory"] = of_chat
        chat.write_text("\n".join([json.dumps(header), *lines[1:]]), "utf-8")
    if of_character is not None:
        path = user_folder / "settings.json"
        settings = json.loads(path.read_text("utf-8")) if path.exists() else {}
        kept = settings.setdefault("extension_settings", {})
        kept["smart_memory"] = {"characters": {name: of_character}, "group_arcs": {}}
        path.write_text(json.dumps(settings), "utf-8")
