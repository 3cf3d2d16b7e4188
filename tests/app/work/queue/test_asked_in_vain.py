"""Refusals and answers of no use in a row: the queue pauses, or asks for no more of that kind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from app.core.errors import (
    AnswerUnusable,
    BackendRefused,
    BackendUnreachable,
)
from app.core.operations import (
    PRIORITY_ASKED,
    Operation,
    OperationKind,
    OperationStatus,
    Outcome,
)
from app.core.tasks import TaskSupervisor
from app.llm.backends import retries
from app.llm.writers.meter import RequestUse, note
from app.store.store import Store
from app.work.queue.operation_queue import OperationQueue
from app.work.queue.useless_answers import UselessAnswers
from tests.app.work.queue.scripted_queue import (
    Script,
    fail_with,
    keywords,
    queue_of,
    queue_of_one_model,
    reading,
    spec,
    useless,
)


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
    assert queue.held_in_vain.startswith("Model for memory: 4 jobs in a row")
    held = [op.held for op in queue.operations if op.spec.key in "fg"]
    # A hundred rows may say it: what was wrong with the answers is said once, over the page.
    assert held == ["4 jobs in a row got no usable answer."] * 2

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
    assert "jobs in a row got no usable answer" in queue.in_vain
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


def test_kinds_that_wait_for_the_same_are_told_of_in_one_sentence() -> None:
    """Three sentences for each of three kinds took eleven lines."""
    useless = UselessAnswers()
    kinds = (OperationKind.SCENE_RECAP, OperationKind.RUNNING_RECAP, OperationKind.MEMORY_PASS)
    recap, fold, read = (
        Operation(n, replace(spec(str(n)), kind=kind), OperationStatus.RUNNING)
        for n, kind in enumerate(kinds)
    )
    useless.note_use(recap)
    for operation in (fold, read) * 4:
        useless.note(operation, "not in the form")
    assert useless.held == (
        "Model for the running recap, Model for memory: 4 jobs in a row got no usable answer. The "
        "last one: not in the form"
    )
    useless.note_use(fold)
    assert useless.held.startswith("Model for memory: 4 jobs")
