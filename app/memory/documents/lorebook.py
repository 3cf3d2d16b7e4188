"""Memories as entries of a lorebook: one for each person, place and thing, triggered by its names.

Pure. A lorebook is the same for whoever speaks: who knows what is left out of it. Its sentences are
read by models and stay English; the title of an entry is for people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from app.core.translation import N_, tr
from app.memory.documents.bible_parts import EVERYTHING, Telling
from app.memory.documents.browsing import english_sentence_of
from app.memory.names import folded
from app.memory.records import Entity, Memory
from app.memory.standing import Standing
from app.memory.tiers.table import TIERS
from app.story.lore_entries.lore import LoreEntry

OTHERS = N_("What else is remembered")
MOST_SENTENCES = 20


def lorebook_of(
    memories: Sequence[Standing],
    entities: Sequence[Entity],
    speakers: Sequence[str],
    telling: Telling = EVERYTHING,
) -> tuple[LoreEntry, ...]:
    """What holds now, each memory in one entry: that of whoever it is about of whom least is told.

    speakers: names that trigger what is about nobody in particular.
    """
    told = [
        s.memory
        for s in memories
        if TIERS[s.memory.tier].is_open and s.is_active and telling.allows(s)
    ]
    by_name = {
        folded(word): entity for entity in entities for word in (entity.name, *entity.aliases)
    }
    about = {memory.id: _about(memory, by_name) for memory in told}
    counts = Counter(entity.id for found in about.values() for entity in found)
    sentences: dict[str, list[str]] = {}
    for memory in sorted(told, key=lambda memory: -memory.importance):
        found = sorted(about[memory.id], key=lambda entity: counts[entity.id])
        owner = found[0].id if found else ""
        sentences.setdefault(owner, []).append(_sentence(memory))
    entries = [
        LoreEntry(
            entity.type,
            entity.name,
            () if telling.person else entity.aliases,
            tuple(dict.fromkeys(sentences[entity.id]))[:MOST_SENTENCES],
        )
        for entity in entities
        if entity.id in sentences and telling.has_met(entity.name)
    ]
    if "" in sentences:
        content = tuple(dict.fromkeys(sentences[""]))[:MOST_SENTENCES]
        entries.append(LoreEntry("memory", tr(OTHERS), tuple(dict.fromkeys(speakers)), content))
    return tuple(entries)


def _about(memory: Memory, by_name: dict[str, Entity]) -> tuple[Entity, ...]:
    """The entities that a memory names, those that it is said of first."""
    names = (memory.subject, *memory.entities)
    if TIERS[memory.tier].key is not None:
        names = (memory.subject,)
    found = {by_name[key].id: by_name[key] for name in names if (key := folded(name)) in by_name}
    return tuple(found.values())


def _sentence(memory: Memory) -> str:
    sentence = english_sentence_of(memory).strip()
    if TIERS[memory.tier].is_thread:
        sentence = f"Open: {sentence}"
    return sentence if sentence.endswith((".", "!", "?", "…", "。")) else f"{sentence}."
