"""The queue: order, failures that block nobody, cancelling at once, taking up after a crash."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import pytest

from app.core.errors import (
    AnswerUnusable,
    BackendAway,
    BackendBusy,
    BackendRefused,
    BackendUnreachable,
    KeyRefused,
    OperationOutdated,
    StoreError,
)
from app.core.operations import (
    PRIORITY_ASKED,
    Operation,
    OperationKind,
    OperationSpec,
    OperationStatus,
    Outcome,
)
from app.core.tasks import TaskSupervisor
from app.llm.backends import retries
from app.llm.backends.retries import MAX_ATTEMPTS
from app.llm.writers.meter import RequestUse, note
from app.store.store import Store
from app.work.queue.operation_queue import OperationQueue
from app.work.queue.outcomes import SHOWN


@dataclass
class Script:
    """What happens at each key; others succeed at once."""

    acts: dict[str, Callable[[], Awaitable[None]]] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    ended: list[tuple[str, OperationStatus]] = field(default_factory=list)

    async def perform(self, operation: Operation) -> Outcome:
        act = self.acts.get(operation.spec.key)
        if act is not None:
            await act()
        self.done.append(operation.spec.key)
        return Outcome(3, 2, "fake")

    async def after(self, operation: Operation) -> None:
        self.ended.append((operation.spec.key, operation.status))


def spec(key: str, priority: int = 0) -> OperationSpec:
    return OperationSpec(OperationKind.SCENE_RECAP, 1, key, f"at {key}", f"Recap {key}", priority)


async def queue_of(store: Store, tasks: TaskSupervisor, script: Script) -> OperationQueue:
    await store.run(lambda: store.chats.id_of("chat"))
    queue = OperationQueue(store, script.perform, script.after, tasks)
    await queue.start()
    return queue


def fail_with(error: Exception) -> Callable[[], Awaitable[None]]:
    async def act() -> None:
        raise error

    return act


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


@pytest.mark.weakness(37)
async def test_a_passing_fault_waits_and_holds_up_nobody(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script({"busy": fail_with(BackendBusy("Too many requests."))})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("busy", 10), spec("other")])
    await queue.wait_idle()
    assert script.done == ["other"]
    (waiting,) = queue.waiting(1)
    assert waiting.attempts == 1
    assert waiting.started is not None
    assert waiting.not_before - waiting.started == pytest.approx(10, abs=1)
    script.acts.clear()
    await queue.retry(waiting.id)
    await queue.wait_idle()
    assert script.done == ["other", "busy"]


@pytest.mark.parametrize("way", ["let go", "cleared", "cancelled"])
async def test_the_time_for_which_something_waited_is_none_of_work(
    store: Store, tasks: TaskSupervisor, way: str
) -> None:
    """It was tried once, hours ago, and is dropped now."""
    script = Script({"busy": fail_with(BackendBusy("Too many requests."))})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("busy")])
    await queue.wait_idle()
    (waiting,) = queue.waiting(1)
    queue.open[waiting.id] = replace(waiting, started=1_000_000.0)
    if way == "let go":
        await queue.let_go(1, lambda _: True)
    elif way == "cleared":
        await queue.clear()
    else:
        await queue.cancel(waiting.id)
    assert queue.waiting(1) == ()
    kinds = [OperationKind.SCENE_RECAP]
    worked = await store.run(lambda: store.operations.worked(1, 0.0, kinds))
    assert worked.seconds == 0.0


async def test_a_key_that_is_refused_is_missed_until_the_server_answers(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script({"one": fail_with(KeyRefused("The server asks for an API key."))})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("one")])
    await queue.wait_idle()
    assert queue.missing_key == "The server asks for an API key."
    await queue.retry_all()
    await queue.wait_idle()
    assert queue.missing_key
    script.acts.clear()
    await queue.retry_all()
    await queue.wait_idle()
    assert queue.missing_key == ""


async def test_who_is_away_is_waited_for_and_uses_up_no_attempt(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script({"away": fail_with(BackendAway("The page is not open."))})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("away", 10), spec("other")])
    for _ in range(MAX_ATTEMPTS + 1):
        await queue.wait_idle()
        (waiting,) = queue.waiting(1)
        assert waiting.attempts == 0
        assert waiting.error == "The page is not open."
        await queue.try_away()
    await queue.wait_idle()
    script.acts.clear()
    await queue.try_away()
    await queue.wait_idle()
    assert script.done == ["other", "away"]


async def test_what_missed_the_model_is_tried_once_it_answers_another(
    store: Store, tasks: TaskSupervisor
) -> None:
    """They said "Nobody answers" for minutes beside those that were made."""
    gone = fail_with(BackendAway("Nobody answers."))
    script = Script(dict.fromkeys(("one", "two", "three"), gone))
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("one"), spec("two"), spec("three")])
    await queue.wait_idle()
    assert [operation.error for operation in queue.waiting(1)] == ["Nobody answers."] * 3
    script.acts.clear()
    await queue.retry(queue.waiting(1)[1].id)
    await queue.wait_idle()
    assert script.done == ["two", "one", "three"]
    assert queue.waiting(1) == ()


async def test_one_asks_for_all_while_whom_they_ask_is_away(
    store: Store, tasks: TaskSupervisor
) -> None:
    """Each of a long backlog asked the server that was away, one after the other."""
    asked: list[str] = []

    def ask(key: str) -> Callable[[], Awaitable[None]]:
        async def act() -> None:
            asked.append(key)
            if is_away:
                raise BackendAway("Nobody answers.")

        return act

    is_away = True
    script = Script({key: ask(key) for key in ("one", "two", "three")})
    await store.run(lambda: store.chats.id_of("chat"))
    queue = OperationQueue(
        store,
        script.perform,
        script.after,
        tasks,
        asked=lambda spec: spec.kind.value,
    )
    await queue.start()
    other = replace(spec("other"), kind=OperationKind.RUNNING_RECAP)
    await queue.add([spec("one"), spec("two"), spec("three"), other])
    await queue.wait_idle()
    assert asked == ["one"]
    assert script.done == ["other"]  # another one does it
    assert [op.error or op.held for op in queue.operations[:3]] == ["Nobody answers."] * 3
    assert queue.held_back("Nobody answers.") == ()  # that is no rule of the user's

    async def look() -> None:
        queue.look()  # something else changes just then

    await asyncio.gather(queue.try_away(), look())  # SillyTavern's page came, say
    await queue.wait_idle()
    assert asked == ["one", "one"]
    asked.clear()
    await queue.retry(next(op.id for op in queue.operations if op.spec.key == "two"))
    await queue.wait_idle()
    assert asked == ["two"]  # asked for by hand
    is_away = False
    await queue.retry(next(op.id for op in queue.operations if op.spec.key == "two"))
    await queue.wait_idle()
    assert script.done == ["other", "two", "one", "three"]
    assert queue.waiting(1) == ()


async def test_who_asked_for_all_and_is_wanted_no_more_leaves_it_to_the_next(
    store: Store, tasks: TaskSupervisor
) -> None:
    gone = fail_with(BackendAway("Nobody answers."))
    script = Script({"one": gone, "two": gone})
    await store.run(lambda: store.chats.id_of("chat"))
    queue = OperationQueue(store, script.perform, script.after, tasks, asked=lambda spec: "model")
    await queue.start()
    await queue.add([spec("one"), spec("two"), spec("three")])
    await queue.wait_idle()
    await queue.cancel(queue.waiting(1)[0].id)
    await queue.wait_idle()
    assert [op.spec.key for op in queue.waiting(1)] == ["two"]
    assert script.done == []


async def test_who_comes_back_hurries_nobody_else(store: Store, tasks: TaskSupervisor) -> None:
    script = Script({"busy": fail_with(BackendBusy("Too many requests."))})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("busy")])
    await queue.wait_idle()
    await queue.try_away()
    await queue.wait_idle()
    assert [operation.attempts for operation in queue.waiting(1)] == [1]


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


async def test_retry_after_is_honoured(store: Store, tasks: TaskSupervisor) -> None:
    tries: list[int] = []
    succeeded = asyncio.Event()

    async def busy_once() -> None:
        tries.append(1)
        if len(tries) == 1:
            raise BackendUnreachable("Nobody answers.", retry_after_seconds=0.01)
        succeeded.set()

    script = Script({"a": busy_once})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("a")])
    async with asyncio.timeout(10):
        await succeeded.wait()
    assert len(tries) == 2


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


async def test_refusals_in_a_row_pause_the_queue_until_the_user_goes_on(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script({key: fail_with(BackendRefused("Wrong key.")) for key in "abcd"})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec(key) for key in "abcd"])
    await queue.wait_idle()
    assert [operation.spec.key for operation in queue.failed(1)] == ["a", "b"]
    assert "Wrong key." in queue.pause_reason
    script.acts.clear()
    await queue.retry_all()
    await queue.wait_idle()
    assert sorted(script.done) == ["a", "b", "c", "d"]


async def test_going_on_tries_again_what_stopped_the_queue(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script({key: fail_with(BackendRefused("Wrong key.")) for key in "ab"})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec(key) for key in "abc"])
    await queue.wait_idle()
    assert queue.is_paused
    script.acts.clear()  # the key is mended
    queue.resume()
    async with asyncio.timeout(5):
        while len(script.done) < 3:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await queue.wait_idle()
    assert sorted(script.done) == ["a", "b", "c"]
    assert queue.failed(1) == ()
    assert all(op.status is OperationStatus.DONE for op in queue.operations)


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


def keywords(key: str, priority: int = 0) -> OperationSpec:
    return replace(spec(key, priority), kind=OperationKind.TRIGGERS)


async def test_what_a_model_cannot_do_is_not_asked_for_again_and_again(
    store: Store, tasks: TaskSupervisor
) -> None:
    """Each message of the story makes other work of it, of which each was paid for."""
    unusable = fail_with(AnswerUnusable("Nothing came."))
    asked: list[str] = []

    def failing(key: str) -> Callable[[], Awaitable[None]]:
        async def act() -> None:
            asked.append(key)
            await unusable()

        return act

    script = Script({f"turn {n}": failing(f"turn {n}") for n in range(9)})
    queue = await queue_of(store, tasks, script)
    for turn in range(4):
        await queue.add([keywords(f"turn {turn}"), spec(f"scene {turn}")])
        await queue.wait_idle()
    assert asked == ["turn 0", "turn 1"]
    assert script.done == [f"scene {turn}" for turn in range(4)]

    await queue.add([keywords("turn 4", PRIORITY_ASKED)])  # the user's own
    await queue.wait_idle()
    assert asked[2:] == ["turn 4"]

    queue.ask_another()
    await queue.add([keywords("turn 5")])
    await queue.wait_idle()
    assert asked[3:] == ["turn 5"]


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


def useless(words: str = "The model did not answer in the form.") -> Callable[[], Awaitable[None]]:
    """An answer that had to be paid for, and is of no use."""

    async def act() -> None:
        note(RequestUse("recap", "model", 2_000, 30))
        raise AnswerUnusable(words)

    return act


async def test_answers_of_no_use_in_a_row_pause_the_queue(
    store: Store, tasks: TaskSupervisor
) -> None:
    """A model that never answered in the form was asked, and paid, for each of a long backlog."""
    script = Script({key: useless() for key in "abcdefgh"})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec(key) for key in "abcdefgh"])
    await queue.wait_idle()
    assert [operation.spec.key for operation in queue.failed(1)] == list("abcd")
    assert "The model did not answer in the form." in queue.in_vain
    assert queue.in_vain in queue.pause_reason
    script.acts.clear()
    queue.resume()  # on with the rest, as the user says
    await queue.wait_idle()
    assert script.done == list("efgh")
    assert queue.in_vain == ""


async def test_with_another_model_the_rest_goes_on_and_what_was_paid_for_in_vain_waits_for_a_word(
    store: Store, tasks: TaskSupervisor
) -> None:
    """Each was tried again, and paid for again, though nobody had asked for it."""
    script = Script({key: useless() for key in "abcde"})
    queue = await queue_of(store, tasks, script)
    await queue.add([spec(key) for key in "abcde"])
    await queue.wait_idle()
    script.acts.clear()
    queue.ask_another()
    async with asyncio.timeout(5):
        while not script.done:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await queue.wait_idle()
    assert script.done == ["e"]
    assert [operation.spec.key for operation in queue.failed(1)] == list("abcd")


def reading(key: str) -> OperationSpec:
    return replace(spec(key), kind=OperationKind.MEMORY_PASS)


async def of_use() -> None:
    """An answer that was paid for and is kept."""
    note(RequestUse("recap", "model", 2_000, 30))


async def test_a_model_of_no_use_for_memory_goes_on_with_recaps(
    store: Store, tasks: TaskSupervisor
) -> None:
    acts = {key: useless() for key in "bcdefg"} | dict.fromkeys(["a", "h"], of_use)
    script = Script(acts)
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("a"), *map(reading, "bcdefg"), spec("h")])
    await queue.wait_idle()
    assert script.done == ["a", "h"]
    assert not queue.is_paused
    assert [operation.spec.key for operation in queue.failed(1)] == list("bcde")
    assert queue.held_in_vain.startswith("Model for memory: 4 answers in a row")
    held = [op.held for op in queue.operations if op.spec.key in "fg"]
    assert held == [queue.held_in_vain] * 2

    await queue.retry(queue.failed(1)[0].id)  # the user tries one: the next would fail as well
    await queue.wait_idle()
    assert [op.spec.key for op in queue.open.values()] == ["f", "g"]

    script.acts.clear()
    queue.go_on_in_vain()
    await queue.wait_idle()
    assert script.done[2:] == ["f", "g"]
    assert queue.held_in_vain == ""


async def test_where_no_kind_of_answer_is_of_use_all_of_it_pauses(
    store: Store, tasks: TaskSupervisor
) -> None:
    """As soon as the last answer to each kind was of no use."""
    acts = {key: useless() for key in "bcdefgh"} | {"a": of_use}
    script = Script(acts)
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("a"), *map(reading, "bcde"), *map(spec, "fgh")])
    await queue.wait_idle()
    assert queue.is_paused
    assert "answers in a row were not usable" in queue.in_vain
    assert [op.spec.key for op in queue.open.values()] == ["g", "h"]


async def test_one_answer_of_use_begins_the_count_anew(store: Store, tasks: TaskSupervisor) -> None:
    async def good() -> None:
        note(RequestUse("recap", "model", 2_000, 30))

    acts = {key: useless() for key in "abcefg"} | {"d": good}
    queue = await queue_of(store, tasks, Script(acts))
    await queue.add([spec(key) for key in "abcdefg"])
    await queue.wait_idle()
    assert not queue.is_paused
    assert len(queue.failed(1)) == 6


async def queue_of_one_model(store: Store, tasks: TaskSupervisor, script: Script) -> OperationQueue:
    await store.run(lambda: store.chats.id_of("chat"))
    queue = OperationQueue(
        store, script.perform, script.after, tasks, asked=lambda spec: spec.kind.value
    )
    await queue.start()
    return queue


@pytest.mark.parametrize(
    "error",
    [
        BackendBusy("Too many requests.", retry_after_seconds=20),
        BackendBusy("Out of memory."),
        BackendUnreachable("The connection broke."),
    ],
)
async def test_who_cannot_answer_now_is_asked_by_nobody_meanwhile(
    store: Store, tasks: TaskSupervisor, error: BackendUnreachable
) -> None:
    """Each of a long backlog asked in turn, though the server had said how long to wait."""
    script = Script({key: fail_with(error) for key in "abc"})
    queue = await queue_of_one_model(store, tasks, script)
    other = replace(spec("other"), kind=OperationKind.RUNNING_RECAP)
    await queue.add([*map(spec, "abc"), other])
    await queue.wait_idle()
    assert script.done == ["other"]  # another model does it
    assert [op.spec.key for op in queue.waiting(1)] == ["a"]
    assert [op.error or op.held for op in queue.operations[:3]] == [str(error)] * 3
    script.acts.clear()
    await queue.retry(queue.waiting(1)[0].id)
    await queue.wait_idle()
    assert script.done == ["other", "a", "b", "c"]


async def test_answers_that_break_off_in_a_row_pause_the_queue(
    store: Store, tasks: TaskSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came of them was paid for all the same."""
    monkeypatch.setattr(retries, "FIRST_DELAY_SECONDS", 0.2)

    async def broken() -> None:
        error = BackendUnreachable("The connection broke.")
        error.was_sent = True
        raise error

    script = Script(dict.fromkeys("abcdefgh", broken))
    queue = await queue_of_one_model(store, tasks, script)
    await queue.add([spec(key) for key in "abcdefgh"])
    async with asyncio.timeout(10):
        while not queue.is_paused:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert sum(op.attempts for op in queue.operations) < 8
    assert "The connection broke." in queue.in_vain
    script.acts.clear()
    queue.resume()
    async with asyncio.timeout(10):
        while len(script.done) < 8:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert queue.in_vain == ""


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


async def test_searches_that_come_to_nothing_in_a_row_are_asked_no_further(
    store: Store, tasks: TaskSupervisor
) -> None:
    """They count as done, since the next search does not need them."""
    asked: list[str] = []

    async def perform(operation: Operation) -> Outcome:
        asked.append(operation.spec.key)
        note(RequestUse("detect_breaks", "model", 2_000, 30))
        return Outcome(backend="model", in_vain="It wrote prose.")

    await store.run(lambda: store.chats.id_of("chat"))
    queue = OperationQueue(store, perform, Script().after, tasks)
    await queue.start()
    await queue.add([replace(spec(key), kind=OperationKind.DETECT_BREAKS) for key in "abcdefg"])
    await queue.wait_idle()
    assert asked == list("abcd")
    assert "It wrote prose." in queue.in_vain


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
