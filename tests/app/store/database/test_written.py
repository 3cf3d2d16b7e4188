"""What was written is known by table, whoever wrote it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from app.store.database.written import BREAKS, MESSAGE_RECAPS, SCENE_RECAPS
from app.store.store import Store
from app.story.anchors import KnownMessage
from app.story.messages import MessageRecap
from app.story.scenes import BreakOrigin, SceneBreak


async def test_only_what_was_written_to_is_to_be_read_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite3")
    await store.open()

    async def stamps() -> list[tuple[int, ...]]:
        parts = (BREAKS, SCENE_RECAPS, MESSAGE_RECAPS)
        return await store.run(lambda: [store.written.stamp(part) for part in parts])

    chat_id = await store.run(lambda: store.chats.id_of("chat.jsonl"))
    before = await stamps()
    assert before == await stamps()
    mark = SceneBreak("a", BreakOrigin.HAND)
    await store.run_undoable(chat_id, "A break", lambda: store.scenes.save(chat_id, [mark]))
    written = await stamps()
    assert [a == b for a, b in zip(before, written, strict=True)] == [False, True, True]
    await store.run(lambda: store.undo.undo(chat_id))
    undone = await stamps()
    assert [a == b for a, b in zip(written, undone, strict=True)] == [False, True, True]
    known = KnownMessage("a", "i", "w", "text")
    await store.run(lambda: store.chats.save_known(chat_id, [(0, known)]))
    assert await stamps() == undone  # it has no recap
    recap = {"a": MessageRecap("Recap.", source_hash="text")}
    await store.run(lambda: store.recaps.save_message_recaps(chat_id, recap))
    recapped = await stamps()
    assert recapped[2] != undone[2]
    other = KnownMessage("a", "i", "w", "other text")
    await store.run(lambda: store.chats.save_known(chat_id, [(0, other)]))
    assert (await stamps())[2] != recapped[2]
    await store.aclose()


async def test_what_another_program_wrote_is_read_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite3")
    await store.open()
    before = await store.run(lambda: store.written.stamp(BREAKS))
    connection = sqlite3.connect(tmp_path / "store.sqlite3")
    connection.execute("CREATE TABLE other (number INTEGER)")
    connection.commit()
    connection.close()
    assert await store.run(lambda: store.written.stamp(BREAKS)) != before
    await store.aclose()
