"""A queue whose operations do what a test says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from app.core.errors import (
    AnswerUnusable,
)
from app.core.operations import (
    Operation,
    OperationKind,
    OperationSpec,
    OperationStatus,
    Outcome,
)
from app.core.tasks import TaskSupervisor
from app.llm.writers.meter import RequestUse, note
from app.store.store import Store
from app.work.queue.operation_queue import OperationQueue


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


def keywords(key: str, priority: int = 0) -> OperationSpec:
    return replace(spec(key, priority), kind=OperationKind.TRIGGERS)


def useless(words: str = "The model did not answer in the form.") -> Callable[[], Awaitable[None]]:
    """An answer that had to be paid for, and is of no use."""

    async def act() -> None:
        note(RequestUse("recap", "model", 2_000, 30))
        raise AnswerUnusable(words)

    return act


def reading(key: str) -> OperationSpec:
    return replace(spec(key), kind=OperationKind.MEMORY_PASS)


async def queue_of_one_model(store: Store, tasks: TaskSupervisor, script: Script) -> OperationQueue:
    await store.run(lambda: store.chats.id_of("chat"))
    queue = OperationQueue(
        store, script.perform, script.after, tasks, asked=lambda spec: spec.kind.value
    )
    await queue.start()
    return queue
