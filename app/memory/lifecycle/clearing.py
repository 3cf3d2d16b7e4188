"""What goes when memories of a chat, or of its character, are cleared (spec §13). Pure."""

from __future__ import annotations

from dataclasses import replace

from app.core.translation import trn
from app.memory.entities.entity_edits import unlinked
from app.memory.records import DocumentKind, Remembered, Tier
from app.memory.tiers.table import TIERS, tiers_where

# What clears more than a tier: a chat; all of it, with what its character keeps.
FORGET, FRESH = "forget", "fresh"
# What belongs to a chat and goes when the chat is forgotten.
_OF_THE_CHAT = tiers_where(lambda spec: spec.is_of_chat)
_TEXTS_OF_THE_CHAT = frozenset(
    {
        DocumentKind.SUMMARY,
        DocumentKind.PROFILE,
        DocumentKind.ARC_SUMMARY,
        DocumentKind.CONTINUITY,
        DocumentKind.PRESENCE,
        DocumentKind.UPKEEP,
        DocumentKind.REPAIR,
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
    with the long-term memories that it was made of, names with the last that spoke of them.
    """
    is_base = tier is Tier.LONG_TERM
    stays = TIERS[tier].outlives_pinned
    gone = tuple(m for m in remembered.of(tier) if not (stays and m.is_pinned))
    ids = {memory.id for memory in gone}
    left = replace(remembered, memories=tuple(m for m in remembered.memories if m.id not in ids))
    unspoken = {entity.id for entity in unlinked(remembered)}
    return Remembered(
        gone,
        tuple(entity for entity in unlinked(left) if entity.id not in unspoken),
        tuple(
            d
            for d in remembered.documents
            if (is_base and d.kind is DocumentKind.CANON)
            or (tier is Tier.EPISTEMIC and d.kind is DocumentKind.PRESENCE)
        ),
    )


def parts_of(remembered: Remembered) -> tuple[str, ...]:
    """How much of what that is, for people: "12 session memories", "3 arcs"; () for nothing."""
    counted = [
        (n, spec.words.count(n)) for tier, spec in TIERS.items() if (n := len(remembered.of(tier)))
    ]
    names = len(remembered.entities)
    # Of each text the versions before it go along.
    texts = len({(d.kind, d.subject) for d in remembered.documents if d.text})
    counted += (
        (names, trn("{n} name", "{n} names", names)),
        (texts, trn("{n} text", "{n} texts", texts)),
    )
    return tuple(words for n, words in counted if n)
