"""What waits for what, and how the user moves, stops and clears what waits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.core.errors import AnswerUnusable, BackendBusy
from app.core.operations import (
    FINISHED,
    PRIORITY_ASKED,
    Operation,
    OperationKind,
    OperationSpec,
    OperationStatus,
    Outcome,
)
from app.core.tasks import TaskSupervisor
from app.store.store import Store
from app.work.queue.operation_queue import OperationQueue
from app.work.queue.waiting import Front


class Script:
    """Performs; keys in `errors` fail with what stands there."""

    def __init__(self) -> None:
        self.errors: dict[str, Exception] = {}
        self.done: list[str] = []
        self.ended: list[str] = []

    async def perform(self, operation: Operation) -> Outcome:
        error = self.errors.get(operation.spec.key)
        if error is not None:
            raise error
        self.done.append(operation.spec.key)
        return Outcome(3, 2, "fake")

    async def after(self, operation: Operation) -> None:
        self.ended.append(operation.spec.key)


def spec(
    key: str,
    priority: int = 0,
    *,
    chat: int = 1,
    needs: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
) -> OperationSpec:
    label = f"Recap {key}"
    kind = OperationKind.SCENE_RECAP
    return OperationSpec(kind, chat, key, f"at {key}", label, priority, needs=needs, after=after)


async def queue_of(store: Store, tasks: TaskSupervisor, script: Script) -> OperationQueue:
    await store.run(lambda: store.chats.id_of("chat"))
    await store.run(lambda: store.chats.id_of("other chat"))
    queue = OperationQueue(store, script.perform, script.after, tasks)
    await queue.start()
    return queue


async def paused_with(
    store: Store, tasks: TaskSupervisor, script: Script, specs: Sequence[OperationSpec]
) -> OperationQueue:
    queue = await queue_of(store, tasks, script)
    queue.pause()
    await queue.add(specs)
    return queue


def named(queue: OperationQueue, key: str) -> Operation:
    return next(op for op in queue.operations if op.spec.key == key)


def waiting(queue: OperationQueue) -> list[str]:
    return [op.spec.key for op in queue.operations if op.finished is None]


# --- what waits for what


@pytest.mark.parametrize("kind", ["needs", "after"])
async def test_an_operation_waits_for_the_one_it_names_whatever_their_priorities(
    store: Store, tasks: TaskSupervisor, kind: str
) -> None:
    script = Script()
    last = spec("fold", 20, **{kind: ("recap",)})  # type: ignore[arg-type]
    queue = await paused_with(store, tasks, script, [last, spec("recap"), spec("other", -1)])
    assert named(queue, "fold").held == "Waits for “Recap recap”."
    queue.resume()
    await queue.wait_idle()
    assert script.done == ["recap", "fold", "other"]


async def test_who_needs_a_failed_one_says_which_and_holds_up_nobody_else(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script()
    script.errors["recap"] = AnswerUnusable("Nothing came.")
    specs = [spec("recap"), spec("fold", 20, needs=("recap",)), spec("other")]
    queue = await paused_with(store, tasks, script, specs)
    queue.resume()
    await queue.wait_idle()
    assert script.done == ["other"]
    assert named(queue, "fold").held == "Needs “Recap recap”, which failed."
    script.errors.clear()
    await queue.retry(named(queue, "recap").id)
    await queue.wait_idle()
    assert script.done == ["other", "recap", "fold"]


async def test_who_comes_only_after_a_failed_one_goes_on(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script()
    script.errors["search"] = AnswerUnusable("Nothing came.")
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("recap", 20, after=("search",)), spec("search")])
    await queue.wait_idle()
    assert script.done == ["recap"]


async def test_who_needs_one_that_waits_for_another_try_waits_with_it(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script()
    script.errors["recap"] = BackendBusy("Too many requests.")
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("recap"), spec("fold", 20, needs=("recap",)), spec("other")])
    await queue.wait_idle()
    assert script.done == ["other"]
    assert named(queue, "fold").held == "Waits for “Recap recap”."
    script.errors.clear()
    await queue.retry(named(queue, "recap").id)
    await queue.wait_idle()
    assert script.done == ["other", "recap", "fold"]


@pytest.mark.weakness(39)
async def test_cancelling_what_is_needed_says_so(store: Store, tasks: TaskSupervisor) -> None:
    specs = [spec("recap"), spec("fold", needs=("recap",))]
    queue = await paused_with(store, tasks, Script(), specs)
    await queue.cancel(named(queue, "recap").id)
    assert named(queue, "fold").held == "Needs “Recap recap”, which was cancelled."


async def test_what_nobody_has_queued_holds_nothing_up(store: Store, tasks: TaskSupervisor) -> None:
    script = Script()
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("fold", needs=("never heard of",)), spec("own", needs=("own",))])
    await queue.wait_idle()
    assert script.done == ["fold", "own"]


async def test_the_key_of_another_chat_is_other_work(store: Store, tasks: TaskSupervisor) -> None:
    script = Script()
    script.errors["recap"] = AnswerUnusable("Nothing came.")
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("recap", chat=2)])
    await queue.wait_idle()
    await queue.add([spec("fold", needs=("recap",))])
    await queue.wait_idle()
    assert script.done == ["fold"]


async def test_what_waits_for_what_is_known_in_the_next_run(store: Store) -> None:
    first = TaskSupervisor()
    script = Script()
    script.errors["bad"] = AnswerUnusable("Nothing came.")
    queue = await queue_of(store, first, script)
    await queue.add([spec("bad")])
    await queue.wait_idle()
    queue.pause()
    specs = [spec("fold", 9, after=("recap",)), spec("recap"), spec("held", needs=("bad",))]
    await queue.add(specs)
    await first.aclose()

    second = TaskSupervisor()
    script = Script()
    queue = await queue_of(store, second, script)
    await queue.wait_idle()
    assert script.done == ["recap", "fold"]
    assert named(queue, "held").held == "Needs “Recap bad”, which failed."
    await queue.add([spec("bad")])  # planned again, in a new run
    await queue.wait_idle()
    assert script.done == ["recap", "fold", "bad", "held"]
    await second.aclose()


async def test_planning_again_changes_what_is_waited_for(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script()
    queue = await paused_with(store, tasks, script, [spec("recap", 9), spec("search")])
    await queue.add([spec("recap", 9, after=("search",))])
    queue.resume()
    await queue.wait_idle()
    assert script.done == ["search", "recap"]


# --- what the user does with what waits


async def test_the_queue_runs_up_to_the_one_it_is_to_pause_before(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script()
    queue = await paused_with(store, tasks, script, [spec(key) for key in "abc"])
    await queue.pause_before(named(queue, "b").id)
    assert named(queue, "b").pauses_before
    queue.resume()
    await queue.wait_idle()
    assert script.done == ["a"]
    assert queue.is_paused
    assert queue.stopped_before == named(queue, "b")
    assert queue.pause_reason == ""
    queue.resume()
    await queue.wait_idle()
    assert script.done == ["a", "b", "c"]
    assert not named(queue, "b").pauses_before


async def test_a_pause_before_one_is_kept_for_the_next_run_and_can_be_taken_back(
    store: Store,
) -> None:
    first = TaskSupervisor()
    queue = await paused_with(store, first, Script(), [spec(key) for key in "ab"])
    await queue.pause_before(named(queue, "b").id)
    await first.aclose()
    second = TaskSupervisor()
    script = Script()
    queue = await queue_of(store, second, script)
    await queue.wait_idle()
    assert script.done == ["a"]
    await queue.pause_before(named(queue, "b").id, wanted=False)
    await queue.wait_idle()
    assert script.done == ["a", "b"]
    await second.aclose()


async def test_one_place_up_is_one_place_up_also_among_many_of_one_priority(
    store: Store, tasks: TaskSupervisor
) -> None:
    queue = await paused_with(store, tasks, Script(), [spec("z", 5), *map(spec, "abcd")])
    await queue.move_up(named(queue, "d").id)
    assert waiting(queue) == ["z", "a", "b", "d", "c"]
    await queue.move_up(named(queue, "d").id)
    assert waiting(queue) == ["z", "a", "d", "b", "c"]
    await queue.move_up(named(queue, "c").id, first=True)
    assert waiting(queue) == ["c", "z", "a", "d", "b"]
    await queue.move_up(named(queue, "a").id)
    await queue.move_up(named(queue, "a").id)
    assert waiting(queue) == ["a", "c", "z", "d", "b"]
    await queue.move_up(named(queue, "a").id)
    assert waiting(queue) == ["a", "c", "z", "d", "b"]


async def test_where_one_was_moved_to_is_known_in_the_next_run(store: Store) -> None:
    first = TaskSupervisor()
    queue = await paused_with(store, first, Script(), [spec(key) for key in "abc"])
    await queue.move_up(named(queue, "c").id, first=True)
    await first.aclose()
    second = TaskSupervisor()
    script = Script()
    queue = await queue_of(store, second, script)
    await queue.wait_idle()
    assert script.done == ["c", "a", "b"]
    await second.aclose()


@pytest.mark.weakness(38)
async def test_clearing_a_chat_leaves_the_others_and_comes_back_in_order(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script()
    specs = [spec("a"), spec("b", 9), spec("c"), spec("x", chat=2)]
    queue = await paused_with(store, tasks, script, specs)
    await queue.pause_before(named(queue, "c").id)
    cleared = await queue.clear(1)
    assert [operation.spec.key for operation in cleared] == ["b", "a", "c"]
    assert waiting(queue) == ["x"]
    await queue.add([spec("a")])  # planned again: not in this run
    assert waiting(queue) == ["x"]
    await queue.put_back(cleared)
    assert waiting(queue) == ["b", "a", "c", "x"]
    assert named(queue, "c").pauses_before
    stored = await store.run(store.operations.unfinished)
    assert {op.spec.key for op in stored} == {"a", "b", "c", "x"}
    queue.resume()
    await queue.wait_idle()
    assert script.done == ["b", "a"]


@pytest.mark.weakness(40)
async def test_clearing_all_lets_what_runs_end(store: Store, tasks: TaskSupervisor) -> None:
    started, go_on = asyncio.Event(), asyncio.Event()
    done: list[str] = []

    async def perform(operation: Operation) -> Outcome:
        started.set()
        await go_on.wait()
        done.append(operation.spec.key)
        return Outcome()

    async def after(operation: Operation) -> None:
        return

    await store.run(lambda: store.chats.id_of("chat"))
    await store.run(lambda: store.chats.id_of("other chat"))
    queue = OperationQueue(store, perform, after, tasks)
    await queue.start()
    await queue.add([spec("a"), spec("b"), spec("c", chat=2)])
    await started.wait()
    cleared = await queue.clear()
    assert [operation.spec.key for operation in cleared] == ["b", "c"]
    go_on.set()
    await queue.wait_idle()
    assert done == ["a"]


async def test_what_is_let_go_leaves_no_trace_and_may_come_back(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script()
    queue = await paused_with(store, tasks, script, [spec("a"), spec("b"), spec("a", chat=2)])
    for _ in range(10):
        await queue.let_go(1, lambda operation: operation.spec.key == "a")
        assert [(op.spec.chat, op.spec.key) for op in queue.operations] == [(1, "b"), (2, "a")]
        await queue.add([spec("a")])
    queue.resume()
    await queue.wait_idle()
    assert sorted(script.done) == ["a", "a", "b"]


async def test_what_was_tried_before_it_is_let_go_is_shown_as_no_longer_needed(
    store: Store, tasks: TaskSupervisor
) -> None:
    script = Script()
    script.errors["a"] = BackendBusy("Too many requests.")
    queue = await queue_of(store, tasks, script)
    await queue.add([spec("a")])
    await queue.wait_idle()
    await queue.let_go(1, lambda operation: True)
    assert named(queue, "a").status is OperationStatus.OUTDATED
    assert queue.left(1) == 0


def reading(first: int, priority: int = 0) -> OperationSpec:
    """Of messages for memory, from one on."""
    read = spec(f"#{first}", priority)
    return replace(read, kind=OperationKind.MEMORY_PASS, params={"first": first})


async def test_readings_keep_the_order_of_the_story_also_where_one_waits_to_be_tried_again(
    store: Store, tasks: TaskSupervisor
) -> None:
    """#800 was read before #760, and what the story said later was told of what came before."""
    script = Script()
    script.errors["#20"] = BackendBusy("Too many requests.")
    queue = await queue_of(store, tasks, script)
    await queue.add([reading(20), reading(40), replace(reading(5), chat=2), reading(0)])
    await queue.wait_idle()
    assert script.done == ["#5", "#0"]
    held = {op.spec.key: op.held for op in queue.operations if op.status not in FINISHED}
    assert held == {"#20": "", "#40": "Waits for “Recap #20”."}
    await queue.add([reading(60, 10)])  # the user's own word does not wait for a backlog
    await queue.wait_idle()
    assert script.done == ["#5", "#0", "#60"]
    script.errors.clear()
    await queue.retry(queue.waiting(1)[0].id)
    await queue.wait_idle()
    assert script.done[3:] == ["#20", "#40"]


# --- the chats that are played


def of_other(key: str, priority: int = 0) -> OperationSpec:
    return spec(key, priority, chat=2)


async def playing(
    store: Store, tasks: TaskSupervisor, script: Script, specs: Sequence[OperationSpec]
) -> tuple[OperationQueue, list[Front]]:
    """A queue that is paused, and who plays: the last of the list."""
    await store.run(lambda: [store.chats.id_of(name) for name in ("chat", "other chat")])
    front = [Front()]
    queue = OperationQueue(store, script.perform, script.after, tasks, in_front=lambda: front[-1])
    await queue.start()
    queue.pause()
    await queue.add(specs)
    return queue, front


async def test_the_played_chat_goes_before_what_was_asked_of_another(
    store: Store, tasks: TaskSupervisor
) -> None:
    """Its recap waited behind all that was started again elsewhere."""
    script = Script()
    specs = [of_other("asked", PRIORITY_ASKED), of_other("fold", 20), spec("recap", 10)]
    queue, front = await playing(store, tasks, script, specs)
    assert waiting(queue) == ["asked", "fold", "recap"]
    front.append(Front(frozenset({1})))
    assert waiting(queue) == ["recap", "asked", "fold"]
    queue.resume()
    await queue.wait_idle()
    assert script.done == ["recap", "asked", "fold"]


async def test_what_runs_elsewhere_is_not_torn_away_for_the_played_chat(
    store: Store, tasks: TaskSupervisor
) -> None:
    begun, goes_on = asyncio.Event(), asyncio.Event()

    class Slow(Script):
        async def perform(self, operation: Operation) -> Outcome:
            begun.set()
            await goes_on.wait()
            return await super().perform(operation)

    script = Slow()
    queue, front = await playing(store, tasks, script, [of_other("under way"), of_other("next")])
    queue.resume()
    await begun.wait()
    front.append(Front(frozenset({1})))
    queue.look()
    await queue.add([spec("recap")])
    assert waiting(queue) == ["under way", "recap", "next"]
    goes_on.set()
    await queue.wait_idle()
    assert script.done == ["under way", "recap", "next"]


async def test_the_backlog_of_the_played_chat_lets_go_first_what_was_asked_of_another(
    store: Store, tasks: TaskSupervisor
) -> None:
    """Hundreds of recaps are no reason to let one wait that somebody wants to see now."""
    specs = [
        of_other("found", 30),
        of_other("asked", PRIORITY_ASKED),
        spec("backlog", 10),
        spec("wanted", PRIORITY_ASKED),
    ]
    queue, front = await playing(store, tasks, Script(), specs)
    front.append(Front(frozenset({1}), frozenset({1})))
    assert waiting(queue) == ["wanted", "asked", "backlog", "found"]


async def test_what_the_user_moves_stands_where_they_put_it_whoever_plays(
    store: Store, tasks: TaskSupervisor
) -> None:
    specs = [of_other("a", 10), of_other("b", 10), spec("c", 10), spec("d", 10)]
    queue, front = await playing(store, tasks, Script(), specs)
    front.append(Front(frozenset({1})))
    assert waiting(queue) == ["c", "d", "a", "b"]
    await queue.move_up(named(queue, "d").id)
    assert waiting(queue) == ["d", "c", "a", "b"]
    await queue.move_up(named(queue, "b").id, first=True)
    assert waiting(queue) == ["b", "d", "c", "a"]
    await queue.move_up(named(queue, "a").id)
    assert waiting(queue) == ["b", "d", "a", "c"]
    front.append(Front(frozenset({2})))
    assert waiting(queue)[-2:] == ["d", "c"]
