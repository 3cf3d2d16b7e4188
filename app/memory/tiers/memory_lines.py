"""What long-term and session memories share: their lines (spec/smart-memory.md §8.1 to §8.4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from app.memory.names import folded, name_in
from app.memory.records import ENTITY_TYPES, Expiration, Memory, Tier
from app.memory.tiers.claims import Claim, ClaimedEnd, Mention
from app.memory.tiers.lines import Line, is_copied, signs_in
from app.memory.tiers.tier import Entries, text_line

HEADING = "Memories:"  # of both, where a model is shown what is known
# Shortest content, in signs.
SHORTEST: Mapping[Tier, int] = MappingProxyType({Tier.SESSION: 5, Tier.LONG_TERM: 8})
# The specification reads 240 and 280 signs at most. Models that are told of no bound, or that
# count in words, write more just where a memory weighs most, and all of that was lost.
LONGEST = 500
HEDGED = re.compile(
    r"\b(?:may\s?be|might\s+be|possibly|perhaps|i\s+think|seems\s+like)\b", re.IGNORECASE
)
LISTED = re.compile(r"\s*-?\s*\[[A-Za-z]{4,12}\]\s*")  # as a list of memories shows one
MOST_ENTITIES = 12
MOST_TRIGGERS = 6
UNKNOWN = "unknown"
TYPE_WORDS: Mapping[str, str] = MappingProxyType(
    {
        **{kind: kind for kind in ENTITY_TYPES},
        **dict.fromkeys(("person", "people", "char", "creature", "animal", "npc"), "character"),
        **dict.fromkeys(("location", "building", "room", "city", "setting"), "place"),
        **dict.fromkeys(("item", "thing", "artifact", "artefact", "weapon"), "object"),
        **dict.fromkeys(("vehicle", "ship"), "object"),
        **dict.fromkeys(("group", "organisation", "organization", "guild"), "faction"),
        **dict.fromkeys(("idea", "event", "rule"), "concept"),
    }
)


def memory_claim(line: Line, tier: Tier) -> Claim | None:
    """What a line claims for a tier; None for content too short or long, hedged (long-term only),
    or copied from the prompt. An unknown modifier is ignored.
    """
    text = line.content
    if len(text) > LONGEST or signs_in(text) < SHORTEST[tier] or is_copied(text):
        return None
    if tier is Tier.LONG_TERM and HEDGED.search(line.content):
        return None
    positional = [part.strip().lower() for text in line.positional for part in text.split(",")]
    importance = line.value("score", "importance", "weight") or _first(positional, ("1", "2", "3"))
    expiration = line.value("expires", "expiration", "expiry", "lasting").lower()
    lasting = Expiration.PERMANENT if tier is Tier.LONG_TERM else Expiration.SESSION
    for word in (expiration, _first(positional, tuple(Expiration))):
        if word in tuple(Expiration):
            lasting = Expiration(word)
            break
    return Claim(
        tier=tier,
        type=line.type,
        text=line.content,
        importance=int(importance) if importance in ("1", "2", "3") else 2,
        expiration=lasting,
        entities=mentions_in(line.value("entity", "entities")),
        triggers=_triggers(line.value("triggers", "trigger")),
        sources=line.sources,
    )


def memory_entries(line: Line, tier: Tier) -> Entries:
    """The same as entries of the tier."""
    claim = memory_claim(line, tier)
    return ([claim] if claim else []), []


def listed_with_type(memory: Memory) -> str:
    """A memory as it is listed for a model: its type, then its words."""
    return f"- [{memory.type}] {text_line(memory)}"


def plurals(types: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What models write for the types."""
    return tuple((word, (f"{word}s",)) for word in types)


def over_memory(line: Line) -> ClaimedEnd | None:
    """Which memory no longer holds, in its words, as it is listed or without its type."""
    text = LISTED.sub("", line.content, count=1).strip()
    if is_copied(text) or not any(map(str.isalnum, text)):
        return None
    return ClaimedEnd(Tier.LONG_TERM, text=text, sources=line.sources)


def mentions_in(text: str, otherwise: str = UNKNOWN) -> tuple[Mention, ...]:
    """The entities in "Name/type,Other/type", each once. otherwise: type where none is said."""
    mentions: dict[str, Mention] = {}
    for part in re.split(r"[,;]", text):
        name, slash, kind = part.rpartition("/")
        name, kind = (name, entity_type(kind)) if slash else (part, otherwise)
        name = name_in(name)
        known = mentions.get(folded(name))
        if name and (known is None or known.type == UNKNOWN):
            mentions[folded(name)] = Mention(known.name if known else name, kind)
    return tuple(mentions.values())[:MOST_ENTITIES]


def entity_type(word: str) -> str:
    """The type that a model means, "unknown" for none of ours."""
    return TYPE_WORDS.get(word.strip(" \t.\"'()").lower(), UNKNOWN)


def _first(words: list[str], wanted: tuple[str, ...]) -> str:
    return next((word for word in words if word in wanted), "")


def _triggers(text: str) -> tuple[str, ...]:
    words = (" ".join(part.split()).lower() for part in re.split(r"[,;]", text))
    kept = dict.fromkeys(word for word in words if 3 <= len(word) <= 40)
    return tuple(kept)[:MOST_TRIGGERS]
