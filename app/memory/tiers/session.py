"""The session: details that matter while a chat lasts (spec/smart-memory.md §8.3)."""

from __future__ import annotations

from app.core.translation import N_, trn
from app.memory.records import SESSION_TYPES, Expiration, Tier
from app.memory.tiers.lines import Line
from app.memory.tiers.memory_lines import HEADING, listed_with_type, memory_entries, plurals
from app.memory.tiers.tier import Entries, TierSpec, TierWords


def _read(line: Line, tag: str) -> Entries:
    return memory_entries(line, Tier.SESSION)


SESSION = TierSpec(
    tier=Tier.SESSION,
    types=SESSION_TYPES,
    words=TierWords(
        name=N_("Session"),
        purpose=N_("Details that matter while this chat lasts."),
        count=lambda n: trn("{n} session memory", "{n} session memories", n),
        switch=N_("This session"),
        in_sentence=N_("this session"),
    ),
    hue="session",
    prompt="memory_session",
    tags=SESSION_TYPES,
    spellings=plurals(SESSION_TYPES),
    read=_read,
    heading=HEADING,
    is_numbered=False,
    line=listed_with_type,
    rank=5,
    lasting=Expiration.SESSION,
    is_plain=True,
    most="session_max",
    is_of_chat=True,
    is_ranked=True,
    is_checked=True,
)
