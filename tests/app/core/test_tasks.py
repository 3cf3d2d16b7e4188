"""No task is forgotten: each failure is said, and all end with their supervisor."""

from __future__ import annotations

import asyncio
import gc

import pytest

from app.core.tasks import TaskSupervisor


class Heard:
    """What was said to have failed."""

    def __init__(self) -> None:
        self.failed: list[tuple[str, BaseException]] = []

    def take(self, failure: tuple[str, BaseException]) -> None:
        self.failed.append(failure)


@pytest.mark.expects_log("app.core.tasks")
@pytest.mark.pitfall(13)
async def test_a_task_that_fails_is_said_once_and_ends_no_other() -> None:
    tasks, heard = TaskSupervisor(), Heard()
    tasks.failed.connect(heard.take)
    go_on = asyncio.Event()

    async def fails() -> None:
        raise ValueError("broken")

    async def waits() -> str:
        await go_on.wait()
        return "done"

    other = tasks.spawn(waits(), name="other")
    with pytest.raises(ValueError, match="broken"):
        await tasks.spawn(fails(), name="one")
    go_on.set()
    assert await other == "done"
    assert [(name, str(error)) for name, error in heard.failed] == [("one", "broken")]
    await tasks.aclose()


async def test_a_task_that_nobody_holds_is_kept_until_it_is_done() -> None:
    tasks, done = TaskSupervisor(), asyncio.Event()

    async def work() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
            gc.collect()
        done.set()

    tasks.spawn(work(), name="work")
    await asyncio.wait_for(done.wait(), 5)
    await tasks.aclose()


async def test_closing_ends_all_and_waits_until_they_have_cleaned_up() -> None:
    tasks, begun, cleaned = TaskSupervisor(), asyncio.Event(), list[str]()

    async def work() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append("work")

    task = tasks.spawn(work(), name="work")
    await begun.wait()
    await tasks.aclose()
    assert task.cancelled()
    assert cleaned == ["work"]
