"""What is remembered of a story: memories of all tiers, entities, and longer texts made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from app.core.translation import N_


class Tier(StrEnum):
    """Which kind of memory (seed 004; spec/smart-memory.md §7 to §9); its name in JSON."""

    SESSION = "session"
    LONG_TERM = "longterm"
    RELATIONSHIPS = "relationships"
    ARCS = "arcs"
    STATE_LEDGER = "state_ledger"
    EPISTEMIC = "epistemic"


SESSION_TYPES = ("scene", "revelation", "development", "detail")
LONG_TERM_TYPES = ("fact", "relationship", "preference", "event")
EPISTEMIC_TYPES = ("knows", "suspects", "believes", "unaware", "hiding")
ENTITY_TYPES = ("character", "place", "object", "faction", "concept", "unknown")
ARC = "arc"
SMART_MEMORY = "Smart Memory"  # made what is taken over from it
FEELING = "feeling"  # the one type of the relationships tier

LEDGER_FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "character": (
            "location",
            "injuries",
            "outfit_disguise",
            "mood",
            "active_goal",
            "carried_items",
            "condition",
        ),
        "object": ("owner", "location", "condition", "status"),
        "place": (
            "occupants",
            "hazards",
            "political_control",
            "damage",
            "accessibility",
            "condition",
        ),
        "faction": ("leadership", "objective", "alliances", "hostility_level"),
    }
)


class Expiration(StrEnum):
    """How long a memory matters."""

    SCENE = "scene"
    SESSION = "session"
    PERMANENT = "permanent"


class Grounding(StrEnum):
    """What a memory stands on (spec §21.3)."""

    DIRECT = "direct"  # cites messages of its window
    DERIVED = "derived"  # merged from memories that do
    UNGROUNDED = "ungrounded"  # cites nothing, or what is not there
    IMPORTED = "imported"  # from another program, without sources of ours
    YOURS = "yours"  # written by the user


# Why a memory waits for the user though it has a source: it is put to the newest message that was
# read, so that it has a place.
NO_SOURCE = N_("It cites no message.")
WRONG_SOURCE = N_("It cites a message that was not shown.")


class Review(StrEnum):
    """What the user has to say, or has said, of a memory."""

    NONE = "none"
    WAITING = "waiting"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Source:
    """A message that a memory comes from, with the text that it showed then.

    chat: store id. content_hash: "" where the text does not matter.
    """

    chat: int
    anchor: str
    content_hash: str = ""


class EndReason(StrEnum):
    """Why a memory no longer holds."""

    SUPERSEDED = "superseded"  # by another memory
    MERGED = "merged"  # into another memory that says both
    RESOLVED = "resolved"  # an arc
    RETIRED = "retired"  # the story says so
    OUTRANKED = "outranked"  # others of its kind matter more
    BY_HAND = "by hand"


@dataclass(frozen=True, slots=True)
class Ending:
    """Why and where a memory ended. It holds as long as its own sources do: take them away, and
    the memory lives again.

    by: id of the memory that took its place, "" for none. sources: where the story says so; none
    when the user did. text: how an arc was resolved.
    """

    reason: EndReason
    by: str = ""
    sources: tuple[Source, ...] = ()
    text: str = ""


FIRST_CONFIDENCE = 0.7  # of what a reading has just found, before another finds it again


@dataclass(frozen=True, slots=True)
class Memory:
    """One remembered thing, of any tier. Validity runs from its first source to its ending.

    id: digest of the work that made it and its place therein, so that doing the work twice makes
    nothing twice. chat: where it was made. character: key of the character that keeps it across
    chats, "" when it belongs to the chat alone. type: by tier, SESSION_TYPES, LONG_TERM_TYPES,
    EPISTEMIC_TYPES, ARC, FEELING, or of the ledger's entity.

    text: what is remembered; the value in the ledger, one attitude in relationships, in the
    epistemic tier what the knowing is about. subject: who knows, feels, or what the ledger's line
    is about. target: whom it is hidden from, or toward whom it is felt. field: of the ledger.
    magnitude: low, medium, high, of a feeling. detail: the epistemic entry told at length.
    told_by, channel: how the holder learned it (saw, told, overheard, read, inferred), "" unknown.

    importance: 1 to 3. confidence: 0 to 1. unconfirmed_passes: extraction passes since it was last
    confirmed. last_confirmed, created: seconds since the epoch. entities: names. witnessed_by:
    names of who was there, empty when not known. notes: why it waits for review.
    """

    id: str
    chat: int
    tier: Tier
    type: str
    text: str
    character: str = ""
    subject: str = ""
    target: str = ""
    field: str = ""
    magnitude: str = ""
    detail: str = ""
    told_by: str = ""
    channel: str = ""
    importance: int = 2
    expiration: Expiration = Expiration.PERMANENT
    confidence: float = FIRST_CONFIDENCE
    unconfirmed_passes: int = 0
    last_confirmed: float = 0.0
    recalls: int = 0
    is_consolidated: bool = False
    is_pinned: bool = False
    entities: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    witnessed_by: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    endings: tuple[Ending, ...] = ()
    grounding: Grounding = Grounding.DIRECT
    review: Review = Review.NONE
    notes: tuple[str, ...] = ()
    made_by: str = ""
    created: float = 0.0

    @property
    def evidence(self) -> tuple[Source, ...]:
        """Messages that say so. One that only says from when on it holds is none: that of a memory
        which cites none, and that of the user's own words, whose text nobody took down.
        """
        if self.grounding is Grounding.YOURS:
            return tuple(source for source in self.sources if source.content_hash)
        cites_none = not {NO_SOURCE, WRONG_SOURCE}.isdisjoint(self.notes)
        return () if cites_none and self.grounding is Grounding.UNGROUNDED else self.sources


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something with a name (spec §8.5).

    id: digest of owner, first name and type. character: as in Memory. first_seen, last_seen:
    anchors. is_locked: a card or the persona; never renamed, merged away or pruned.
    """

    id: str
    chat: int
    name: str
    type: str = "unknown"
    character: str = ""
    aliases: tuple[str, ...] = ()
    first_seen: str = ""
    last_seen: str = ""
    is_locked: bool = False


class DocumentKind(StrEnum):
    """Longer texts that are made of memories or messages."""

    SUMMARY = "summary"  # rolling, spec §6
    PROFILE = "profile"  # of one character, spec §9 PD1
    CANON = "canon"  # of one character, across chats, spec §9 PD2
    ARC_SUMMARY = "arc_summary"  # of one resolved arc, spec §8.6
    CONTINUITY = "continuity"  # what of one reply contradicts, "" for nothing, spec §9 PD3
    PRESENCE = "presence"  # who comes and goes in the messages of one reading; no text of its own
    UPKEEP = "upkeep"  # which entries were looked through, and what is so in place of some
    REPAIR = "repair"  # waits for the next reply, spec §9 PD3


@dataclass(frozen=True, slots=True)
class Document:
    """A longer text. One of each kind and subject counts: the newest that was not deleted.

    subject: the character's name; the arc's id for an arc summary; "" for the chat. sections: the
    parts of a profile, a canon or a summary by name. until: anchor of the last message that went
    into it; of the reply that was checked. inputs: digest of what it was made from, to know when
    it is stale; the content hash of the reply. text: "" notes that there is nothing to tell.
    """

    id: str
    chat: int
    kind: DocumentKind
    text: str
    character: str = ""
    subject: str = ""
    sections: Mapping[str, str] = field(default_factory=dict)
    until: str = ""
    inputs: str = ""
    made_by: str = ""
    created: float = 0.0


@dataclass(frozen=True, slots=True)
class Remembered:
    """All that is remembered for one chat, at one moment; ended and waiting entries among it."""

    memories: tuple[Memory, ...] = ()
    entities: tuple[Entity, ...] = ()
    documents: tuple[Document, ...] = ()

    def of(self, *tiers: Tier) -> tuple[Memory, ...]:
        """The memories of these tiers, in the order in which they were made."""
        return tuple(memory for memory in self.memories if memory.tier in tiers)


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """What one piece of work changes; written as a whole or not at all.

    memories, entities, documents: new ones, and new states of those with the same id. removed: ids
    of memories and entities that are deleted for good, by the user only.
    """

    memories: tuple[Memory, ...] = ()
    entities: tuple[Entity, ...] = ()
    documents: tuple[Document, ...] = ()
    removed: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.memories or self.entities or self.documents or self.removed)

    def applied_to(self, remembered: Remembered) -> Remembered:
        """What is remembered afterwards."""
        memories = {m.id: m for m in remembered.memories if m.id not in self.removed}
        entities = {e.id: e for e in remembered.entities if e.id not in self.removed}
        documents = {d.id: d for d in remembered.documents}
        memories |= {m.id: m for m in self.memories}
        entities |= {e.id: e for e in self.entities}
        documents |= {d.id: d for d in self.documents}
        return Remembered(
            tuple(memories.values()), tuple(entities.values()), tuple(documents.values())
        )


def merged_changes(changes: Iterable[MemoryChange]) -> MemoryChange:
    """Several changes, the later ones over the earlier ones, as one."""
    whole = Remembered()
    removed: frozenset[str] = frozenset()
    for change in changes:
        whole = change.applied_to(whole)
        there = {m.id for m in change.memories} | {e.id for e in change.entities}
        removed = (removed - there) | change.removed
    return MemoryChange(whole.memories, whole.entities, whole.documents, removed)
