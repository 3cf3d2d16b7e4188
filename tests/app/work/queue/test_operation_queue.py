"""The queue: order, cancelling at once, pausing, taking up after a crash."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from app.core.errors import (
    OperationOutdated,
    StoreError,
)
from app.core.operations import (
    Operation,
    OperationKind,
    OperationStatus,
)
from app.core.tasks import TaskSupervisor
from app.llm.writers.meter import RequestUse, note
from app.store.store import Store
from app.work.queue.operation_queue import OperationQueue
from tests.app.work.queue.scripted_queue import (
    Script,
    fail_with,
    queue_of,
    spec,
)


async def test_higher_priority_first_then_age(store: Store, tasks: TaskSupervisor) -> None:
    script = Script()
    queue = await queue_of(store, tasks, script)
    queue.pause()
    await queue.add([spec("low"), spec("high", 10), spec("low too"), spec("high too", 10)])
    queue.resume()
    await queue.wait_idle()
    assert script.done == ["high", "high too", "low", "low too"]


async def test_the_same_work_is_queued_once(store: Store, tasks: TaskSupervisor) -> None:
    script = Script()
    queue = await queue_of(store, tasks, script)
    queue.pause()
    await queue.add([spec("a"), spec("a")])
    await queue.add([spec("a")])
    queue.resume()
    await queue.wait_idle()
    assert script.done == ["a"]


async def test_what_runs_is_stopped_when_its_story_changed(
    store: Store, tasks: TaskSupervisor
) -> None:
    begun, stopped = asyncio.Event(), asyncio.Event()

    async def be_slow() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    script = Script({"slow": be_slow})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("slow"), spec("other")])
    await begun.wait()
    queue.outdate_running(2, lambda _: True)  # another chat's
    queue.outdate_running(1, lambda _: False)  # what it reads is as it was
    await asyncio.sleep(0)
    assert not stopped.is_set()
    queue.outdate_running(1, lambda other: other.key == "slow")
    await queue.wait_idle()
    assert stopped.is_set()
    assert script.ended == [("slow", OperationStatus.OUTDATED), ("other", OperationStatus.DONE)]
    script.acts.clear()
    await queue.add([spec("slow")])  # as after an edit that was undone
    await queue.wait_idle()
    assert script.done == ["other", "slow"]


@pytest.mark.expects_log("app.work.queue.failures")
async def test_an_error_of_our_own_fails_one_operation_only(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script({"bug": fail_with(KeyError("oops"))})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("bug"), spec("good")])
    await queue.wait_idle()
    assert script.done == ["good"]
    assert ("bug", OperationStatus.FAILED) in script.ended


@pytest.mark.weakness(36, 38)
async def test_cancelling_stops_what_runs_at_once(store: Store, tasks: TaskSupervisor) -> None:
    started = asyncio.Event()

    async def endless() -> None:
        started.set()
        await asyncio.sleep(3600)

    script = Script({"long": endless})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("long", 1), spec("next")])
    await started.wait()
    running = next(op for op in queue.operations if op.spec.key == "long")
    await queue.cancel(running.id)
    await queue.wait_idle()
    assert script.done == ["next"]
    assert ("long", OperationStatus.CANCELLED) in script.ended


@pytest.mark.parametrize("way", ["cancelled", "outdated"])
async def test_what_a_stopped_request_took_stands_in_its_row_also_when_it_is_done_later(
    store: Store, tasks: TaskSupervisor, way: str
) -> None:
    """It rose the sum of the day, and no row told of it."""
    begun = asyncio.Event()

    async def broken_off() -> None:
        begun.set()
        try:
            await asyncio.sleep(3600)
        finally:
            note(RequestUse("recap", "wolf-7b", 900, 12, is_estimated=True))

    script = Script({"recap": broken_off})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("recap")])
    await begun.wait()
    if way == "cancelled":
        await queue.cancel(queue.operations[0].id, is_final=False)
    else:
        queue.outdate_running(1, lambda _: True)
    await queue.wait_idle()
    (stopped,) = queue.operations
    assert (stopped.prompt_tokens, stopped.output_tokens, stopped.backend) == (900, 12, "wolf-7b")
    script.acts.clear()
    await queue.add([spec("recap")])
    await queue.wait_idle()
    done, before = queue.operations
    assert (done.status, done.prompt_tokens) == (OperationStatus.DONE, 3)
    assert (before.status, before.prompt_tokens) == (OperationStatus.OUTDATED, 900)


async def test_a_request_beside_the_queue_has_its_row_and_is_there_after_a_restart(
    store: Store, tasks: TaskSupervisor
) -> None:
    queue = await queue_of(store, tasks, Script())
    told = replace(spec("away"), kind=OperationKind.AWAY)
    uses = [RequestUse("memory_away", "wolf-7b", 700, 80)]
    for _ in range(2):
        await queue.note_beside(told, uses, begun=1_000_000.0)
    rows = [(op.status, op.prompt_tokens, op.output_tokens, op.backend) for op in queue.operations]
    assert rows == [(OperationStatus.DONE, 700, 80, "wolf-7b")] * 2
    assert not queue.left(1)
    again = await queue_of(store, tasks, Script())
    assert [op.spec.kind for op in again.operations] == [OperationKind.AWAY] * 2


@pytest.mark.pitfall(9)
async def test_cancelling_what_waits_leaves_what_runs(store: Store, tasks: TaskSupervisor) -> None:
    started, may_end = asyncio.Event(), asyncio.Event()

    async def long() -> None:
        started.set()
        await may_end.wait()

    script = Script({"long": long})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("long", 1), spec("next")])
    await started.wait()
    await queue.cancel(next(op.id for op in queue.operations if op.spec.key == "next"))
    may_end.set()
    await queue.wait_idle()
    assert script.done == ["long"]


async def test_what_ran_when_the_program_ended_is_taken_up_again(store: Store) -> None:
    started = asyncio.Event()

    async def endless() -> None:
        started.set()
        await asyncio.sleep(3600)

    first_run = TaskSupervisor()
    queue = await queue_of(store, first_run, Script({"long": endless}))
    await queue.add([spec("long"), spec("next")])
    await started.wait()
    await first_run.aclose()

    second_run = TaskSupervisor()
    script = Script()
    queue = await queue_of(store, second_run, script)
    await queue.wait_idle()
    assert script.done == ["long", "next"]
    await second_run.aclose()


async def test_paused_nothing_begins(store: Store, tasks: TaskSupervisor) -> None:
    script = Script()
    queue = await queue_of(store, tasks, script)
    queue.pause()
    await queue.add([spec("a")])
    await queue.wait_idle()
    assert script.done == []
    queue.resume()
    await queue.wait_idle()
    assert script.done == ["a"]


async def test_what_an_operation_took_is_kept(store: Store, tasks: TaskSupervisor) -> None:
    queue = await queue_of(store, tasks, Script())
    await queue.add([spec("a")])
    await queue.wait_idle()
    (done,) = await store.run(lambda: store.operations.recent(10))
    assert (done.prompt_tokens, done.output_tokens, done.backend) == (3, 2, "fake")


async def test_work_whose_story_changed_meanwhile_is_planned_again_when_it_comes_back(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script({"a": fail_with(OperationOutdated("The scene is there no more."))})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("a")])
    await queue.wait_idle()
    assert script.ended == [("a", OperationStatus.OUTDATED)]
    script.acts.clear()
    await queue.add([spec("a")])
    await queue.wait_idle()
    assert script.done == ["a"]


async def test_what_is_cancelled_while_it_is_being_begun_never_runs(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script()
    queue = await queue_of(store, tasks, script)
    queue.pause()
    await queue.add([spec("a"), spec("b")])
    first = queue.operations[0]
    queue.resume()
    cancelling = tasks.spawn(queue.cancel(first.id), name="cancel")
    await queue.wait_idle()
    await cancelling
    assert script.done == ["b"]
    assert ("a", OperationStatus.CANCELLED) in script.ended
    stored = await store.run(lambda: store.operations.recent(10))
    assert {op.spec.key: op.status for op in stored} == {
        "a": OperationStatus.CANCELLED,
        "b": OperationStatus.DONE,
    }


async def test_a_store_that_refuses_pauses_instead_of_spinning(
    store: Store, tasks: TaskSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script()
    queue = await queue_of(store, tasks, script)
    tries: list[int] = []

    def refuse(operation: Operation) -> None:
        tries.append(operation.id)
        raise StoreError("The disk is full.")

    monkeypatch.setattr(store.operations, "update", refuse)
    await queue.add([spec("a")])
    await queue.wait_idle()
    assert len(tries) <= 2
    assert "The disk is full." in queue.pause_reason
    monkeypatch.undo()
    queue.resume()
    await queue.wait_idle()
    assert script.done == ["a"]


@pytest.mark.expects_log("app.work.queue.outcomes")
async def test_the_same_work_wanted_for_ever_is_not_done_for_ever(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script({"a": fail_with(OperationOutdated("Changed."))})
    queue = await queue_of(store, tasks, script)
    for _ in range(20):
        await queue.add([spec("a")])
        await queue.wait_idle()
    assert len(script.ended) == 5


async def test_work_out_of_scope_waits_for_another_run(store: Store, tasks: TaskSupervisor) -> None:
    script = Script()
    await store.run(lambda: store.chats.id_of("chat"))
    queue = OperationQueue(
        store, script.perform, script.after, tasks, in_scope=lambda spec: spec.key == "mine"
    )
    await queue.start()
    await queue.add([spec("other"), spec("mine")])
    await queue.wait_idle()
    assert script.done == ["mine"]
    assert queue.left(1) == 1


async def test_what_an_earlier_run_left_goes_on_when_its_chat_is_opened(
    store: Store, tasks: TaskSupervisor
) -> None:
    script, is_open = Script(), False
    await store.run(lambda: store.chats.id_of("chat"))
    await store.run(lambda: store.operations.add([spec("left")]))
    queue = OperationQueue(
        store, script.perform, script.after, tasks, in_scope=lambda spec: is_open
    )
    await queue.start()
    await store.run(lambda: None)  # the worker has looked, and found nothing of its own
    assert script.done == []
    is_open = True
    await queue.add([spec("left")])
    async with asyncio.timeout(10):
        await queue.wait_idle()
    assert script.done == ["left"]


@pytest.mark.expects_log("app.work.queue.worker")
async def test_a_fault_of_ours_after_one_operation_leaves_the_others_to_be_done(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script()

    async def after(operation: Operation) -> None:
        if operation.spec.key == "odd":
            raise RuntimeError("planning for its chat fails")
        await script.after(operation)

    await store.run(lambda: store.chats.id_of("chat"))
    queue = OperationQueue(store, script.perform, after, tasks)
    await queue.start()
    await queue.add([spec("odd", 10), spec("good")])
    async with asyncio.timeout(20):
        await queue.wait_idle()
    assert script.done == ["odd", "good"]
    assert script.ended == [("good", OperationStatus.DONE)]


async def test_after_the_end_nothing_is_begun_whoever_lets_it_go_on(
    store: Store, tasks: TaskSupervisor
) -> None:
    """A page's word, or a key that came, began the work of a program that nobody saw any more."""
    script = Script()
    queue = await queue_of(store, tasks, script)
    queue.end()
    await queue.add([spec("a")])
    queue.resume()
    async with asyncio.timeout(10):
        await queue.wait_idle()
    assert queue.is_paused
    assert script.done == []
