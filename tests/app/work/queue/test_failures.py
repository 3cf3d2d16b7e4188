"""What failed: said once, tried again, and made up for by what came after."""

from __future__ import annotations

from dataclasses import replace

from app.core.errors import (
    AnswerUnusable,
)
from app.core.operations import (
    OperationKind,
    OperationSpec,
    OperationStatus,
)
from app.core.tasks import TaskSupervisor
from app.llm.writers.meter import RequestUse, note
from app.store.store import Store
from app.work.queue.outcomes import SHOWN
from tests.app.work.queue.scripted_queue import (
    Script,
    fail_with,
    keywords,
    queue_of,
    spec,
    useless,
)


async def test_a_final_failure_is_said_and_not_tried_again_unasked(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script({"bad": fail_with(AnswerUnusable("The model answered with nothing."))})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("bad"), spec("good")])
    await queue.wait_idle()
    await queue.add([spec("bad")])
    await queue.wait_idle()
    assert script.done == ["good"]
    failed = queue.failed(1)
    assert [operation.error for operation in failed] == ["The model answered with nothing."]
    script.acts.clear()
    await queue.retry(failed[0].id)
    await queue.wait_idle()
    assert script.done == ["good", "bad"]


async def test_what_is_tried_again_is_a_failure_no_more_until_it_fails_anew(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script({"bad": fail_with(AnswerUnusable("Nothing came."))})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("bad")])
    for _ in range(2):
        await queue.wait_idle()
        assert [op.status for op in queue.operations] == [OperationStatus.FAILED]
        await queue.retry_all()
    script.acts.clear()
    await queue.retry_all()
    await queue.wait_idle()
    assert [op.status for op in queue.operations] == [OperationStatus.DONE]
    stored = await store.run(lambda: store.operations.recent(10))
    assert [op.status for op in stored] == [OperationStatus.DONE]


async def test_what_failed_is_shown_before_what_is_done_and_what_was_cancelled_last(
    store: Store, tasks: TaskSupervisor
) -> None:
    """It stood below sixty that were done, or eight hundred that were cleared."""
    script = Script({"bad": fail_with(AnswerUnusable("Nothing came."))})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("bad")])
    await queue.wait_idle()
    await queue.add([spec(f"good {n}") for n in range(3)])
    await queue.wait_idle()
    queue.pause()
    await queue.add([spec("cleared"), spec("waiting")])
    cleared = next(op for op in queue.operations if op.spec.key == "cleared")
    await queue.cancel(cleared.id)
    assert [op.spec.key for op in queue.operations] == [
        *("waiting", "bad", "good 2", "good 1", "good 0", "cleared")
    ]


async def test_what_is_tried_again_counts_the_tokens_of_all_tries(
    store: Store, tasks: TaskSupervisor
) -> None:
    """A row that was tried again showed what the last try took, and the day's sum all of it."""

    async def in_vain() -> None:
        note(RequestUse("scene_recap", "fake", 5_000, 80))
        raise AnswerUnusable("Nothing came.")

    script = Script({"bad": in_vain})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("bad")])
    await queue.wait_idle()
    await queue.retry_all()
    await queue.wait_idle()
    script.acts.clear()
    await queue.retry_all()
    await queue.wait_idle()
    (operation,) = queue.operations
    assert operation.status is OperationStatus.DONE
    assert (operation.prompt_tokens, operation.output_tokens) == (10_003, 162)
    (stored,) = await store.run(lambda: store.operations.recent(10))
    assert stored.prompt_tokens == 10_003


async def test_failures_of_an_earlier_run_can_be_tried_again(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script({"bad": fail_with(AnswerUnusable("Nothing came."))})
    earlier = await queue_of(store, tasks, script)
    await earlier.add([spec("bad"), spec("good")])
    await earlier.wait_idle()
    earlier.pause()
    script.acts.clear()
    queue = await queue_of(store, tasks, script)
    await queue.retry_all()
    await queue.wait_idle()
    assert script.done == ["good", "bad"]


async def test_of_many_failures_of_an_earlier_run_none_is_lost_behind_what_was_done_since(
    store: Store, tasks: TaskSupervisor
) -> None:
    bad = [f"bad {n}" for n in range(SHOWN + 20)]
    script = Script(dict.fromkeys(bad, fail_with(AnswerUnusable("Nothing came."))))
    earlier = await queue_of(store, tasks, script)
    await earlier.add([spec(key) for key in bad])
    await earlier.wait_idle()
    earlier.pause()
    script.acts.clear()
    queue = await queue_of(store, tasks, script)
    await queue.add([spec(f"good {n}") for n in range(SHOWN + 5)])
    await queue.wait_idle()
    failed = [op for op in queue.operations if op.status is OperationStatus.FAILED]
    assert len(failed) == len(bad)
    assert len(queue.operations) <= SHOWN + len(bad)
    await queue.retry_all()
    await queue.wait_idle()
    assert set(bad) <= set(script.done)
    assert len(queue.operations) <= SHOWN


async def test_a_failure_at_each_start_is_shown_once(store: Store, tasks: TaskSupervisor) -> None:
    for _ in range(2):
        queue = await queue_of(
            store, tasks, Script({"bad": fail_with(AnswerUnusable("Nothing came."))})
        )
        await queue.add([spec("bad")])
        await queue.wait_idle()
        assert [op.status for op in queue.operations] == [OperationStatus.FAILED]
        queue.pause()
    later = await queue_of(store, tasks, Script())
    assert [op.status for op in later.operations] == [OperationStatus.FAILED]


async def test_a_failure_that_the_same_task_has_overcome_is_none(
    store: Store, tasks: TaskSupervisor
) -> None:
    refuse = fail_with(AnswerUnusable("Nothing usable."))
    script = Script(dict.fromkeys(("old model", "old pass", "other scene"), refuse))
    queue = await queue_of(store, tasks, script)
    recap, reading = OperationKind.SCENE_RECAP, OperationKind.MEMORY_PASS

    def read(key: str, *anchors: str) -> OperationSpec:
        about = replace(spec(key), kind=reading, anchor=anchors[-1])
        return replace(about, params={"anchors": list(anchors)})

    await queue.add(
        [
            replace(spec("old model"), kind=recap, anchor="scene 1"),
            replace(spec("other scene"), kind=recap, anchor="scene 2"),
            read("old pass", "m1", "m2", "m3"),
        ]
    )
    await queue.wait_idle()
    assert len(queue.failed(1)) == 3
    await queue.add([replace(spec("new model"), kind=recap, anchor="scene 1"), read("p1", "m1")])
    await queue.wait_idle()
    assert [op.spec.key for op in queue.failed(1)] == ["other scene", "old pass"]
    await queue.add([read("p2", "m2", "m3")])
    await queue.wait_idle()
    assert [op.spec.key for op in queue.failed(1)] == ["other scene"]
    failed = [op for op in queue.operations if op.status is OperationStatus.FAILED]
    assert [op.spec.key for op in failed] == ["other scene"]


async def test_of_what_is_made_anew_one_failure_is_shown_and_tried_again(
    store: Store, tasks: TaskSupervisor
) -> None:
    unusable = fail_with(AnswerUnusable("Nothing came."))
    script = Script({"first": unusable, "second": unusable})
    queue = await queue_of(store, tasks, script)
    for key in ("first", "second"):
        await queue.add([keywords(key)])
        await queue.wait_idle()
    assert [operation.spec.key for operation in queue.failed(1)] == ["second"]
    assert [operation.spec.key for operation in queue.operations] == ["second"]
    script.acts.clear()
    await queue.retry_all(1)
    await queue.wait_idle()
    assert script.done == ["second"]
    await queue.add([keywords("third")])
    await queue.wait_idle()
    assert script.done == ["second", "third"]


async def test_what_a_failed_attempt_took_stands_with_it(
    store: Store, tasks: TaskSupervisor
) -> None:
    async def act() -> None:
        note(RequestUse("scene_recap", "m", 100, 7))
        note(RequestUse("scene_recap", "m", 120, 0, is_estimated=True))
        raise AnswerUnusable("It wrote nothing of use.")

    script = Script({"bad": act})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("bad")])
    await queue.wait_idle()
    (failed,) = queue.operations
    assert failed.status is OperationStatus.FAILED
    assert (failed.prompt_tokens, failed.output_tokens, failed.backend) == (220, 7, "m")
    assert failed.requests == 2
    # Tried again with success, both attempts count, also in a later run.
    script.acts.clear()
    script.acts["bad"] = asked_once
    await queue.retry(failed.id)
    await queue.wait_idle()
    worked = store.operations.worked
    found = await store.run(lambda: worked(1, 0.0, [OperationKind.SCENE_RECAP]))
    assert found.requests == 3
    (loaded,) = (await queue_of(store, tasks, script)).operations
    assert (loaded.status, loaded.requests) == (OperationStatus.DONE, 3)


async def asked_once() -> None:
    note(RequestUse("scene_recap", "m", 3, 2))


async def test_what_a_failure_took_stands_in_the_list_also_where_it_is_made_up_for(
    store: Store, tasks: TaskSupervisor
) -> None:
    """Three merges that had failed were in the sum of the day, and in no row."""
    fold = OperationKind.RUNNING_RECAP
    script = Script({"scene 2": useless()})
    queue = await queue_of(store, tasks, script)
    await queue.add([replace(spec(key), kind=fold) for key in ("scene 2", "scene 3")])
    await queue.wait_idle()
    rows = {op.spec.key: (op.status, op.prompt_tokens) for op in queue.operations}
    assert rows["scene 2"] == (OperationStatus.OUTDATED, 2_000)
    assert queue.failed(1) == ()
    assert queue.ended.failed(1) == ()
    again = await queue_of(store, tasks, script)  # the next start
    assert {op.spec.key: op.status for op in again.operations}["scene 2"] is rows["scene 2"][0]
