"""The memories that come with the demo story, so that they can be seen without a model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from app.core.resources import RESOURCES
from app.memory.records import (
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Entity,
    Grounding,
    Memory,
    MemoryChange,
    Review,
    Source,
    Tier,
)
from app.memory.tiers.table import TIERS
from app.store.store import Store
from app.story.anchors import KnownMessage
from app.story.messages import combined_digest
from app.story.recaps import DEMO_AUTHORS

FILE = RESOURCES / "demo" / "memories.json"
MADE_BY = DEMO_AUTHORS


class _Memory(msgspec.Struct, forbid_unknown_fields=True):
    """As in records.Memory; sources and resolved_at are message indexes, replaced_by is a key."""

    key: str
    tier: Tier
    type: str
    text: str
    sources: tuple[int, ...]
    subject: str = ""
    target: str = ""
    field: str = ""
    magnitude: str = ""
    entities: tuple[str, ...] = ()
    detail: str = ""
    told_by: str = ""
    channel: str = ""
    importance: int = 2
    confidence: float = 0.7
    recalls: int = 0
    is_pinned: bool = False
    made_by: str = MADE_BY
    waits: str = ""
    replaced_by: str = ""
    resolved_at: int | None = None
    how: str = ""


class _Entity(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    type: str
    first: int
    last: int
    aliases: tuple[str, ...] = ()
    is_locked: bool = False


class _Text(msgspec.Struct, forbid_unknown_fields=True):
    kind: DocumentKind
    text: str
    until: int
    subject: str = ""


class _Demo(msgspec.Struct, forbid_unknown_fields=True):
    memories: tuple[_Memory, ...]
    entities: tuple[_Entity, ...]
    texts: tuple[_Text, ...]


async def give_demo_memories(store: Store, path: Path) -> bool:
    """Write the demo story's memories, and that its messages were read for them; once.

    path: of the demo's chat, which was read before. Gives whether anything was written.
    """
    data = await asyncio.to_thread(FILE.read_bytes)
    demo = msgspec.json.decode(data, type=_Demo)

    def unit() -> bool:
        chat_id = store.chats.id_of(str(path))
        messages, _ = store.chats.known(chat_id)
        change = _change(demo, chat_id, messages)
        if store.memories.known_ids(change):
            return False  # what the user did to them since stays
        store.memories.write(change)
        read = [(message.anchor, message.content_hash) for message in messages]
        store.memories.set_extracted(chat_id, read)
        return True

    return await store.run(unit)


def _change(demo: _Demo, chat_id: int, messages: Sequence[KnownMessage]) -> MemoryChange:
    def source(index: int) -> Source:
        return Source(chat_id, messages[index].anchor, messages[index].content_hash)

    def id_of(key: str) -> str:
        return combined_digest("demo", str(chat_id), key)

    def endings(one: _Memory) -> tuple[Ending, ...]:
        if one.replaced_by:
            return (Ending(EndReason.SUPERSEDED, id_of(one.replaced_by)),)
        if one.resolved_at is None:
            return ()
        reason = TIERS[one.tier].ends_as
        return (Ending(reason, sources=(source(one.resolved_at),), text=one.how),)

    memories = tuple(
        Memory(
            id=id_of(one.key),
            chat=chat_id,
            sources=tuple(map(source, one.sources)),
            endings=endings(one),
            expiration=TIERS[one.tier].lasting,
            grounding=Grounding.UNGROUNDED if one.waits else Grounding.DIRECT,
            review=Review.WAITING if one.waits else Review.NONE,
            notes=(one.waits,) if one.waits else (),
            **{name: getattr(one, name) for name in _AS_IT_IS},
        )
        for one in demo.memories
    )
    entities = tuple(
        Entity(
            combined_digest("demo", str(chat_id), "entity", one.name),
            chat_id,
            one.name,
            one.type,
            aliases=one.aliases,
            first_seen=messages[one.first].anchor,
            last_seen=messages[one.last].anchor,
            is_locked=one.is_locked,
        )
        for one in demo.entities
    )
    texts = tuple(
        Document(
            combined_digest("demo", str(chat_id), one.kind, one.subject),
            chat_id,
            one.kind,
            one.text,
            subject=one.subject,
            until=messages[one.until].anchor,
            made_by=MADE_BY,
        )
        for one in demo.texts
    )
    return MemoryChange(memories, entities, texts)


_AS_IT_IS = (
    "tier",
    "type",
    "text",
    "subject",
    "target",
    "field",
    "magnitude",
    "entities",
    "detail",
    "told_by",
    "channel",
    "importance",
    "confidence",
    "recalls",
    "is_pinned",
    "made_by",
)
