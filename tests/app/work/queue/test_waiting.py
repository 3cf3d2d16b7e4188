"""What waits for somebody who is away, busy or refuses its key, and holds nobody up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from app.core.errors import (
    BackendAway,
    BackendBusy,
    BackendUnreachable,
    KeyRefused,
)
from app.core.operations import (
    OperationKind,
)
from app.core.tasks import TaskSupervisor
from app.llm.backends.retries import MAX_ATTEMPTS
from app.store.store import Store
from app.work.queue.operation_queue import OperationQueue
from tests.app.work.queue.scripted_queue import (
    Script,
    fail_with,
    queue_of,
    queue_of_one_model,
    spec,
)


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
