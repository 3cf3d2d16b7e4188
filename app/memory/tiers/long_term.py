"""Long-term memories: facts, ties, preferences and events that last (spec/smart-memory.md §8.1)."""

from __future__ import annotations

from app.core.translation import N_, trn
from app.memory.records import LONG_TERM_TYPES, Tier
from app.memory.tiers.lines import Line
from app.memory.tiers.memory_lines import HEADING, listed_with_type, memory_entries, plurals
from app.memory.tiers.tier import Entries, TierSpec, TierWords


def _read(line: Line, tag: str) -> Entries:
    return memory_entries(line, Tier.LONG_TERM)


LONG_TERM = TierSpec(
    tier=Tier.LONG_TERM,
    types=LONG_TERM_TYPES,
    words=TierWords(
        name=N_("Long-term"),
        purpose=N_("Facts, relationships, preferences and events that last."),
        count=lambda n: trn("{n} long-term memory", "{n} long-term memories", n),
        switch_help=N_("Facts, relationships, preferences and events."),
        title=N_("Long-term"),
        in_sentence=N_("long-term memory"),
    ),
    hue="long-term",
    prompt="memory_longterm",
    tags=LONG_TERM_TYPES,
    spellings=plurals(LONG_TERM_TYPES),
    read=_read,
    heading=HEADING,
    is_numbered=False,
    line=listed_with_type,
    rank=4,
    is_plain=True,
    most="longterm_max",
    is_kept_by_character=True,
    is_ranked=True,
    is_checked=True,
    is_witnessed=True,
    is_looked_through=True,
)
