"""A scene's break and recaps in the shape that ST-Auto-Recap keeps on its last message. Pure.

Shape: spec/auto-recap.md §1.2, §1.3 and §12. Versions of others stay, in their places.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from app.sillytavern.chat_edit import Block
from app.sillytavern.chat_line import ChatLine, without_surrogates
from app.sillytavern.extensions.message_extras import (
    is_of_earlier_form,
    is_readable,
    recap_block,
    scene_extra,
    version_text,
)
from app.sillytavern.extensions.string_hash import recap_hash
from app.story.recap_texts.recap_text import parse_recap
from app.story.recaps import SceneRecap
from app.story.scene_names import chosen_name
from app.story.scenes import Scene, SceneBreak, automatic_name

# Of a message that closes no scene any more.
_NO_RECAPS: Block = {
    "scene_break_recap": "",
    "scene_recap_memory": "",
    "scene_recap_versions": [],
    "scene_recap_current_index": 0,
    "scene_recap_hash": "",
    "scene_recap_metadata": {},
}


def scene_values(
    line: ChatLine,
    mark: SceneBreak,
    scene: Scene | None,
    recaps: Sequence[SceneRecap],
    index: int,
    gone: Sequence[SceneRecap] = (),
) -> Block:
    """The scene group (spec/auto-recap.md §1.2, §1.3) of the message at `index`.

    scene: the one it closes, None for a hidden break. recaps: its versions, oldest first. gone:
    versions that the user put away.
    """
    if not is_readable(line):
        return {}
    extra = scene_extra(line)
    if extra is None and not mark.is_visible:
        return {}  # a break that was found and removed again, and that nobody has heard of
    values = _recap_values(line, scene, recaps, index, gone)
    name = mark.name
    if not mark.has_given_name and not (extra and extra.name not in ("", mark.name)):
        made = [recap for recap in recaps if not recap.is_imported]
        ours = any(recap.is_current for recap in made)
        named = chosen_name(scene, made) if scene and ours else ""
        name = automatic_name(named, scene) if named and named != mark.name else name
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
    if values and is_of_earlier_form(line):
        # Who reads only what is written now is to find the recaps beside it.
        values = {**_held_recaps(line), **values}
    return values


def _held_recaps(line: ChatLine) -> dict[str, Any]:
    """The recaps that stand there, in the names of today."""
    block, extra = recap_block(line), scene_extra(line)
    if extra is None or not extra.versions:
        return {}
    text = extra.versions[extra.current]
    return {
        "scene_break_recap": text,
        "scene_recap_memory": text,
        "scene_recap_versions": list(extra.versions),
        "scene_recap_current_index": extra.current,
        "scene_recap_hash": recap_hash(text),
        "scene_recap_metadata": _metadata_by_version(block.get("scene_recap_metadata")),
    }


def forgotten_scene(line: ChatLine, gone: Sequence[SceneRecap]) -> Block:
    """Takes a break away that the user cleared, and its recaps where we knew all of them."""
    extra = scene_extra(line)
    if extra is None or not is_readable(line):
        return {}
    values: dict[str, Any] = {}
    if extra.is_break:
        values = {"scene_break": False, "scene_break_visible": True, "scene_break_name": ""}
    return {**values, **_NO_RECAPS} if _are_gone(extra.versions, gone) else values


def _are_gone(held: Sequence[str], gone: Sequence[SceneRecap]) -> bool:
    """Whether all versions in the chat were put away; the extension makes empty ones itself."""
    texts = {stored_recap(recap) for recap in gone}
    return any(held) and all(not text or text in texts for text in held)


def _recap_values(
    line: ChatLine,
    scene: Scene | None,
    recaps: Sequence[SceneRecap],
    index: int,
    gone: Sequence[SceneRecap],
) -> dict[str, Any]:
    block, extra = recap_block(line), scene_extra(line)
    held = extra.versions if extra else ()
    ours = {stored_recap(recap) for recap in recaps}
    if gone and ours.isdisjoint(held) and _are_gone(held, gone):
        block, extra, held = {**block, **_NO_RECAPS}, None, ()
        if not recaps:
            return dict(_NO_RECAPS)
    if not recaps:
        return {}
    versions, places = _merged_versions(block, recaps)
    current = next((places[at] for at, recap in enumerate(recaps) if recap.is_current), None)
    if current is None:
        current = extra.current if extra and held else len(versions) - 1
    metadata = _metadata_by_version(block.get("scene_recap_metadata"))
    is_combined = _combine(metadata, places, recaps)
    if extra and len(versions) == len(held) and current == extra.current:
        return {"scene_recap_metadata": metadata} if is_combined else {}
    text = version_text(versions[current])
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
    texts = [without_surrogates(version_text(version)) for version in versions]
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
        **({} if recap.combined_at is None else {"combined_at": round(recap.combined_at * 1000)}),
    }


def _combine(metadata: dict[str, Any], places: Sequence[int], recaps: Sequence[SceneRecap]) -> bool:
    """Lock what was folded in, as COMBINE does: only where a version has metadata already."""
    is_changed = False
    for place, recap in zip(places, recaps, strict=True):
        held = metadata.get(str(place))
        if recap.combined_at is not None and isinstance(held, dict) and "combined_at" not in held:
            metadata[str(place)] = {**held, "combined_at": round(recap.combined_at * 1000)}
            is_changed = True
    return is_changed


def _metadata_by_version(stored: object) -> dict[str, Any]:
    if not isinstance(stored, dict):
        return {}
    # A flat object is an earlier form, for the first version.
    return {"0": stored} if "startIdx" in stored or "timestamp" in stored else dict(stored)
