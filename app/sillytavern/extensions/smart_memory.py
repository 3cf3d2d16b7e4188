"""What the extension Smart Memory keeps in SillyTavern's files; read, never written.

Shapes: spec/smart-memory.md §8, §9 and §13. Containers are of version 0 (unmarked) to 9; readers
take every one of these shapes as it stands, so that nothing has to be migrated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.core.errors import ForeignTooNew
from app.core.translation import tr
from app.sillytavern.chat_file import ChatSnapshot
from app.sillytavern.json_file import load_object
from app.story.story import ChatKind, ChatRef

KNOWN_VERSION = 9
SETTINGS_KEY = "smart_memory"
_METADATA_KEY = "smartMemory"

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Container:
    """What is kept under one name: of a chat, or of a character. whose: its name."""

    whose: str
    values: Json


@dataclass(frozen=True, slots=True)
class SmartMemory:
    """All of it that is about one chat. characters: of whoever speaks. group_arcs: raw."""

    chat: Container | None = None
    characters: tuple[Container, ...] = ()
    group_arcs: tuple[Any, ...] = field(default=())

    def __bool__(self) -> bool:
        return self.chat is not None or bool(self.characters or self.group_arcs)


def find_smart_memory(chat: ChatRef, snapshot: ChatSnapshot) -> SmartMemory:
    """What is there for a chat. Blocks. Raises ForeignTooNew when any of it is of a newer version
    than is known; then nothing of it is to be used.
    """
    of_chat = snapshot.chat_metadata.get(_METADATA_KEY)
    found = SmartMemory(
        Container(chat.title, of_chat) if isinstance(of_chat, dict) and of_chat else None
    )
    if chat.user_folder is not None:
        found = _with_settings(found, chat)
    for container in (found.chat, *found.characters):
        if container is not None and (version := _version(container.values)) > KNOWN_VERSION:
            raise ForeignTooNew(
                tr(
                    "Smart Memory's data of {whose} have version {version}, but this Tavernkeep "
                    "knows only up to {known_version}. Nothing was imported or changed. Try a "
                    "newer Tavernkeep.",
                    whose=container.whose,
                    version=version,
                    known_version=KNOWN_VERSION,
                )
            )
    return found


def _with_settings(found: SmartMemory, chat: ChatRef) -> SmartMemory:
    assert chat.user_folder is not None
    kept = load_object(chat.user_folder / "settings.json").get("extension_settings")
    kept = kept.get(SETTINGS_KEY) if isinstance(kept, dict) else None
    if not isinstance(kept, dict):
        return found
    characters = kept.get("characters")
    names = dict.fromkeys(chat.speakers or (chat.owner_name,))
    arcs = kept.get("group_arcs")
    mine = arcs.get(chat.owner) if isinstance(arcs, dict) and chat.kind is ChatKind.GROUP else None
    return SmartMemory(
        found.chat,
        tuple(_containers(characters, names)) if isinstance(characters, dict) else (),
        tuple(mine) if isinstance(mine, list) else (),
    )


def _containers(characters: Json, names: Mapping[str, Any]) -> Iterator[Container]:
    for name in names:
        values = characters.get(name)
        if isinstance(values, dict) and values:
            yield Container(name, values)


def _version(values: Json) -> int:
    version = values.get("schema_version", 0)
    if isinstance(version, float) and version.is_integer():
        version = int(version)
    return version if isinstance(version, int) and not isinstance(version, bool) else 0
