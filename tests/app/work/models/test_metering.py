"""What models are asked is counted by day and task, and a day's cap holds what is left back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from app.core.errors import BackendRefused, BackendUnreachable, StoreError
from app.core.model_use import (
    CAPPED,
    TRIAL,
    DayCap,
    ModelUse,
    Prices,
    Spent,
    by_day,
    by_task,
    total,
)
from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus, Outcome
from app.core.tasks import TaskSupervisor
from app.llm.backends.backend import Answer, Request
from app.llm.backends.factory import make_backend
from app.llm.backends.specs import parse_spec
from app.llm.prompts.prompt_files import TASKS, load_prompts
from app.llm.writers.asking import Asker
from app.llm.writers.meter import RequestUse
from app.llm.writers.task import Task
from app.settings.values import Settings
from app.store.store import Store
from app.story.answers.task_answers import read_sentence
from app.work.models.metering import ModelMeter, TrialMeter, kind_of
from app.work.queue.operation_queue import OperationQueue

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
PROMPTS = load_prompts()


class Clock:
    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def settings_of(cap: int, unit: str = "requests") -> Settings:
    return Settings({("global", "", "daily_cap"): cap, ("global", "", "daily_cap_unit"): unit})


async def meter_of(
    store: Store, cap: int = 0, unit: str = "requests", clock: Clock | None = None
) -> ModelMeter:
    meter = ModelMeter(store, settings_of(cap, unit), now=clock or Clock())
    await meter.load()
    return meter


def operation(number: int) -> Operation:
    spec = OperationSpec(OperationKind.SCENE_RECAP, 1, f"key {number}", "a", f"Recap {number}")
    return Operation(number, spec, OperationStatus.PENDING)


def test_every_prompt_belongs_to_a_kind_of_work() -> None:
    kinds = {kind.value for kind in OperationKind}
    assert {kind_of(task) for task in TASKS} <= kinds


async def test_counts_are_summed_by_task_and_day_and_survive_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "story.sqlite3"
    store = Store(path)
    await store.open()
    meter = await meter_of(store, clock=clock)
    await meter.took(RequestUse("scene_organise", "m", 100, 20))
    await meter.took(RequestUse("scene_recap", "m", 50, 10, is_estimated=True))
    clock.now += timedelta(days=1)
    await meter.took(RequestUse("memory_session", "n", 7, 3))
    await store.aclose()

    store = Store(path)
    await store.open()
    try:
        again = await meter_of(store, clock=clock)
        uses = await again.uses(2)
    finally:
        await store.aclose()
    assert again.cap.spent == Spent(1, 7, 3)
    assert by_task(uses) == (
        ("scene_recap", Spent(2, 150, 30, 1)),
        ("memory_pass", Spent(1, 7, 3)),
    )
    assert [spent.requests for _, spent in by_day(uses, date(2026, 3, 13), date(2026, 3, 16))] == [
        *(0, 2, 1, 0)
    ]
    assert Prices(10.0, 20.0).of(total(uses).prompt_tokens, 0) == pytest.approx(0.00157)


async def test_a_day_ends_at_local_midnight(store: Store) -> None:
    clock = Clock(NOON.replace(hour=23, minute=59))
    meter = await meter_of(store, 1, clock=clock)
    await meter.took(RequestUse("scene_recap", "m", 1, 1))
    assert meter.holds(operation(1))
    clock.now += timedelta(minutes=2)
    assert not meter.holds(operation(1))
    assert meter.cap.used == 0


async def test_a_clock_that_goes_forth_and_back_forgets_nothing_of_a_day(store: Store) -> None:
    """Set by hand, or by a journey over the line where the date changes."""
    clock = Clock()
    meter = await meter_of(store, 1, clock=clock)
    await meter.took(RequestUse("scene_recap", "m", 1, 1))
    for days in (1, -1, -400, 3, 0):
        clock.now = NOON + timedelta(days=days)
        assert bool(meter.holds(operation(1))) == (days == 0), days
    clock.now = NOON + timedelta(days=1)
    await meter.took(RequestUse("scene_recap", "m", 1, 1))
    await meter.go_on_today()
    again = await meter_of(store, 1, clock=clock)
    for one in (meter, again):
        clock.now = NOON.astimezone(timezone(timedelta(hours=-13)))  # yesterday still
        assert not one.holds(operation(1))
        clock.now = NOON
        assert one.holds(operation(1))
        clock.now = NOON.astimezone(timezone(timedelta(hours=14)))  # tomorrow, where it was lifted
        assert one.cap.used == 1
        assert not one.holds(operation(1))


async def test_going_on_today_holds_for_that_day_only_and_over_a_restart(store: Store) -> None:
    clock = Clock()
    meter = await meter_of(store, 10, "tokens", clock)
    await meter.took(RequestUse("scene_recap", "m", 8, 3))
    assert meter.holds(operation(1)) == CAPPED
    assert "10 tokens" in meter.cap.sentence
    await meter.go_on_today()
    assert not meter.holds(operation(1))
    again = await meter_of(store, 10, "tokens", clock)
    assert again.cap.used == 11
    assert not again.cap.is_reached
    clock.now += timedelta(days=1)
    await again.took(RequestUse("scene_recap", "m", 8, 3))
    assert again.cap.is_reached


async def test_one_that_was_let_pass_leaves_the_others_held(store: Store) -> None:
    meter = await meter_of(store, 1)
    await meter.took(RequestUse("scene_recap", "m", 1, 1))
    meter.let_pass(7)
    assert not meter.holds(operation(7))
    assert meter.holds(operation(8))


@pytest.mark.expects_log("app.work.models.metering")
async def test_a_database_that_cannot_be_written_does_not_cost_the_answer(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    meter = await meter_of(store)

    def full(_use: ModelUse) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(store.model_uses, "add", full)
    caplog.set_level("WARNING", "app.work.models.metering")
    await meter.took(RequestUse("scene_recap", "m", 1, 2))
    assert meter.cap.spent == Spent(1, 1, 2)
    assert "counted for this run only" in caplog.text


def test_no_cap_is_ever_reached_where_none_is_set() -> None:
    assert not DayCap(0, "requests", Spent(10**9)).is_reached
    assert DayCap(1, "requests", Spent(1)).sentence.startswith("Today's limit of")


async def test_the_trial_of_a_model_is_counted_as_one(store: Store) -> None:
    meter = await meter_of(store)
    await TrialMeter(meter).took(RequestUse("scene_recap", "m", 1, 2))
    assert [use.task for use in await meter.uses(1)] == [TRIAL]


# --- what is counted of a request


class Model:
    """A backend that does what it is told."""

    label, spec, context_tokens = "m", "openai:m@http://localhost", 8000

    def __init__(self, act: Callable[[Callable[[str], None]], Awaitable[Answer]]) -> None:
        self._act = act

    async def generate(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        assert on_text is not None
        return await self._act(on_text)

    async def aclose(self) -> None:
        """Nothing to give back."""


class Heard:
    def __init__(self) -> None:
        self.uses: list[RequestUse] = []

    async def took(self, use: RequestUse) -> None:
        self.uses.append(use)


async def ask(act: Callable[[Callable[[str], None]], Awaitable[Answer]]) -> list[RequestUse]:
    """The counts of one question."""
    heard = Heard()
    asker = Asker(Model(act), count_tokens=lambda text: len(text.split()), meter=heard)
    prompt = PROMPTS["message_recap"]
    task = Task(prompt, "recap", is_json=False)
    inputs = {"context": "(none)", "message": "Ada waits."}
    with contextlib.suppress(BackendRefused, BackendUnreachable, asyncio.CancelledError):
        await asker.ask(task, prompt, inputs, read_sentence)
    return heard.uses


async def test_tokens_that_the_server_tells_are_taken_as_they_are() -> None:
    async def act(on_text: Callable[[str], None]) -> Answer:
        return Answer("Ada waits.", prompt_tokens=321, output_tokens=9)

    assert await ask(act) == [RequestUse("message_recap", "m", 321, 9)]


async def test_tokens_that_it_does_not_tell_are_counted_and_said_to_be() -> None:
    async def act(on_text: Callable[[str], None]) -> Answer:
        return Answer("Ada waits long.", prompt_tokens=321)

    assert await ask(act) == [RequestUse("message_recap", "m", 321, 3, is_estimated=True)]


async def test_a_request_that_was_stopped_half_way_is_counted() -> None:
    async def act(on_text: Callable[[str], None]) -> Answer:
        on_text("Ada waits")
        raise asyncio.CancelledError

    (use,) = await ask(act)
    assert (use.output_tokens, use.is_estimated) == (2, True)
    assert use.prompt_tokens > 20


async def test_an_answer_that_broke_off_is_counted_and_a_refusal_is_not() -> None:
    async def breaks(on_text: Callable[[str], None]) -> Answer:
        on_text("Ada")
        raise BackendUnreachable("The connection broke.")

    async def refuses(on_text: Callable[[str], None]) -> Answer:
        raise BackendRefused("Wrong key.")

    async def is_gone(on_text: Callable[[str], None]) -> Answer:
        raise BackendUnreachable("Nobody answers.")

    assert len(await ask(breaks)) == 1
    assert await ask(refuses) == []
    assert await ask(is_gone) == []


# --- the queue


async def test_the_queue_holds_at_the_cap_and_goes_on_when_it_is_lifted(
    store: Store, tasks: TaskSupervisor
) -> None:
    await store.run(lambda: store.chats.id_of("chat"))
    meter = await meter_of(store, 2)
    done: list[str] = []

    async def perform(work: Operation) -> Outcome:
        await meter.took(RequestUse("scene_recap", "m", 1, 1))
        done.append(work.spec.label)
        return Outcome()

    async def after(work: Operation) -> None:
        """Nothing depends on it."""

    queue = OperationQueue(store, perform, after, tasks, holds=meter.holds)
    meter.changed.connect(lambda _: queue.look())
    await queue.start()
    await queue.add([operation(number).spec for number in range(1, 6)])
    await queue.wait_idle()
    assert done == ["Recap 1", "Recap 2"]
    held = queue.held_back(CAPPED)
    assert [op.spec.label for op in held] == ["Recap 3", "Recap 4", "Recap 5"]
    assert {op.held for op in queue.operations if op.held} == {CAPPED}
    assert not queue.is_paused

    meter.let_pass(held[1].id)
    await queue.wait_idle()
    assert done == ["Recap 1", "Recap 2", "Recap 4"]
    await meter.go_on_today()
    await queue.wait_idle()
    assert done[3:] == ["Recap 3", "Recap 5"]
    await meter.hold_again()
    assert meter.cap.is_reached
    assert meter.cap.used_before == meter.cap.used > meter.cap.limit
    assert (await meter_of(store, 2)).cap.used_before == meter.cap.used
    assert not (await meter_of(store, 2)).cap.is_lifted


def test_sums_of_nothing_are_nothing() -> None:
    uses: tuple[ModelUse, ...] = ()
    assert total(uses) == Spent()
    assert by_task(uses) == ()
    assert Prices().of(5, 5) is None


@pytest.mark.weakness(42)
async def test_requests_at_one_time_are_counted_each_under_its_own_name() -> None:
    """The extension kept the name of a request in one place for all."""
    uses: dict[str, list[RequestUse]] = {}
    both = asyncio.Barrier(2)

    class Heard:
        async def took(self, use: RequestUse) -> None:
            uses.setdefault(use.task, []).append(use)

    class Slow:
        spec, label, context_tokens = "m", "m", 8192

        async def generate(self, request: Request, *, on_text: object = None) -> Answer:
            await both.wait()
            return Answer(request.prompt)

    asker = Asker(Slow(), count_tokens=len, meter=Heard())  # type: ignore[arg-type]
    names = ("scene_recap", "running_recap")
    async with asyncio.timeout(10):
        await asyncio.gather(
            *(
                asker.answer(PROMPTS[name], dict.fromkeys(PROMPTS[name].inputs, name))
                for name in names
            )
        )
    assert {name: len(found) for name, found in uses.items()} == dict.fromkeys(names, 1)
    assert all(use.output_tokens > 0 for found in uses.values() for use in found)


async def asked_of(server_bytes: bytes) -> list[RequestUse]:
    """The counts of one question to a server that says this and hangs up."""

    async def die(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(server_bytes)
        writer.close()

    async with await asyncio.start_server(die, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        backend = make_backend(parse_spec(f"openai:m@http://127.0.0.1:{port}"))
        heard = Heard()
        asker = Asker(backend, count_tokens=lambda text: len(text.split()), meter=heard)
        prompt = PROMPTS["message_recap"]
        task = Task(prompt, "recap", is_json=False)
        inputs = {"context": "(none)", "message": "Ada waits."}
        with pytest.raises(BackendUnreachable):
            await asker.ask(task, prompt, inputs, read_sentence)
        await backend.aclose()
    return heard.uses


async def test_a_request_that_a_server_began_to_answer_is_counted() -> None:
    """It was read in full: that nothing came of it makes it no cheaper."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    (use,) = await asked_of(head + b"Content-Length: 99\r\n\r\n")
    assert use.prompt_tokens > 20
    assert use.is_estimated


async def test_a_request_that_nobody_answered_costs_nothing() -> None:
    assert await asked_of(b"") == []
