"""The running recap of a chat in the shape that ST-Auto-Recap keeps in chat_metadata. Pure.

Shape: spec/auto-recap.md §1.5 and §12. Versions of others stay or are set aside, never dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.sillytavern.chat_edit import is_same_json
from app.sillytavern.extensions.message_extras import (
    OWN_KEY,
    RUNNING_KEYS,
    running_extra,
    running_version,
)
from app.story.recaps import FOREIGN, RunningRecap, RunningVersion, injected_version

RUNNING_KEY = RUNNING_KEYS[0]
SET_ASIDE = "set_aside"


def running_values(
    metadata: Mapping[str, Any],
    running: RunningRecap,
    positions: Mapping[str, int],
    *,
    name: str,
    leave_out: int = 0,
    deleted: Sequence[RunningVersion] = (),
) -> dict[str, Any]:
    """What of chat_metadata becomes different (spec/auto-recap.md §1.5).

    name: the chat's file name without ending. deleted: versions that the user threw away. What we
    do not know of and cannot stay, since it belongs to another chat, as in a branch or a copy, or
    has the number of one of ours, is set aside under our own key.
    """
    # Data under the earlier key stay where they are as long as nothing differs.
    blocks = (metadata.get(key) for key in RUNNING_KEYS)
    held: dict[str, Any] = next((block for block in blocks if isinstance(block, dict)), {})
    stored = held.get("versions")
    old = stored if isinstance(stored, list) else []
    chosen = injected_version(running, positions)
    ours = [v for v in running.versions if v.reason != FOREIGN or v is chosen]
    told, current = running_extra({RUNNING_KEY: held}), held.get("current_version", 0)
    if chosen is not None and (told is None or told.current_version != chosen.version):
        current = chosen.version
    gone, known = _keys(deleted), _keys(ours)
    old = [version for version in old if _key(version) not in gone]
    aside: list[dict[str, Any]] = []
    if held.get("chat_id") not in (None, "", name) and not all(_key(v) in known for v in old):
        aside.append(dict(held))
        old = [version for version in old if _key(version) in known]
        current = 0 if chosen is None else chosen.version
    versions, replaced = _merged_running(old, ours, positions, leave_out)
    if replaced:
        aside.append({"chat_id": name, "versions": replaced})
    is_list = isinstance(stored, list)
    if not versions and not (stored and is_list):
        return {}
    if stored and not is_list and not aside:
        aside.append(dict(held))  # whatever it is
    is_emptied = bool(held.get("versions")) and not versions
    if is_emptied:
        current = 0
    # Storage without a chat_id would be taken for another chat's, and reset.
    storage: dict[str, Any] = {"chat_id": name} if versions or aside or is_emptied else {}
    storage |= held | storage | {"current_version": current, "versions": versions}
    values = {RUNNING_KEY: storage} if not is_same_json(storage, held) else {}
    if aside:
        values[OWN_KEY] = _with_set_aside(metadata.get(OWN_KEY), aside)
    return values


def _merged_running(
    held: Sequence[Any],
    ours: Sequence[RunningVersion],
    positions: Mapping[str, int],
    leave_out: int,
) -> tuple[list[Any], list[Any]]:
    """All versions, and those that others gave a number of ours."""
    versions = list(held)
    # A number and its words are given once, so that both together tell who is who. Of those that
    # come twice, the last one is shown.
    places = {key: at for at, old in enumerate(held) if (key := _key(old)) is not None}
    taken: set[int] = set()
    for version in ours:
        at = places.get((version.version, version.content))
        if at is not None:
            versions[at] = _updated(versions[at], version, positions)
            continue
        end = positions.get(version.last_anchor)
        if end is None and version.last_anchor:
            continue  # it tells of messages that this chat does not hold
        taken.add(version.version)
        versions.append(
            {
                "version": version.version,
                "timestamp": round(version.created * 1000),
                "content": version.content,
                "scene_count": version.scene_count,
                "excluded_count": leave_out,
                "prev_scene_index": positions.get(version.first_anchor, 0),
                "new_scene_index": end or 0,
                "event_keys": [],
            }
        )
    replaced = [old for old in versions[: len(held)] if _number(old) in taken]
    return [old for old in versions if old not in replaced] if replaced else versions, replaced


def _updated(
    old: dict[str, Any], version: RunningVersion, positions: Mapping[str, int]
) -> dict[str, Any]:
    """The stored version, with new indexes where its messages have moved."""
    read = running_version(old)
    assert read is not None
    new: dict[str, Any] = {}
    if read.scene_count != version.scene_count:
        new["scene_count"] = version.scene_count
    first = positions.get(version.first_anchor)
    if first is not None and read.prev_scene_index != first:
        new["prev_scene_index"] = first
    last = positions.get(version.last_anchor)
    if last is not None and read.new_scene_index != last:
        new["new_scene_index"] = last
    return {**old, **new}


def _key(stored: object) -> tuple[int, str] | None:
    read = running_version(stored)
    return None if read is None else (read.version, read.content)


def _number(stored: object) -> int | None:
    read = running_version(stored)
    return None if read is None else read.version


def _keys(versions: Iterable[RunningVersion]) -> set[tuple[int, str] | None]:
    return {(version.version, version.content) for version in versions}


def _with_set_aside(own: object, blocks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    own = dict(own) if isinstance(own, dict) else {}
    aside = own.get(SET_ASIDE)
    aside = list(aside) if isinstance(aside, list) else []
    aside += [block for block in blocks if not any(is_same_json(old, block) for old in aside)]
    return {**own, SET_ASIDE: aside}
