"""What is remembered comes back as it was written."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import StoreTooNew
from app.memory.entities.entity_edits import merge
from app.memory.records import (
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Entity,
    Memory,
    MemoryChange,
    Remembered,
    Source,
    Tier,
)
from app.store.store import Store

pytestmark = pytest.mark.asyncio


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = Store(tmp_path / "store.sqlite3")
    await store.open()
    yield store
    await store.aclose()


def memory(number: int, **fields: object) -> Memory:
    made = Memory(f"m{number}", 1, Tier.LONG_TERM, "fact", f"Fact {number}.")
    return replace(made, **fields)  # type: ignore[arg-type]


async def test_what_is_written_is_read_back_whole(store: Store) -> None:
    chat = await store.run(lambda: store.chats.id_of("a.jsonl"))
    whole = Memory(
        "id",
        chat,
        Tier.EPISTEMIC,
        "hiding",
        "that it burned",
        subject="A",
        target="B",
        told_by="C",
        channel="told",
        sources=(Source(chat, "x", "h"),),
        endings=(Ending(EndReason.RETIRED, sources=(Source(chat, "y", "g"),)),),
        notes=("why",),
    )
    entity = Entity("e", chat, "A", "character", aliases=("Ay",), is_locked=True)
    text = Document("d", chat, DocumentKind.PROFILE, "t", subject="A", sections={"one": "1"})
    change = MemoryChange((whole,), (entity,), (text,))
    await store.run(lambda: store.memories.write(change))
    found = await store.run(lambda: store.memories.load(chat))
    assert found.memories == (whole,)
    assert found.entities == (entity,)
    assert found.documents == (text,)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE document SET kind = 'prophecy'",
        "UPDATE memory SET tier = 'dreams'",
        """UPDATE memory SET body = '{"grounding": "hearsay"}'""",
    ],
)
async def test_what_a_newer_program_kept_is_refused_in_words(store: Store, statement: str) -> None:
    chat = await store.run(lambda: store.chats.id_of("a.jsonl"))
    text = Document("d", chat, DocumentKind.SUMMARY, "t")
    change = MemoryChange((memory(1, chat=chat),), documents=(text,))
    await store.run(lambda: store.memories.write(change))
    await store.run(lambda: store._database.execute(statement))
    with pytest.raises(StoreTooNew, match="newer Tavernkeep"):
        await store.run(lambda: store.memories.load(chat))


async def test_a_character_keeps_its_memories_across_chats(store: Store) -> None:
    first, second = await store.run(
        lambda: (store.chats.id_of("a.jsonl"), store.chats.id_of("b.jsonl"))
    )
    kept = memory(1, chat=first, character="A.png")
    own = memory(2, chat=first)
    await store.run(lambda: store.memories.write(MemoryChange((kept, own))))
    assert (await store.run(lambda: store.memories.load(second, ["A.png"]))).memories == (kept,)
    assert (await store.run(lambda: store.memories.load(first, ["A.png"]))).memories == (kept, own)
    assert (await store.run(lambda: store.memories.load(second))).memories == ()


async def test_what_the_user_deleted_is_not_made_again(store: Store) -> None:
    chat = await store.run(lambda: store.chats.id_of("a.jsonl"))
    made = memory(1, chat=chat)
    await store.run(lambda: store.memories.write(MemoryChange((made,))))
    await store.run(lambda: store.memories.write(MemoryChange(removed=frozenset({"m1"}))))
    await store.run(lambda: store.memories.write(MemoryChange((made,))))
    assert (await store.run(lambda: store.memories.load(chat))).memories == ()


@pytest.mark.pitfall(28)
async def test_a_name_that_became_another_leaves_the_registry_for_good(store: Store) -> None:
    chat = await store.run(lambda: store.chats.id_of("a.jsonl"))
    old, new = Entity("old", chat, "Mara"), Entity("new", chat, "Mara Quill")
    await store.run(lambda: store.memories.write(MemoryChange(entities=(old, new))))
    merged = merge(Remembered((), (old, new)), "old", "new", {})
    await store.run(lambda: store.memories.write(merged))
    await store.run(lambda: store.memories.write(MemoryChange(entities=(old,))))
    (left,) = (await store.run(lambda: store.memories.load(chat))).entities
    assert (left.name, left.aliases) == ("Mara Quill", ("Mara",))


async def test_an_edit_is_undone_though_the_memory_was_confirmed_since(store: Store) -> None:
    chat = await store.run(lambda: store.chats.id_of("a.jsonl"))
    made = memory(1, chat=chat)
    await store.run(lambda: store.memories.write(MemoryChange((made,))))
    edited = replace(made, text="Otherwise.")
    write = store.memories.write
    await store.run_undoable(chat, "Edit a memory", lambda: write(MemoryChange((edited,))))
    confirmed = replace(edited, confidence=0.75)
    await store.run(lambda: write(MemoryChange((confirmed,))))
    assert await store.run(lambda: store.undo.undo(chat)) == "Edit a memory"
    found = (await store.run(lambda: store.memories.load(chat))).memories
    assert found == (replace(made, confidence=0.75),)


async def test_a_message_counts_as_read_in_the_words_that_it_had(store: Store) -> None:
    chat = await store.run(lambda: store.chats.id_of("a.jsonl"))
    await store.run(lambda: store.memories.set_extracted(chat, [("x", "h"), ("x", "h")]))
    assert await store.run(lambda: store.memories.extracted(chat)) == {("x", "h")}
    await store.run(lambda: store.memories.forget_extracted(chat))
    assert not await store.run(lambda: store.memories.extracted(chat))


@pytest.mark.pitfall(16)
async def test_writing_memories_leaves_names_and_texts_as_they_are(store: Store) -> None:
    """Spec §23: saving the memories wrote over what was kept beside them."""
    chat = await store.run(lambda: store.chats.id_of("a.jsonl"))
    name = Entity("e", chat, "Mara", aliases=("Magpie",))
    text = Document("d", chat, DocumentKind.CANON, "She came from the sea.")
    change = MemoryChange((memory(1, chat=chat),), (name,), (text,))
    await store.run(lambda: store.memories.write(change))
    await store.run(lambda: store.memories.write(MemoryChange((memory(2, chat=chat),))))
    found = await store.run(lambda: store.memories.load(chat))
    assert [m.id for m in found.memories] == ["m1", "m2"]
    assert (found.entities, found.documents) == ((name,), (text,))
