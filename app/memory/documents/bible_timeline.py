"""The timeline of a story bible: scene by scene, what happened and who learned what."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from app.core.translation import N_, tr
from app.memory.documents.bible_parts import (
    Block,
    Item,
    Known,
    Part,
    Telling,
    scene_title,
    with_ending,
)
from app.memory.documents.browsing import sentence_of
from app.memory.records import Memory, Tier
from app.memory.standing import Standing, Status
from app.memory.tiers.epistemic import title_of
from app.memory.tiers.table import THREADS

HAPPENED = (Status.ACTIVE, Status.ENDED)
EVENTS = {Tier.LONG_TERM: ("event",), Tier.SESSION: ("scene", "revelation", "development")}


def timeline_part(known: Known, telling: Telling) -> Part | None:
    """What has a place in the story, in its order."""
    entries = sorted(_entries(known, telling), key=_index)
    parts = []
    for scene in known.story.scenes:
        first = bisect_left(entries, scene.first, key=_index)
        last = bisect_left(entries, scene.last + 1, key=_index)
        items = tuple(Item(text, note=f"#{index}") for index, text in entries[first:last])
        if items and telling.saw_scene(scene):
            name = known.story.scene_name(scene)
            name = name if telling.allows_text(name) else ""
            parts.append(Part(scene_title(scene, name), (Block(items=items),)))
    return Part(tr("Timeline"), parts=tuple(parts)) if parts else None


def _index(entry: tuple[int, str]) -> int:
    return entry[0]


def _entries(known: Known, telling: Telling) -> Iterator[tuple[int, str]]:
    seen: set[tuple[int, str]] = set()
    for standing in known.memories:
        is_known = standing.status in HAPPENED and 0 <= standing.start <= known.at
        if not is_known or not telling.allows(standing):
            continue
        for entry in _of_one(standing, known.at, is_own=bool(telling.person)):
            # What is in somebody's own mind may be told to them in whatever words.
            is_own = standing.memory.tier is Tier.EPISTEMIC
            if entry not in seen and (is_own or telling.allows_text(entry[1])):
                seen.add(entry)
                yield entry


def _of_one(standing: Standing, at: int, *, is_own: bool) -> Iterator[tuple[int, str]]:
    memory = standing.memory
    if memory.type in EVENTS.get(memory.tier, ()):
        yield standing.start, sentence_of(memory)
    elif memory.tier is Tier.EPISTEMIC:
        yield standing.start, _learning(memory, is_own=is_own)
    elif memory.tier in THREADS:
        yield standing.start, tr("Begins: {thread}", thread=sentence_of(memory))
        ending = standing.ending
        if ending is not None and standing.end is not None and standing.end <= at:
            thread = with_ending(sentence_of(memory), ending.text)
            yield standing.end, tr("Ends: {thread}", thread=thread)


def _learning(memory: Memory, *, is_own: bool) -> str:
    """is_own: it is told to the holder, who does not know that they are wrong."""
    who, whom, what = memory.subject, memory.told_by, title_of(memory.text)
    match memory.type:
        case "knows" if memory.told_by:
            said = N_("{who} learns from {whom}: {what}")
        case "knows":
            said = N_("{who} learns: {what}")
        case "suspects":
            said = N_("{who} begins to suspect: {what}")
        case "believes" if is_own:
            said = N_("{who} comes to believe: {what}")
        case "believes":
            said = N_("{who} wrongly believes: {what}")
        case "hiding" if memory.target:
            said, whom = N_("{who} hides from {whom}: {what}"), memory.target
        case "hiding":
            said = N_("{who} hides: {what}")
        case _:
            said = N_("{who} does not know: {what}")
    return tr(said, who=who, whom=whom, what=what)
