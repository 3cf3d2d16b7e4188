"""What is kept of work that is done has a bound."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from app.core.operations import OperationKind, OperationSpec, OperationStatus
from app.store import operations, undo
from app.store.store import Store
from app.story.messages import MessageRecap


@pytest.mark.weakness(11, 15)
async def test_of_finished_work_the_newest_is_kept_and_nothing_that_it_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "HISTORY_KEPT", 3)
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    specs = [
        OperationSpec(
            OperationKind.SCENE_RECAP, chat_id, f"key {n}", "a", f"Recap {n}", needs=("before",)
        )
        for n in range(8)
    ]

    def unit() -> tuple[list[str], int]:
        for number, operation in enumerate(store.operations.add(specs)):
            if number < 7:
                store.operations.update(replace(operation, status=OperationStatus.DONE))
        store.operations.recover()
        kept = [operation.spec.key for operation in store.operations.recent(100)]
        ((needs,),) = store._database.execute("SELECT COUNT(*) FROM operation_need")
        return kept, needs

    kept, needs = await store.run(unit)
    assert kept == ["key 6", "key 5", "key 4"]
    assert needs == 4, "those of the three and of the one that is still to do"


@pytest.mark.weakness(11)
async def test_of_what_can_be_taken_back_the_newest_is_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo, "ENTRIES_KEPT", 3)
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    for number in range(8):
        recap = {"a": MessageRecap(f"words {number}", source_hash="x")}
        await store.run_undoable(
            chat_id,
            f"deed {number}",
            partial(store.recaps.save_message_recaps, chat_id, recap),
        )

    def unit() -> tuple[list[str], int]:
        ((statements,),) = store._database.execute("SELECT COUNT(*) FROM undo_statement")
        return [store.undo.undo(chat_id) for _ in range(4)], statements

    undone, statements = await store.run(unit)
    assert undone == ["deed 7", "deed 6", "deed 5", ""]
    assert statements == 3
