"""What recap extensions keep in SillyTavern's chats: per message, per scene and per chat."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import structs

from app.sillytavern.chat_line import MESSAGE_SUMMARIZE as MESSAGE_SUMMARIZE_BLOCK
from app.sillytavern.chat_line import (
    RECAP_NAMESPACES,
    ChatLine,
    LineDecoder,
    UnreadableLine,
    load_json,
    without_surrogates,
)
from app.sillytavern.extensions.stored_recap import display_text
from app.sillytavern.extensions.string_hash import string_hashes
from app.story.messages import MessageRecap
from app.story.recaps import MESSAGE_SUMMARIZE

RUNNING_KEYS = ("auto_recap_running_scene_recaps", "auto_summarize_running_scene_summaries")

OWN_KEY = "tavernkeep"  # our own block in extra and in chat_metadata, next to the extension's
HIDDEN = "hidden"  # in that block of a message, on what we hid
LARGEST = 2**53  # up to which JavaScript counts

_NAMESPACES = tuple(namespace.encode() for namespace in RECAP_NAMESPACES)

# Keys of a recap object where versions are objects instead of strings (seed 003).
_VERSION_KEYS = ("recap", "content", "text", "memory")
# In blocks from before 2025-11-09 keys begin otherwise (spec/auto-recap.md §1.1).
_OLD_KEYS = {
    "scene_recap_memory": "scene_summary_memory",
    "scene_recap_versions": "scene_summary_versions",
    "scene_recap_current_index": "scene_summary_current_index",
    "scene_recap_hash": "scene_summary_hash",
    "scene_recap_metadata": "scene_summary_metadata",
    "scene_break_recap": "scene_break_summary",
}


@dataclass(frozen=True, slots=True)
class SceneExtra:
    """The scene data of a message (spec/auto-recap.md §1.2).

    versions: stored recaps, oldest first, as written (display_text shows them). current: index of
    the one that counts, -1 without versions. metadata: of each version that has some, by index.
    recap_hash: the extension's own (string_hash.recap_hash).
    """

    is_break: bool
    is_visible: bool
    name: str
    is_collapsed: bool
    versions: tuple[str, ...] = ()
    current: int = -1
    metadata: dict[int, dict[str, Any]] = field(default_factory=dict)
    recap_hash: str = ""

    @property
    def text(self) -> str:
        """The current recap for people, "" for a bookmark."""
        return display_text(self.versions[self.current]) if self.versions else ""


@dataclass(frozen=True, slots=True)
class RunningExtraVersion:
    """A version of the running recap as stored. Times are milliseconds, indexes of the chat."""

    version: int
    content: str
    timestamp: int = 0
    scene_count: int = 0
    excluded_count: int = 0
    prev_scene_index: int = 0
    new_scene_index: int = 0


@dataclass(frozen=True, slots=True)
class RunningExtra:
    """The running recap of a chat (spec/auto-recap.md §1.5). chat_id: file name, "" if unknown."""

    chat_id: str
    current_version: int
    versions: tuple[RunningExtraVersion, ...]


def message_recap(line: ChatLine) -> MessageRecap | None:
    """The recap of one message and its marks, None when no extension left any."""
    return message_recaps([line]).get(0)


def message_recaps(lines: Iterable[ChatLine]) -> dict[int, MessageRecap]:
    """Message recaps by index. One call for a whole chat is far cheaper than one per message."""
    found: dict[int, tuple[ChatLine, dict[str, Any]]] = {}
    for index, line in enumerate(lines):
        if not line.recaps:
            continue
        block = recap_block(line)
        if any(key in block for key in ("memory", "exclude", "remember", "error", "edited")):
            found[index] = (line, block)
    hashes = _sources(found)
    recaps = {
        index: _recap(block, hashes[index], _writer(line)) for index, (line, block) in found.items()
    }
    return {index: recap for index, recap in recaps.items() if recap != MessageRecap()}


def other_swipe_recaps(raw: bytes) -> tuple[MessageRecap, ...]:
    """Recaps of those swipes of a message that are not shown, from its line in the file.

    What is not known to be of another text is taken to be of its swipe's.
    """
    if not any(namespace in raw for namespace in _NAMESPACES):
        return ()
    try:
        message, _ = load_json(raw)
        swipes, infos = message["swipes"], message["swipe_info"]
        pairs = list(enumerate(zip(swipes, infos, strict=False)))
    except (UnreadableLine, KeyError, TypeError):
        return ()
    found: list[MessageRecap] = []
    shown = _integer(message.get("swipe_id"))
    for at, (text, info) in pairs:
        if at == shown or not isinstance(text, str) or not isinstance(info, dict):
            continue
        own = json.dumps({"mes": text, "extra": info.get("extra")})
        line, _ = LineDecoder().decode(own.encode())
        recap = message_recap(line)
        if recap is not None:
            source = recap.source_hash or line.content_hash
            found.append(structs.replace(recap, source_hash=source, swipe=at))
    return tuple(found)


def is_hidden_by_us(raw: bytes) -> bool:
    """Whether a message, by its line in the file, carries our mark of what we hid."""
    if OWN_KEY.encode() not in raw:
        return False
    try:
        message, _ = load_json(raw)
        return message["extra"][OWN_KEY][HIDDEN] is True
    except (UnreadableLine, KeyError, TypeError):
        return False


def scene_extra(line: ChatLine) -> SceneExtra | None:
    """The scene data of a message, None when it has none."""
    block = recap_block(line)
    if not any(key.startswith("scene_") for key in block):
        return None
    versions = _versions(block)
    current = _integer(block.get("scene_recap_current_index"))
    return SceneExtra(
        is_break=_is_true(block.get("scene_break")),
        # Only a stored false hides: breaks that were never drawn have no such key.
        is_visible=block.get("scene_break_visible") is not False,
        name=_string(block.get("scene_break_name")),
        is_collapsed=_is_true(block.get("scene_break_collapsed")),
        versions=versions,
        current=min(max(current, 0), len(versions) - 1),
        metadata=_metadata(block.get("scene_recap_metadata")),
        recap_hash=_string(block.get("scene_recap_hash")),
    )


def running_extra(chat_metadata: Mapping[str, Any]) -> RunningExtra | None:
    """The running recap in a chat's metadata, None when there is none."""
    for key in RUNNING_KEYS:
        stored = chat_metadata.get(key)
        if isinstance(stored, dict):
            break
    else:
        return None
    raw = stored.get("versions")
    # Numbers may come twice (the extension's Edit button); the last one is shown.
    versions = {
        version.version: version
        for version in map(running_version, raw if isinstance(raw, list) else ())
        if version is not None
    }
    return RunningExtra(
        chat_id=_string(stored.get("chat_id")),
        current_version=_integer(stored.get("current_version")),
        versions=tuple(versions[number] for number in sorted(versions)),
    )


def running_version(stored: object) -> RunningExtraVersion | None:
    """A version of the running recap as the extension stores it, None when it is none."""
    if not isinstance(stored, dict):
        return None
    return RunningExtraVersion(
        version=_integer(stored.get("version")),
        content=_string(stored.get("content")),
        timestamp=_integer(stored.get("timestamp")),
        scene_count=_integer(stored.get("scene_count")),
        excluded_count=_integer(stored.get("excluded_count", stored.get("exclude_count"))),
        prev_scene_index=_integer(stored.get("prev_scene_index")),
        new_scene_index=_integer(stored.get("new_scene_index")),
    )


def recap_block(line: ChatLine) -> dict[str, Any]:
    """All namespaces as one; a key of the newer one wins."""
    block: dict[str, Any] = {}
    for raw in reversed(line.recaps):
        value = _decoded(raw)
        if isinstance(value, dict):
            block.update(value)
    for key, old_key in _OLD_KEYS.items():
        if key not in block and old_key in block:
            block[key] = block[old_key]
    return block


def is_of_earlier_form(line: ChatLine) -> bool:
    """Whether scene recaps stand there under the names of before 2025-11-09 alone."""
    blocks = [block for block in map(_decoded, line.recaps) if isinstance(block, dict)]
    has_new = any(key in block for block in blocks for key in _OLD_KEYS)
    return not has_new and any(old in block for block in blocks for old in _OLD_KEYS.values())


def is_readable(line: ChatLine) -> bool:
    """Whether all that stands there could be read; what could not must not be written over."""
    return all(isinstance(_decoded(raw), dict) for raw in line.recaps)


def _decoded(raw: bytes) -> Any:
    """The JSON of a block; None for what is none."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        # JavaScript cuts names between the halves of a character, which JSON allows.
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def version_text(version: object) -> str:
    """The recap in an element of `scene_recap_versions`, a string or an object (seed 003)."""
    if isinstance(version, str):
        return version
    if not isinstance(version, dict):
        return ""
    for key in _VERSION_KEYS:
        if isinstance(version.get(key), str):
            return str(version[key])
    return json.dumps(version, ensure_ascii=False)


def _writer(line: ChatLine) -> str:
    """The extension whose words the recap is, "" for blocks into which we write, too."""
    for name, raw in zip(line.recap_names, line.recaps, strict=True):
        block = _decoded(raw)
        if isinstance(block, dict) and "memory" in block:
            return MESSAGE_SUMMARIZE if name == MESSAGE_SUMMARIZE_BLOCK else ""
    return ""


def _recap(block: dict[str, Any], source_hash: str, writer: str) -> MessageRecap:
    text = _string(block.get("memory"))
    return MessageRecap(
        text=text,
        is_excluded=_is_true(block.get("exclude")),
        is_remembered=_is_true(block.get("remember")),
        is_edited=_is_true(block.get("edited")),
        is_lagging=_is_true(block.get("lagging")),
        error=_string(block.get("error")),
        source_hash=source_hash if text else "",
        reasoning=_string(block.get("reasoning")) if text else "",
        prefill=_string(block.get("prefill")) if text else "",
        taken_from=writer if text else "",
    )


def _sources(found: Mapping[int, tuple[ChatLine, dict[str, Any]]]) -> dict[int, str]:
    """Content hash of what each recap was made from, "" when unknown, by index."""
    sources = dict.fromkeys(found, "")
    hashed = {i: (line, _integer(block.get("hash"))) for i, (line, block) in found.items()}
    hashed = {index: (line, stored) for index, (line, stored) in hashed.items() if stored}
    actual = string_hashes([line.text for line, _ in hashed.values()])
    for (index, (line, stored)), value in zip(hashed.items(), actual, strict=True):
        # Never equal to a content hash, so an edited message shows its recap as stale.
        sources[index] = line.content_hash if value == stored else f"sillytavern:{stored}"
    return sources


def _versions(block: Mapping[str, Any]) -> tuple[str, ...]:
    stored = block.get("scene_recap_versions")
    if isinstance(stored, list) and stored:
        return tuple(without_surrogates(version_text(version)) for version in stored)
    for key in ("scene_recap_memory", "scene_break_recap"):
        if text := without_surrogates(version_text(block.get(key))):
            return (text,)
    return ()


def _metadata(stored: object) -> dict[int, dict[str, Any]]:
    if not isinstance(stored, dict):
        return {}
    if "startIdx" in stored or "timestamp" in stored:
        return {0: stored}
    return {
        int(key): value
        for key, value in stored.items()
        if key.isascii() and key.isdigit() and len(key) < 9 and isinstance(value, dict)
    }


def _string(value: object) -> str:
    return without_surrogates(value) if isinstance(value, str) else ""


def _integer(value: object) -> int:
    """Numbers may be strings; what is none is 0."""
    if not isinstance(value, (int, float, str)):
        return 0
    try:
        number = int(value) if isinstance(value, int) else int(float(value))
    except (ValueError, OverflowError):
        return 0
    return number if -LARGEST <= number <= LARGEST else 0


def _is_true(value: object) -> bool:
    return value is True or (value not in (None, False, "", 0) and value != "false")
