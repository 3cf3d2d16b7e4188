"""What is kept of work that is done has a bound."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from app.core.operations import OperationKind, OperationSpec, OperationStatus, Worked
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


async def test_what_was_worked_tells_what_was_paid_for_of_each_kind_and_in_all(
    store: Store,
) -> None:
    fold, profile = OperationKind.RUNNING_RECAP, OperationKind.PROFILE
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    taken = [(fold, 0), (fold, 700), (profile, 30), (OperationKind.SCENE_RECAP, 5)]
    specs = [OperationSpec(kind, chat_id, f"{n}", "a", "") for n, (kind, _) in enumerate(taken)]

    def unit() -> Worked:
        for (_, tokens), added in zip(taken, store.operations.add(specs), strict=True):
            done = replace(added, status=OperationStatus.DONE, started=5.0, finished=6.0)
            store.operations.update(replace(done, prompt_tokens=tokens))
        return store.operations.worked(chat_id, 0.0, [fold])

    worked = await store.run(unit)
    assert (worked.by_kind, worked.paid) == ({fold: (2, 0)}, {fold: (1, 0)})
    assert (worked.tokens, worked.spent) == (700, 735)


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
