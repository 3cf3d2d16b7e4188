"""Looking into the store again gives what looking for the first time gives."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.memory.records import Memory, MemoryChange, Tier
from app.store.memory.memories import DISCARDED, FOUND, PASS
from app.store.store import Store
from app.work.chats.memory_scope import Recall, Recalled

pytestmark = pytest.mark.asyncio

MESSAGES = [(f"m{n}", f"text {n}") for n in range(6)]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = Store(tmp_path / "store.sqlite3")
    await store.open()
    yield store
    await store.aclose()


async def looked(recall: Recall, store: Store, chat: int) -> Recalled:
    return await store.run(lambda: recall.look(chat, "", {}, is_view=False))


async def test_each_look_tells_what_the_store_holds(store: Store) -> None:
    chats, memories = store.chats, store.memories
    one, other = await store.run(lambda: (chats.id_of("one.jsonl"), chats.id_of("two.jsonl")))
    fact = Memory("f", one, Tier.LONG_TERM, "fact", "The ford is closed.")
    recall = Recall(store)

    def undoable(chat: int) -> None:
        memories.set_extracted(chat, MESSAGES[4:], PASS)

    commands = (
        lambda: memories.set_extracted(one, MESSAGES[:2], PASS),
        lambda: memories.set_extracted(one, MESSAGES[2:3], FOUND),
        lambda: memories.set_extracted(other, MESSAGES, PASS),
        lambda: memories.set_extracted(one, MESSAGES[3:4], DISCARDED),
        lambda: memories.write(MemoryChange((fact,))),
        lambda: memories.forget_extracted(one, PASS),
        lambda: memories.set_extracted(one, MESSAGES[1:2], PASS),
        lambda: memories.write(MemoryChange(removed=frozenset({"f"}))),
        lambda: memories.forget_read(one),
    )
    for deed in commands:
        await store.run(deed)
        again, anew = [await looked(r, store, one) for r in (recall, Recall(store))]
        assert (again.read, again.found) == (anew.read, anew.found)
        assert again.remembered == anew.remembered
    await store.run_undoable(one, "Read", lambda: undoable(one))
    assert {*(await looked(recall, store, one)).read} >= {*MESSAGES[4:]}
    await store.run(lambda: store.undo.undo(one))
    again, anew = [await looked(r, store, one) for r in (recall, Recall(store))]
    assert again.read == anew.read


async def test_what_nobody_wrote_to_keeps_its_objects(store: Store) -> None:
    chat = await store.run(lambda: store.chats.id_of("one.jsonl"))
    recall = Recall(store)
    await store.run(lambda: store.memories.set_extracted(chat, MESSAGES[:2], PASS))
    before = await looked(recall, store, chat)
    await store.run(lambda: store.memories.set_extracted(chat, MESSAGES[2:], PASS))
    after = await looked(recall, store, chat)
    assert after.remembered is before.remembered
    assert after.read is before.read
    assert {*after.read} == {*MESSAGES}
