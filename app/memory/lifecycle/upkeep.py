"""What is remembered as if it were so still: what is looked through, and what is over. Pure.

Readings end what their few messages speak of, among what they are shown. At scene ends the older
entries are looked through once more, beside what the scenes since tell.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.core.translation import N_
from app.memory.ranking import is_yours
from app.memory.reading.extraction import shares_a_word
from app.memory.reading.known import SPOKEN_OF, CountTokens, closeness, line_of
from app.memory.reading.prose import within
from app.memory.records import (
    Document,
    DocumentKind,
    Ending,
    Memory,
    Source,
)
from app.memory.standing import Standing
from app.memory.tiers.lines import (
    LARGEST_ANSWER,
    LONGEST_LINE,
    MOST_LINES,
    NONE_AND_WHY,
    NONE_AT_ALL,
    content_in,
    is_copied,
    numbers_in,
)
from app.memory.tiers.table import PLAIN, THREADS, TIERS
from app.story.answers.task_answers import Unreadable

HAPPENING = "event"  # the type of long-term memory that tells what happened, not what is so
LEAST_ENTRIES = 5  # fewer are not worth a request
MOST_ENTRIES = 60
ENTRY_TOKENS, TOLD_TOKENS = 1_600, 1_700
LONGEST_WHY = 400  # signs
_LOOKED_THROUGH = tuple(
    spec.tier
    for spec in sorted(TIERS.values(), key=lambda spec: spec.rank)
    if spec.is_looked_through
)
PASSING = frozenset(TIERS) - PLAIN - THREADS  # what may be over before its scene is
_ENDED = re.compile(
    r"[ \t]{0,8}(?:[-*•][ \t]+)?[*_\[(#]{0,3}"
    r"(?P<numbers>\d{1,3}(?:\s?[,&]\s?#?\d{1,3}){0,9})[*_\])]{0,3}[.:]?"
    r"[ \t]{0,4}\|[ \t]{0,4}[*_\[(#]{0,3}(?:[Ss]cene[ \t]{0,2})?#?"
    r"(?P<scene>\d{1,4})[*_\])]{0,3}[ \t]{0,4}\|(?P<why>.+)"
)


@dataclass(frozen=True, slots=True)
class ToldScene:
    """A scene that has ended, as it is told. number: of the story. first, last: message indexes.
    closing: its last message.
    """

    number: int
    first: int
    last: int
    text: str
    closing: Source


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What is looked through, first what has to be, and beside what. scenes: oldest first. place:
    where each entry begins, by id.
    """

    entries: tuple[Memory, ...]
    scenes: tuple[ToldScene, ...]
    place: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Over:
    """An entry that holds no longer since a scene, and what is so instead."""

    memory: str
    scene: ToldScene
    why: str


def looked_through(documents: Iterable[Document], places: Mapping[str, int]) -> dict[str, int]:
    """Ids of entries that were looked through, with the message up to which. places: index by
    anchor; what was done behind a message that is gone counts for nothing.
    """
    return {
        memory: places[document.until]
        for document in documents
        if document.kind is DocumentKind.UPKEEP and document.until in places
        for memory in document.sections
    }


def said_to_be_past(documents: Iterable[Document], places: Collection[str]) -> frozenset[str]:
    """Ids of memories of which a look through said that they tell how things were."""
    return frozenset(
        memory
        for document in documents
        if document.kind is DocumentKind.UPKEEP and document.until in places
        for memory, why in document.sections.items()
        if why
    )


def entries_due(
    standings: Sequence[Standing],
    scenes: Sequence[ToldScene],
    documents: Sequence[Document],
    places: Mapping[str, int],
) -> Upkeep | None:
    """What is to be looked through beside these scenes; None where it is too little.

    Entries that were there before the last of the scenes; what was said to be over and holds again
    was brought back, and is left alone. Those of which the scenes tell go first, then those that
    nobody has looked at for longest.
    """
    if not scenes:
        return None
    done, past = looked_through(documents, places), said_to_be_past(documents, places)
    held = [
        s
        for s in standings
        if s.is_active
        and s.start < scenes[-1].first
        and s.memory.id not in past
        and _may_end(s.memory)
    ]
    if len(held) < LEAST_ENTRIES:
        return None
    near = closeness([s.memory for s in held], "\n".join(scene.text for scene in scenes))

    def order(at: int) -> tuple[bool, int, int, int]:
        memory, start = held[at].memory, held[at].start
        return near[at] < SPOKEN_OF, done.get(memory.id, -1), -memory.importance, start

    chosen = sorted(range(len(held)), key=order)[:MOST_ENTRIES]
    entries = tuple(held[at].memory for at in chosen)
    return Upkeep(entries, tuple(scenes), {s.memory.id: s.start for s in held})


def upkeep_inputs(
    upkeep: Upkeep, *, room: int, count: CountTokens
) -> tuple[Upkeep, dict[str, str]]:
    """What a request is given, and what of the entries and scenes it shows, numbered in that order.

    room: tokens for both; the newest scenes and the first entries go before others.
    """
    scenes: list[ToldScene] = []
    left = min(TOLD_TOKENS, room // 2)
    for scene in reversed(upkeep.scenes):
        left -= count(_told(scene)) + 1
        if left < 0 and scenes:
            break
        scenes.insert(0, scene)
    lines = [f"{number}. {_listed(m)}" for number, m in enumerate(upkeep.entries, 100)]
    fitting = len(within(lines, min(ENTRY_TOKENS, room // 2), count))
    kept = upkeep.entries[:fitting]
    entries = tuple(m for tier in _LOOKED_THROUGH for m in kept if m.tier is tier)
    shown = replace(upkeep, entries=entries, scenes=tuple(scenes))
    parts: list[str] = []
    for number, memory in enumerate(entries, 1):
        if number == 1 or memory.tier is not entries[number - 2].tier:
            parts += ([""] if parts else []) + [TIERS[memory.tier].heading]
        parts.append(f"{number}. {_listed(memory)}{_since(upkeep.place[memory.id], scenes)}")
    return shown, {"entries": "\n".join(parts), "scenes": "\n\n".join(map(_told, scenes))}


def read_upkeep(text: str, shown: Upkeep) -> tuple[Over, ...]:
    """What an answer says is over, each entry once. Raises Unreadable for something else.

    Believed is only what names an entry and a scene that were shown, the scene being told after the
    entry or, of what passes quickly, going on behind it, with a reason in words of that scene.
    """
    found: dict[str, Over] = {}
    scenes = {scene.number: scene for scene in shown.scenes}
    is_form = False
    lines = text[:LARGEST_ANSWER].splitlines()[:MOST_LINES]
    for line in lines:
        match = _ENDED.match(line[:LONGEST_LINE])
        if match is None:
            is_form = is_form or bool(NONE_AT_ALL.fullmatch(line) or NONE_AND_WHY.match(line))
            continue
        is_form = True
        scene, why = scenes.get(int(match["scene"])), content_in(match["why"])[:LONGEST_WHY]
        if scene is None or is_copied(why) or not shares_a_word(why, [scene.text]):
            continue
        for number in numbers_in(match["numbers"]):
            if not 1 <= number <= len(shown.entries):
                continue
            memory = shown.entries[number - 1]
            # The scene of a thread or a memory is rather named for where it comes from.
            end = scene.last if memory.tier in PASSING else scene.first
            if shown.place[memory.id] < end:
                found.setdefault(memory.id, Over(memory.id, scene, why))
    if not is_form:
        raise Unreadable(N_("with something other than the requested lines"))
    return tuple(found.values())


def ended_by(memories: Iterable[Memory], over: Iterable[Over]) -> tuple[Memory, ...]:
    """The memories with the endings that were found. A sentence on how something was stays: it is
    told as past.
    """
    by_id = {one.memory: one for one in over}
    changed = []
    for memory in memories:
        one = by_id.get(memory.id)
        if one is None or memory.tier in PLAIN or memory.endings:
            continue
        ending = Ending(TIERS[memory.tier].ends_as, sources=(one.scene.closing,), text=one.why)
        changed.append(replace(memory, endings=(*memory.endings, ending)))
    return tuple(changed)


def _may_end(memory: Memory) -> bool:
    is_looked_through = TIERS[memory.tier].is_looked_through and memory.type != HAPPENING
    return is_looked_through and not is_yours(memory)


def _listed(memory: Memory) -> str:
    return line_of(memory).removeprefix("- ")


def _since(place: int, scenes: Sequence[ToldScene]) -> str:
    """Of which of the scenes an entry is; "" for one that is older."""
    own = next((scene for scene in scenes if scene.first <= place <= scene.last), None)
    return f" (scene {own.number})" if own else ""


def _told(scene: ToldScene) -> str:
    return f"Scene {scene.number}: {scene.text.strip()}"
