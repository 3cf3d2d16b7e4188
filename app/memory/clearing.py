"""What goes when memories of a chat, or of its character, are cleared (spec §13). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.memory.records import DocumentKind, Remembered, Tier

# What belongs to a chat and goes when the chat is forgotten.
_OF_THE_CHAT = frozenset({Tier.SESSION, Tier.ARCS})
_TEXTS_OF_THE_CHAT = frozenset(
    {
        DocumentKind.SUMMARY,
        DocumentKind.PROFILE,
        DocumentKind.ARC_SUMMARY,
        DocumentKind.CONTINUITY,
        DocumentKind.REPAIR,
    }
)
_NOUNS: Mapping[Tier, tuple[str, str]] = MappingProxyType(
    {
        Tier.LONG_TERM: ("long-term memory", "long-term memories"),
        Tier.SESSION: ("session memory", "session memories"),
        Tier.ARCS: ("arc", "arcs"),
        Tier.RELATIONSHIPS: ("feeling", "feelings"),
        Tier.EPISTEMIC: ("entry on who knows what", "entries on who knows what"),
        Tier.STATE_LEDGER: ("ledger entry", "ledger entries"),
    }
)


def of_the_chat(remembered: Remembered, chat: int) -> Remembered:
    """What Forget This Chat takes: its session, arcs that are not pinned, names, and texts. What
    the character keeps stays, and so does the ledger.
    """
    return Remembered(
        tuple(
            m
            for m in remembered.memories
            if m.chat == chat and m.tier in _OF_THE_CHAT and not m.character
        ),
        tuple(e for e in remembered.entities if e.chat == chat and not e.character),
        tuple(d for d in remembered.documents if d.chat == chat and d.kind in _TEXTS_OF_THE_CHAT),
    )


def of_tier(remembered: Remembered, tier: Tier) -> Remembered:
    """What clearing a tier takes, of the chat and of its character; pinned arcs stay, canon goes
    with the long-term memories that it was made of.
    """
    is_base = tier is Tier.LONG_TERM
    return Remembered(
        tuple(m for m in remembered.of(tier) if not (tier is Tier.ARCS and m.is_pinned)),
        documents=tuple(
            d for d in remembered.documents if is_base and d.kind is DocumentKind.CANON
        ),
    )


def parts_of(remembered: Remembered) -> tuple[str, ...]:
    """How much of what that is, for people: "12 session memories", "3 arcs"; () for nothing."""
    counted = [(len(remembered.of(tier)), nouns) for tier, nouns in _NOUNS.items()]
    counted.append((len(remembered.entities), ("name", "names")))
    # Of each text the versions before it go along.
    texts = {(d.kind, d.subject) for d in remembered.documents if d.text}
    counted.append((len(texts), ("text", "texts")))
    return tuple(f"{n:,} {nouns[n != 1]}" for n, nouns in counted if n)
