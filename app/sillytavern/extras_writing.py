"""What Tavernkeep knows of a chat, in the shapes that ST-Auto-Recap keeps in it. Pure.

Shapes: spec/auto-recap.md §1.2 to §1.5 and §12. Each function compares with what the chat holds and
gives only what has to be written: nothing for what says the same already. What others wrote and we
do not know stays: versions are only added, and foreign ones are set aside, never dropped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from app.sillytavern.chat_edit import Block, LineEdit
from app.sillytavern.chat_line import RECAP_NAMESPACES, ChatLine
from app.sillytavern.message_extras import (
    message_recap,
    recap_block,
    scene_extra,
    version_text,
)
from app.sillytavern.running_writing import running_values
from app.sillytavern.string_hash import recap_hash, string_hashes
from app.story.inclusion import Inclusion, InclusionState
from app.story.messages import MessageRecap
from app.story.recap_text import parse_recap
from app.story.recaps import RunningVersion, SceneRecap
from app.story.scenes import Scene, SceneBreak, automatic_name
from app.story.story import Story

NAMESPACE = RECAP_NAMESPACES[0]
INCLUDED = "Recap of message(s)"

_INCLUDED_STATES = (InclusionState.INCLUDED, InclusionState.LONG_TERM)


@dataclass(frozen=True, slots=True)
class Mirrored:
    """What has to be written. lines: by index of the message. metadata: by key."""

    lines: dict[int, LineEdit] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.lines or self.metadata)


def mirrored(
    story: Story,
    lines: Sequence[ChatLine],
    metadata: Mapping[str, Any],
    *,
    leave_out: int = 0,
    deleted: Sequence[RunningVersion] = (),
    with_inclusion: bool = True,
    is_of_other_swipe: Callable[[int, str], bool] = lambda _index, _hash: False,
) -> Mirrored:
    """All that the chat does not say yet.

    lines: parallel to the story's messages. metadata: the chat's. leave_out: newest scenes that
    stay out of the running recap. deleted: its versions that the user threw away.
    is_of_other_swipe: whether a swipe of message `index` that is not shown has this content hash.
    """
    positions = {message.anchor: index for index, message in enumerate(story.messages)}
    scenes = {scene.closing.anchor: scene for scene in story.scenes if scene.closing is not None}
    edits: dict[int, LineEdit] = {}
    for anchor, mark in story.breaks.items():
        index = positions.get(anchor)
        if index is None:
            continue
        recaps = story.recaps.get(anchor, ())
        values = scene_values(lines[index], mark, scenes.get(anchor), recaps, index)
        if values:
            edits[index] = LineEdit({NAMESPACE: values}, {NAMESPACE: values})
    for anchor, recap in story.message_recaps.items():
        index = positions.get(anchor)
        if index is None:
            continue
        told = story.inclusion[index] if with_inclusion and index < len(story.inclusion) else None
        line = lines[index]
        if recap.source_hash in ("", line.content_hash):
            values = message_values(line, recap, told)
        elif line.swipes > 1 and is_of_other_swipe(index, recap.source_hash):
            values = cleared_values(line, recap)
        else:
            continue  # the text was edited since: what stands there goes with it, stale as here
        if values:
            old = edits.get(index, LineEdit())
            everything = {**old.extra.get(NAMESPACE, {}), **values}
            edits[index] = LineEdit({NAMESPACE: everything}, old.every_swipe)
    running = running_values(
        metadata,
        story.running,
        positions,
        name=story.chat.title,
        leave_out=leave_out,
        deleted=deleted,
    )
    return Mirrored(edits, running)


# --- one message


def message_values(line: ChatLine, recap: MessageRecap, told: Inclusion | None = None) -> Block:
    """The message group (spec/auto-recap.md §1.2) of the text shown now.

    told: what became of its recap, None to leave `include` alone.
    """
    if not _is_readable(line):
        return {}
    held, block = message_recap(line) or MessageRecap(), recap_block(line)
    values: dict[str, Any] = {}
    if _group(held) != _group(recap):
        values = {
            "memory": recap.text or None,
            "error": recap.error or None,
            "edited": recap.is_edited,
            "exclude": recap.is_excluded,
        }
        if held.text != recap.text:
            values |= {"reasoning": None, "prefill": None}
            if "hash" in block:  # of an earlier form, which tells by it that the text changed
                values["hash"] = str(string_hashes([line.text])[0])
        if recap.is_remembered or held.is_remembered:
            values["remember"] = recap.is_remembered
    if told is not None and recap.text:
        is_included = told.state in _INCLUDED_STATES
        if bool(block.get("include")) != is_included:
            values["include"] = INCLUDED if is_included else None
    return values


def cleared_values(line: ChatLine, recap: MessageRecap) -> Block:
    """Clears what a new swipe copied from another one (spec/auto-recap.md §1.7, "Swipe event").

    recap: of that other swipe.
    """
    held = message_recap(line)
    if held is None or not _is_readable(line) or _group(held) != _group(recap):
        return {}
    return message_values(line, MessageRecap())


def _group(recap: MessageRecap) -> tuple[object, ...]:
    return recap.text, recap.error, recap.is_edited, recap.is_excluded, recap.is_remembered


# --- a scene


def scene_values(
    line: ChatLine,
    mark: SceneBreak,
    scene: Scene | None,
    recaps: Sequence[SceneRecap],
    index: int,
) -> Block:
    """The scene group (spec/auto-recap.md §1.2, §1.3) of the message at `index`.

    scene: the one it closes, None for a hidden break. recaps: its versions, oldest first.
    """
    if not _is_readable(line):
        return {}
    extra = scene_extra(line)
    if extra is None and not mark.is_visible:
        return {}  # a break that was found and removed again, and that nobody has heard of
    values = _recap_values(line, scene, recaps, index)
    name = mark.name
    if not name and not (extra and extra.name):
        made = next((recap for recap in recaps if recap.is_current and not recap.is_imported), None)
        name = automatic_name(made.name, scene) if made and scene else ""
    if (
        extra is None
        or not extra.is_break
        or extra.is_visible != mark.is_visible
        or extra.is_collapsed != mark.is_collapsed
        or (name and extra.name != name)
    ):
        values = {
            "scene_break": True,
            "scene_break_visible": mark.is_visible,
            "scene_break_collapsed": mark.is_collapsed,
            **({"scene_break_name": name} if name else {}),
            **values,
        }
    return values


def _recap_values(
    line: ChatLine, scene: Scene | None, recaps: Sequence[SceneRecap], index: int
) -> dict[str, Any]:
    if not recaps:
        return {}
    block, extra = recap_block(line), scene_extra(line)
    versions, places = _merged_versions(block, recaps)
    current = next((places[at] for at, recap in enumerate(recaps) if recap.is_current), None)
    held = extra.versions if extra else ()
    if current is None:
        current = extra.current if extra and held else len(versions) - 1
    if extra and len(versions) == len(held) and current == extra.current:
        return {}
    text = version_text(versions[current])
    metadata = _metadata_by_version(block.get("scene_recap_metadata"))
    for place, recap in zip(places, recaps, strict=True):
        if place >= len(held):
            metadata.setdefault(str(place), _version_metadata(recap, scene, index))
    return {
        "scene_break_recap": text,
        "scene_recap_memory": text,
        "scene_recap_versions": versions,
        "scene_recap_current_index": current,
        "scene_recap_hash": recap_hash(text),
        "scene_recap_metadata": metadata,
    }


def _merged_versions(
    block: Mapping[str, Any], recaps: Sequence[SceneRecap]
) -> tuple[list[Any], list[int]]:
    """All versions, those of the chat first and unchanged, and where each of ours stands."""
    stored = block.get("scene_recap_versions")
    versions: list[Any] = list(stored) if isinstance(stored, list) else []
    if not versions:
        old = block.get("scene_recap_memory") or block.get("scene_break_recap")
        versions = [old] if version_text(old) else []
    texts = [version_text(version) for version in versions]
    free = [True] * len(texts)
    places: list[int] = []
    for recap in recaps:
        text = stored_recap(recap)
        place = next((at for at, held in enumerate(texts) if free[at] and held == text), None)
        if place is None:
            place = len(versions)
            versions.append(text)
            texts.append(text)
            free.append(True)
        free[place] = False
        places.append(place)
    return versions, places


def stored_recap(recap: SceneRecap) -> str:
    """A version as the extension reads it: JSON of its third stage for headed blocks, else text.

    Its own versions stay exactly as they were found.
    """
    if recap.stored:
        return recap.stored
    parsed = parse_recap(recap.text)
    if parsed.is_empty or parsed.render() != recap.text.strip():
        return recap.text
    stage = {
        "developments": parsed.developments,
        "open": parsed.open,
        "state": parsed.state,
        "resolved": parsed.resolved,
    }
    value = {"scene_name": recap.name, "stage3": stage}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _version_metadata(recap: SceneRecap, scene: Scene | None, index: int) -> dict[str, Any]:
    first = scene.first if scene else index
    return {
        "timestamp": round(recap.created * 1000),
        "startIdx": first,
        "endIdx": index,
        "sceneMessageCount": index - first + 1,
        "totalActivatedEntries": 0,
        "totalBeforeFiltering": 0,
        "chatLorebookName": "",
        "suppressOtherLorebooks": False,
        "allEntries": [],
        "entries": [],
        "created_entry_uids": [],
    }


def _metadata_by_version(stored: object) -> dict[str, Any]:
    if not isinstance(stored, dict):
        return {}
    # A flat object is an earlier form, for the first version.
    return {"0": stored} if "startIdx" in stored or "timestamp" in stored else dict(stored)


def _is_readable(line: ChatLine) -> bool:
    """Whether all that stands there could be read; what could not must not be written over."""
    try:
        return all(isinstance(msgspec.json.decode(raw), dict) for raw in line.recaps)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
