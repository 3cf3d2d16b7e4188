"""Turns what Smart Memory kept into memories of ours, as far as it makes sense."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.memory.documents.profiles import SECTIONS, rendered
from app.memory.lifecycle.by_hand import LONGEST_TEXT
from app.memory.records import (
    ARC,
    ENTITY_TYPES,
    EPISTEMIC_TYPES,
    FEELING,
    LEDGER_FIELDS,
    LONG_TERM_TYPES,
    SESSION_TYPES,
    SMART_MEMORY,
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Entity,
    Expiration,
    Grounding,
    Memory,
    MemoryChange,
    Source,
    Tier,
)
from app.memory.tiers.relationships import MAGNITUDES
from app.sillytavern.extensions import loose_json as loose
from app.sillytavern.extensions.smart_memory import Container, Json, SmartMemory
from app.story.messages import Message, combined_digest

MOST_SOURCES = 60  # of one memory: its windows are of 40 messages at most
EVERYONE = "everyone"
_NO_VALUE = frozenset({"", "unknown", "none", "n/a", "na", "unspecified", "not specified"})


def records_of(
    found: SmartMemory,
    chat_id: int,
    title: str,
    owner: str,
    messages: Sequence[Message],
    *,
    is_only_chat: bool,
) -> MemoryChange:
    """All of it as memories, entities and longer texts; what cannot be read is left out.

    owner: key of the character or group that keeps what outlives the chat, "" for nobody; title:
    the chat's. is_only_chat: it has no other chat, so that messages without one are of this.
    The same data always give the same ids.
    """
    of_chat = _Reader(chat_id, "", f"chat {chat_id}", messages)
    change = MemoryChange()
    if found.chat is not None:
        pinned = [*found.group_arcs]
        for container in found.characters:
            pinned += loose.list_at(container.values, "persistent_arcs")
        elsewhere = frozenset(loose.text(arc.get("content")) for arc in loose.objects(pinned))
        change = _joined(change, _of_chat(of_chat, found.chat.values, elsewhere))
    for container in found.characters:
        keeper = _Reader(chat_id, owner, owner or f"chat {chat_id}", messages, title, is_only_chat)
        change = _joined(change, _of_character(keeper, container))
    if found.group_arcs:
        keeper = _Reader(chat_id, owner, owner or f"chat {chat_id}", messages, title, is_only_chat)
        change = _joined(change, MemoryChange(tuple(keeper.arcs(found.group_arcs, pinned=True))))
    return change


def _of_chat(reader: _Reader, values: Json, pinned: Collection[str]) -> MemoryChange:
    """pinned: arcs that the character keeps; the chat has copies of them."""
    entities = reader.entities(
        loose.list_at(values, "sessionEntities") or loose.list_at(values, "entities")
    )
    arcs = [a for a in reader.arcs(loose.list_at(values, "storyArcs")) if a.text not in pinned]
    closed, summaries = reader.arc_summaries(loose.list_at(values, "arcSummaries"), arcs)
    sessions = tuple(reader.memories(loose.list_at(values, "sessionMemories"), Tier.SESSION))
    memories = (
        *reader.scenes(loose.list_at(values, "sceneHistory"), sessions),
        *sessions,
        *reader.ledger(loose.object_at(values, "state_ledger")),
        *closed,
    )
    documents = (
        *summaries,
        *reader.summary(values),
        *reader.profiles(loose.object_at(values, "profiles")),
    )
    return MemoryChange(memories, entities, documents)


def _of_character(reader: _Reader, container: Container) -> MemoryChange:
    values = container.values
    entities = reader.entities(loose.list_at(values, "entities"))
    memories = (
        *reader.memories(loose.list_at(values, "memories"), Tier.LONG_TERM),
        *reader.feelings(loose.object_at(values, "relationship_history")),
        *reader.epistemic(loose.list_at(values, "epistemic_knowledge")),
        *reader.arcs(loose.list_at(values, "persistent_arcs"), pinned=True),
    )
    canon = loose.object_at(values, "canon")
    text = loose.text(canon.get("text"))
    documents: tuple[Document, ...] = ()
    if text:
        documents = (reader.document(DocumentKind.CANON, text, container.whose, canon.get("ts")),)
    return MemoryChange(memories, entities, documents)


@dataclass
class _Reader:
    """Reads the lists of one container. owner: who keeps them. holder: what ids are made with.

    title: of the chat that its messages are of, "" when they always are. names: of entities by id.
    """

    chat: int
    owner: str
    holder: str
    messages: Sequence[Message]
    title: str = ""
    is_only_chat: bool = False
    names: dict[str, str] = field(default_factory=dict)

    def id(self, *parts: str) -> str:
        return combined_digest(SMART_MEMORY, self.holder, *parts)

    def entities(self, entries: Sequence[Any]) -> tuple[Entity, ...]:
        made: dict[str, Entity] = {}
        for entry in loose.objects(entries):
            name = " ".join(loose.text(entry.get("name")).split())
            if not name:
                continue
            kind = entry.get("type")
            kind = kind if isinstance(kind, str) and kind in ENTITY_TYPES else "unknown"
            entity = Entity(
                self.id("entity", name.casefold(), kind),
                self.chat,
                name,
                kind,
                self.owner,
                aliases=tuple(
                    a for a in dict.fromkeys(loose.strings(entry.get("aliases"))) if a != name
                ),
                first_seen=self._anchor(entry.get("first_seen")),
                last_seen=self._anchor(entry.get("last_seen")),
            )
            made.setdefault(entity.id, entity)
            if isinstance(entry.get("id"), str):
                self.names[entry["id"]] = name
        return tuple(made.values())

    def memories(self, entries: Sequence[Any], tier: Tier) -> Iterator[Memory]:
        """Long-term or session memories with what they replaced."""
        types = LONG_TERM_TYPES if tier is Tier.LONG_TERM else SESSION_TYPES
        fitting = [
            e
            for e in loose.objects(entries)
            if e.get("type") in types and loose.text(e.get("content"))
        ]
        ids = {e["id"]: self._memory_id(tier, e) for e in fitting if isinstance(e.get("id"), str)}
        seen: set[str] = set()
        for entry in fitting:
            memory_id = self._memory_id(tier, entry)
            if memory_id not in seen:
                seen.add(memory_id)
                yield self._memory(entry, tier, memory_id, ids)

    def _memory_id(self, tier: Tier, entry: Json) -> str:
        theirs = entry.get("id")
        if isinstance(theirs, str) and theirs:
            return self.id(tier.value, theirs)
        return self.id(tier.value, "", str(entry.get("type")), loose.text(entry.get("content")))

    def _memory(self, entry: Json, tier: Tier, memory_id: str, ids: Mapping[str, str]) -> Memory:
        created = loose.seconds(entry.get("ts"))
        expiration = entry.get("expiration")
        is_session = tier is Tier.SESSION
        by = ids.get(loose.text(entry.get("superseded_by")), "")
        endings: tuple[Ending, ...] = ()
        if by and by != memory_id:
            endings = (Ending(EndReason.SUPERSEDED, by=by),)
        elif entry.get("superseded_by") or loose.is_number(entry.get("valid_to")):
            endings = (Ending(EndReason.RETIRED, sources=self._at(entry, "valid_to")),)
        return replace(
            self._made(memory_id, tier, str(entry["type"]), loose.text(entry["content"]), created),
            importance=min(3, max(1, loose.whole(entry.get("importance"), 2))),
            expiration=Expiration(expiration)
            if isinstance(expiration, str) and expiration in set(Expiration)
            else (Expiration.SESSION if is_session else Expiration.PERMANENT),
            confidence=min(1.0, max(0.0, loose.real(entry.get("confidence"), 0.7))),
            unconfirmed_passes=max(0, loose.whole(entry.get("unconfirmed_since"), 0)),
            last_confirmed=loose.seconds(entry.get("last_confirmed_ts")) or created,
            recalls=max(0, loose.whole(entry.get("retrieval_count"), 0)),
            is_consolidated=entry.get("consolidated") is not False,
            entities=tuple(
                dict.fromkeys(
                    self.names[i] for i in loose.strings(entry.get("entities")) if i in self.names
                )
            ),
            triggers=loose.strings(entry.get("triggers")),
            witnessed_by=loose.strings(entry.get("witnessed_by")),
            contradicts=_mapped(entry.get("contradicts"), ids, memory_id),
            supersedes=_mapped(entry.get("supersedes"), ids, memory_id),
            sources=self._sources(entry) or self._at(entry, "valid_from"),
            endings=endings,
        )

    def scenes(self, entries: Sequence[Any], sessions: Sequence[Memory]) -> Iterator[Memory]:
        """Scenes, each from the messages of the session memories that it names as its own."""
        sources = {memory.id: memory.sources for memory in sessions}
        places = {message.anchor: index for index, message in enumerate(self.messages)}
        for entry in loose.objects(entries):
            text = loose.text(entry.get("summary"))
            created = loose.seconds(entry.get("ts"))
            if text:
                named = (
                    self.id(Tier.SESSION.value, one)
                    for one in loose.strings(entry.get("source_memory_ids"))
                )
                found = {one for memory_id in named for one in sources.get(memory_id, ())}
                ordered = sorted(found, key=lambda source: places.get(source.anchor, -1))
                yield replace(
                    self._made(self.id("scene", text), Tier.SESSION, "scene", text, created),
                    sources=tuple(ordered[-MOST_SOURCES:]),
                )

    def feelings(self, pairs: Json) -> Iterator[Memory]:
        for pair, kept in loose.items_of(pairs):
            subject, arrow, target = pair.replace("->", "→").partition("→")
            subject, target = subject.strip(), target.strip()
            if not arrow or not subject or not target:
                continue
            created = loose.seconds(kept.get("updatedAt")) if isinstance(kept, dict) else 0.0
            words = dict(_descriptors(kept))
            for word, magnitude in words.items():
                yield replace(
                    self._made(
                        self.id("feeling", subject, target, word),
                        Tier.RELATIONSHIPS,
                        FEELING,
                        word,
                        created,
                    ),
                    subject=subject,
                    target=target,
                    magnitude=magnitude,
                )

    def epistemic(self, entries: Sequence[Any]) -> Iterator[Memory]:
        seen: set[str] = set()
        for entry in loose.objects(entries):
            kind = loose.text(entry.get("type")).lower()
            text = loose.text(entry.get("content"))
            subject = loose.text(entry.get("subject"))
            target = loose.text(entry.get("target"))
            if kind not in EPISTEMIC_TYPES or not text or not subject:
                continue
            target = (target or EVERYONE) if kind == "hiding" else ""
            memory_id = self.id("epistemic", kind, subject, target, text)
            if memory_id in seen:
                continue
            seen.add(memory_id)
            yield replace(
                self._made(memory_id, Tier.EPISTEMIC, kind, text, loose.seconds(entry.get("ts"))),
                subject=subject,
                target=target,
                sources=self._sources(entry),
            )

    def arcs(self, entries: Sequence[Any], *, pinned: bool = False) -> Iterator[Memory]:
        """Open and resolved ones."""
        for entry in loose.objects(entries):
            text = loose.text(entry.get("content"))
            if not text:
                continue
            is_over = entry.get("resolved") is True
            yield replace(
                self._made(
                    self.id("arc", text), Tier.ARCS, ARC, text, loose.seconds(entry.get("ts"))
                ),
                is_pinned=pinned and bool(self.owner),
                endings=(Ending(EndReason.RESOLVED),) if is_over else (),
            )

    def arc_summaries(
        self, entries: Sequence[Any], arcs: Sequence[Memory]
    ) -> tuple[list[Memory], list[Document]]:
        """The arcs, with those that are known by their summary alone; and the summaries."""
        by_id = {arc.id: arc for arc in arcs}
        texts: list[Document] = []
        for entry in loose.objects(entries):
            text, arc = loose.text(entry.get("summary")), entry.get("arc")
            thread = loose.text(arc.get("content") if isinstance(arc, dict) else arc)
            if not text or not thread:
                continue
            created, arc_id = loose.seconds(entry.get("ts")), self.id("arc", thread)
            known = by_id.get(arc_id) or self._made(arc_id, Tier.ARCS, ARC, thread, created)
            ending = Ending(EndReason.RESOLVED, text=text)
            by_id[arc_id] = replace(known, endings=(ending,))
            texts.append(self.document(DocumentKind.ARC_SUMMARY, text, arc_id, entry.get("ts")))
        return list(by_id.values()), list({text.id: text for text in texts}.values())

    def ledger(self, cards: Json) -> Iterator[Memory]:
        for key, card in loose.items_of(cards):
            name, bar, kind = key.rpartition("|")
            if not bar or kind not in LEDGER_FIELDS or not isinstance(card, dict):
                continue
            subject = loose.text(card.get("_name")) or name.strip()
            for field_name in LEDGER_FIELDS[kind]:
                value = loose.text(card.get(field_name))
                if subject and value.casefold() not in _NO_VALUE:
                    yield replace(
                        self._made(
                            self.id("ledger", subject.casefold(), kind, field_name, value),
                            Tier.STATE_LEDGER,
                            kind,
                            value,
                            0.0,
                        ),
                        subject=subject,
                        field=field_name,
                    )

    def summary(self, values: Json) -> Iterator[Document]:
        text = loose.text(values.get("summary"))
        end = loose.whole(values.get("summaryEnd"), 0)
        if text and self.messages:
            last = self.messages[min(max(end, 1), len(self.messages)) - 1]
            made = self.document(DocumentKind.SUMMARY, text, "", values.get("summaryUpdated"))
            yield replace(made, until=last.anchor)

    def profiles(self, profiles: Json) -> Iterator[Document]:
        """Those of characters; the flat ones of version 2 and before were of nobody (H3)."""
        for name, kept in loose.items_of(profiles):
            if not isinstance(kept, dict):
                continue
            parts = {part: text for part in SECTIONS if (text := loose.text(kept.get(part)))}
            if parts:
                when = kept.get("generated_at")
                made = self.document(DocumentKind.PROFILE, rendered(parts), name, when)
                yield replace(made, sections=parts)

    def document(self, kind: DocumentKind, text: str, subject: str, when: Any) -> Document:
        return Document(
            self.id("document", kind.value, subject, text),
            self.chat,
            kind,
            text,
            self.owner if kind is DocumentKind.CANON else "",
            subject,
            made_by=SMART_MEMORY,
            created=loose.seconds(when),
        )

    def _made(self, memory_id: str, tier: Tier, kind: str, text: str, created: float) -> Memory:
        return Memory(
            memory_id,
            self.chat,
            tier,
            kind,
            text[:LONGEST_TEXT],
            self.owner,
            is_consolidated=True,
            last_confirmed=created,
            grounding=Grounding.IMPORTED,
            made_by=SMART_MEMORY,
            created=created,
        )

    def _sources(self, entry: Json) -> tuple[Source, ...]:
        """The messages of its ranges that are there; a flat pair is one range (§7, PE)."""
        if not self._is_here(entry):
            return ()
        ranges = entry.get("source_messages")
        if not isinstance(ranges, list):
            return ()
        if len(ranges) == 2 and all(map(loose.is_number, ranges)):
            ranges = [ranges]
        numbers: dict[int, None] = {}
        for pair in ranges[:MOST_SOURCES]:
            if isinstance(pair, list) and len(pair) == 2 and all(map(loose.is_number, pair)):
                first, last = int(pair[0]), min(int(pair[1]), len(self.messages) - 1)
                numbers.update(dict.fromkeys(range(max(0, first, last - MOST_SOURCES), last + 1)))
        newest = sorted(numbers)[-MOST_SOURCES:]
        return tuple(Source(self.chat, self.messages[number].anchor) for number in newest)

    def _at(self, entry: Json, name: str) -> tuple[Source, ...]:
        anchor = self._anchor(entry.get(name)) if self._is_here(entry) else ""
        return (Source(self.chat, anchor),) if anchor else ()

    def _is_here(self, entry: Json) -> bool:
        """Whether its message numbers are of this chat."""
        if not self.title:
            return True
        where = entry.get("source_chat_id")
        if isinstance(where, str) and where:
            return where.removesuffix(".jsonl") == self.title
        return self.is_only_chat

    def _anchor(self, index: Any) -> str:
        """Also times stand where message numbers belong: those are of no message."""
        is_there = loose.is_number(index) and 0 <= index < len(self.messages)
        return self.messages[int(index)].anchor if is_there else ""


def _joined(one: MemoryChange, other: MemoryChange) -> MemoryChange:
    return MemoryChange(
        (*one.memories, *other.memories),
        (*one.entities, *other.entities),
        (*one.documents, *other.documents),
    )


def _descriptors(kept: Any) -> Iterator[tuple[str, str]]:
    """Words with magnitudes, of every shape that there was: objects, bare words, one text."""
    listed = kept.get("descriptors") if isinstance(kept, dict) else kept
    if isinstance(listed, str):
        listed = listed.split(",")
    for one in loose.sequence(listed):
        word, magnitude = one, None
        if isinstance(one, dict):
            word, magnitude = one.get("word"), one.get("magnitude")
        word = " ".join(loose.text(word).split()).lower()
        if word:
            magnitude = loose.text(magnitude).lower()
            yield word, magnitude if magnitude in MAGNITUDES else "medium"


def _mapped(value: Any, ids: Mapping[str, str], own: str) -> tuple[str, ...]:
    named = (ids[one] for one in loose.strings(value) if one in ids)
    return tuple(one for one in dict.fromkeys(named) if one != own)
