"""What is remembered: memories, entities and documents of chats and of characters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from app.core.errors import StoreTooNew
from app.core.translation import tr
from app.memory.records import (
    Document,
    DocumentKind,
    Ending,
    Entity,
    Expiration,
    Grounding,
    Memory,
    MemoryChange,
    Remembered,
    Review,
    Source,
    Tier,
)
from app.store.database.database import Database

PASS = "pass"
FOUND = "found"  # looked through without a model; one is to read it all the same
UNREADABLE = "unreadable"  # asked for, and no answer could be used; not read before one can
FORGOTTEN = "forgotten"  # not read again before the user says so
DISCARDED = "discarded"  # never to be read
CLEARED = "cleared"  # was there when a tier was cleared; is read as if nothing had been

NOT_AGAIN = (PASS, FORGOTTEN, DISCARDED)

# is_deleted: what was taken back is brought back by name alone; what is forgotten may be made
# again, if it is read again.
_DELETED, _TAKEN_BACK, _FORGOTTEN = 1, 2, 3


class _Body(msgspec.Struct, omit_defaults=True):
    """The fields of a memory that nothing is searched by and that seldom change."""

    subject: str = ""
    target: str = ""
    field: str = ""
    magnitude: str = ""
    detail: str = ""
    told_by: str = ""
    channel: str = ""
    entities: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    witnessed_by: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    grounding: Grounding = Grounding.DIRECT
    notes: tuple[str, ...] = ()
    made_by: str = ""
    created: float = 0.0


_BODY_FIELDS = _Body.__struct_fields__
_encode = msgspec.json.Encoder().encode
_decode_body = msgspec.json.Decoder(_Body).decode
_decode_endings = msgspec.json.Decoder(tuple[Ending, ...]).decode
_decode_names = msgspec.json.Decoder(tuple[str, ...]).decode
_decode_sections = msgspec.json.Decoder(dict[str, str]).decode

_MEMORY = (
    "memory_id, chat_id, character, tier, type, text, importance, expiration, is_pinned, body, "
    "endings, review, confidence, unconfirmed_passes, last_confirmed, recalls, is_consolidated"
)
_ENTITY = "entity_id, chat_id, character, name, type, aliases, first_seen, last_seen, is_locked"
_DOCUMENT = (
    "document_id, chat_id, character, kind, subject, text, sections, until, inputs, made_by, "
    "created"
)


class Memories:
    """Reads and writes what is remembered. A memory in a new state replaces its row."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self, chat_id: int, characters: Sequence[str] = ()) -> Remembered:
        """All that a chat remembers by itself and that these characters keep, oldest first.

        Raises StoreTooNew where a newer program kept something that this one does not know.
        """
        where, values = _whose(chat_id, characters)

        def rows(table: str, columns: str) -> list[tuple[Any, ...]]:
            statement = f"SELECT {columns} FROM {table} WHERE {where} ORDER BY id"
            return self._database.execute(statement, values)

        try:
            return Remembered(
                tuple(map(_memory, rows("memory", _MEMORY))),
                tuple(map(_entity, rows("entity", _ENTITY))),
                tuple(map(_document, rows("document", _DOCUMENT))),
            )
        except (ValueError, msgspec.MsgspecError) as error:
            raise StoreTooNew(
                tr(
                    "This chat's memories come from a newer Tavernkeep, in a form this one does "
                    "not know. Install that version. Nothing was changed."
                )
            ) from error

    def keepers_below(self, prefix: str) -> frozenset[str]:
        """Keys of those that keep something, and begin so."""
        rows = self._database.execute(
            "SELECT DISTINCT character FROM memory WHERE character <> '' AND is_deleted = 0 "
            "AND character >= ?1 AND substr(character, 1, length(?1)) = ?1",
            (prefix,),
        )
        return frozenset(str(key) for (key,) in rows)

    def with_ids(self, ids: Iterable[str]) -> list[Memory]:
        """The memories of these ids that are there."""
        found: list[Memory] = []
        for memory_id in ids:
            rows = self._database.execute(
                f"SELECT {_MEMORY} FROM memory WHERE memory_id = ? AND is_deleted = 0", (memory_id,)
            )
            found += map(_memory, rows)
        return found

    def write(self, change: MemoryChange, *, base: Iterable[Memory] = ()) -> None:
        """Write a change: new rows, and new states of those that are there.

        base: memories as they were when the change was thought up; what became of them meanwhile
        stays, but for what the change is about.
        What the user deleted stays deleted, also when the work that made it is done again; what
        was forgotten with its chat is there again.
        """
        memories = self._onto_newest(change.memories, {memory.id: memory for memory in base})
        self._upsert("memory", "memory_id", _MEMORY, [_memory_row(m) for m in memories])
        self._upsert("entity", "entity_id", _ENTITY, [_entity_row(e) for e in change.entities])
        documents = [_document_row(d) for d in change.documents]
        self._upsert("document", "document_id", _DOCUMENT, documents)
        self._database.execute_many(
            "UPDATE memory SET is_deleted = ? WHERE memory_id = ? AND is_deleted = 0",
            [(_DELETED, memory_id) for memory_id in sorted(change.removed)],
        )
        self._database.execute_many(
            "UPDATE entity SET is_deleted = ? WHERE entity_id = ? AND is_deleted = 0",
            [(_DELETED, entity_id) for entity_id in sorted(change.removed)],
        )

    def count_recalls(self, ids: Iterable[str]) -> None:
        """Count once more that these went out in a prompt. No reason to read memories again."""
        self._database.execute_many(
            "UPDATE memory SET recalls = recalls + 1 WHERE memory_id = ? AND is_deleted = 0",
            [(memory_id,) for memory_id in ids],
        )

    def forget(self, remembered: Remembered) -> None:
        """Put all of this away; work that is done again may make it again."""
        for table, ids in (
            ("memory", [memory.id for memory in remembered.memories]),
            ("entity", [entity.id for entity in remembered.entities]),
            ("document", [document.id for document in remembered.documents]),
        ):
            self._database.execute_many(
                f"UPDATE {table} SET is_deleted = ? WHERE {table}_id = ? AND is_deleted = 0",
                [(_FORGOTTEN, row_id) for row_id in ids],
            )

    def bring_back(self, ids: Iterable[str]) -> None:
        """Let memories count again whose making was undone, and which are made once more."""
        self._database.execute_many(
            "UPDATE memory SET is_deleted = 0 WHERE memory_id = ? AND is_deleted = ?",
            [(memory_id, _TAKEN_BACK) for memory_id in ids],
        )

    def taken_back(self, ids: Iterable[str]) -> frozenset[str]:
        """Those memories whose making was undone."""
        found = "SELECT 1 FROM memory WHERE memory_id = ? AND is_deleted = ?"
        return frozenset(one for one in ids if self._database.execute(found, (one, _TAKEN_BACK)))

    def known_ids(self, change: MemoryChange) -> frozenset[str]:
        """Which of the change's rows are there, those that were put away among them."""
        known: set[str] = set()
        for table, rows in (
            ("memory", change.memories),
            ("entity", change.entities),
            ("document", change.documents),
        ):
            for row in rows:
                found = self._database.execute(
                    f"SELECT 1 FROM {table} WHERE {table}_id = ?", (row.id,)
                )
                if found:
                    known.add(row.id)
        return frozenset(known)

    def extracted(self, chat_id: int, task: str = PASS) -> frozenset[tuple[str, str]]:
        """(anchor, content hash) of each message that a task has read."""
        rows = self._database.execute(
            "SELECT anchor, content_hash FROM extracted WHERE chat_id = ? AND task = ?",
            (chat_id, task),
        )
        return frozenset((str(anchor), str(content)) for anchor, content in rows)

    def set_extracted(
        self, chat_id: int, messages: Iterable[tuple[str, str]], task: str = PASS
    ) -> None:
        """Note that a task has read these messages: (anchor, content hash)."""
        self._database.execute_many(
            "INSERT OR IGNORE INTO extracted (chat_id, task, anchor, content_hash) "
            "VALUES (?, ?, ?, ?)",
            [(chat_id, task, anchor, content) for anchor, content in messages],
        )

    def forget_extracted(self, chat_id: int, task: str = PASS) -> None:
        """Let a task read the chat from its beginning again."""
        self._database.execute(
            "DELETE FROM extracted WHERE chat_id = ? AND task = ?", (chat_id, task)
        )

    def forget_read(self, chat_id: int) -> None:
        """Let the chat be read for memory from its beginning again, but for what was discarded."""
        for task in (PASS, FOUND, UNREADABLE, FORGOTTEN, CLEARED):
            self.forget_extracted(chat_id, task)

    def is_put_away(
        self,
        chat_id: int,
        messages: Iterable[tuple[str, str]],
        tasks: Sequence[str] = (FORGOTTEN, DISCARDED),
    ) -> bool:
        """Whether the user forgot or discarded one of these messages, or whatever `tasks` say."""
        marks = {mark for task in tasks for mark in self.extracted(chat_id, task)}
        return not marks.isdisjoint(messages)

    def read(self, chat_id: int) -> frozenset[tuple[str, str]]:
        """(anchor, content hash) of each message that is not to be read for memory any more."""
        return frozenset(self.marks_behind(chat_id, NOT_AGAIN)[0])

    def marks_behind(
        self, chat_id: int, tasks: Sequence[str], row: int = 0
    ) -> tuple[list[tuple[str, str]], int]:
        """(anchor, content hash) of the messages that these tasks have read since a row of the
        table, and its newest row.
        """
        marks = ", ".join("?" * len(tasks))
        rows = self._database.execute(
            f"SELECT anchor, content_hash, id FROM extracted "
            f"WHERE id > ? AND chat_id = ? AND task IN ({marks})",
            (row, chat_id, *tasks),
        )
        newest = max((int(number) for _, _, number in rows), default=row)
        return [(str(anchor), str(content)) for anchor, content, _ in rows], newest

    def hashes_elsewhere(
        self, chats: Collection[int], memories: Iterable[Memory]
    ) -> dict[tuple[int, str], str]:
        """Content hashes, as last seen, of the sources that lie in other chats than these.

        "" for a message that is no longer there; a chat that is not known is left out.
        """
        wanted = {
            (source.chat, source.anchor)
            for memory in memories
            for source in memory.sources
            if source.chat not in chats
        }
        found: dict[tuple[int, str], str] = {}
        for other in {chat for chat, _ in wanted}:
            rows = self._database.execute(
                "SELECT anchor, content_hash, position FROM known_message WHERE chat_id = ?",
                (other,),
            )
            now = {str(anchor): str(text) for anchor, text, position in rows if position >= 0}
            if rows:
                found |= {key: now.get(key[1], "") for key in wanted if key[0] == other}
        return found

    def _onto_newest(
        self, memories: Iterable[Memory], base: Mapping[str, Memory]
    ) -> Iterator[Memory]:
        """The memories, with what others made of them since their `base`."""
        for memory in memories:
            before = base.get(memory.id)
            if before is None:
                yield memory
                continue
            rows = self._database.execute(
                f"SELECT {_MEMORY} FROM memory WHERE memory_id = ? AND is_deleted = 0",
                (memory.id,),
            )
            if rows:  # else it was put away meanwhile
                now = _memory(rows[0])
                yield memory if now == before else _rebased(memory, before, now)

    def _upsert(self, table: str, key: str, columns: str, rows: list[tuple[Any, ...]]) -> None:
        names = columns.split(", ")
        marks = ", ".join("?" * len(names))
        # Only rows that differ are touched, so that the undo journal holds what was done.
        new = {name: f"excluded.{name}" for name in names if name != key}
        if "recalls" in new:  # whoever thought the change up may have read them before a prompt
            new["recalls"] = f"max({table}.recalls, excluded.recalls)"
        sets = ", ".join(f"{name} = {value}" for name, value in new.items())
        differs = " OR ".join(f"{name} IS NOT {value}" for name, value in new.items())
        back = f"is_deleted = iif({table}.is_deleted = {_FORGOTTEN}, 0, {table}.is_deleted)"
        self._database.execute_many(
            f"INSERT INTO {table} ({columns}) VALUES ({marks}) "
            f"ON CONFLICT ({key}) DO UPDATE SET {sets}, {back} "
            f"WHERE {table}.is_deleted = {_FORGOTTEN} OR {differs}",
            rows,
        )


def _rebased(memory: Memory, before: Memory, now: Memory) -> Memory:
    """`now`, with the difference between `before` and `memory`."""
    changed = {
        name: getattr(memory, name)
        for name in Memory.__dataclass_fields__
        if getattr(memory, name) != getattr(before, name)
    }
    if "endings" in changed:
        kept = [e for e in now.endings if e in memory.endings or e not in before.endings]
        new = [e for e in memory.endings if e not in before.endings and e not in kept]
        changed["endings"] = (*kept, *new)
    return replace(now, **changed)


def _whose(chat_id: int, characters: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
    marks = ", ".join("?" * len(characters))
    mine = "chat_id = ? AND character = ''"
    if not characters:
        return f"is_deleted = 0 AND {mine}", (chat_id,)
    return f"is_deleted = 0 AND (({mine}) OR character IN ({marks}))", (chat_id, *characters)


def _memory(row: tuple[Any, ...]) -> Memory:
    body = _decode_body(row[9])
    return Memory(
        id=row[0],
        chat=row[1],
        character=row[2],
        tier=Tier(row[3]),
        type=row[4],
        text=row[5],
        importance=row[6],
        expiration=Expiration(row[7]),
        is_pinned=bool(row[8]),
        endings=_decode_endings(row[10]),
        review=Review(row[11]),
        confidence=row[12],
        unconfirmed_passes=row[13],
        last_confirmed=row[14],
        recalls=row[15],
        is_consolidated=bool(row[16]),
        **{name: getattr(body, name) for name in _BODY_FIELDS},
    )


def _memory_row(memory: Memory) -> tuple[Any, ...]:
    body = _Body(**{name: getattr(memory, name) for name in _BODY_FIELDS})
    return (
        memory.id,
        memory.chat,
        memory.character,
        memory.tier.value,
        memory.type,
        memory.text,
        memory.importance,
        memory.expiration.value,
        int(memory.is_pinned),
        _encode(body).decode(),
        _encode(memory.endings).decode(),
        memory.review.value,
        memory.confidence,
        memory.unconfirmed_passes,
        memory.last_confirmed,
        memory.recalls,
        int(memory.is_consolidated),
    )


def _entity(row: tuple[Any, ...]) -> Entity:
    return Entity(
        id=row[0],
        chat=row[1],
        character=row[2],
        name=row[3],
        type=row[4],
        aliases=_decode_names(row[5]),
        first_seen=row[6],
        last_seen=row[7],
        is_locked=bool(row[8]),
    )


def _entity_row(entity: Entity) -> tuple[Any, ...]:
    return (
        entity.id,
        entity.chat,
        entity.character,
        entity.name,
        entity.type,
        _encode(entity.aliases).decode(),
        entity.first_seen,
        entity.last_seen,
        int(entity.is_locked),
    )


def _document(row: tuple[Any, ...]) -> Document:
    return Document(
        id=row[0],
        chat=row[1],
        character=row[2],
        kind=DocumentKind(row[3]),
        subject=row[4],
        text=row[5],
        sections=_decode_sections(row[6]),
        until=row[7],
        inputs=row[8],
        made_by=row[9],
        created=row[10],
    )


def _document_row(document: Document) -> tuple[Any, ...]:
    return (
        document.id,
        document.chat,
        document.character,
        document.kind.value,
        document.subject,
        document.text,
        _encode(dict(document.sections)).decode(),
        document.until,
        document.inputs,
        document.made_by,
        document.created,
    )
