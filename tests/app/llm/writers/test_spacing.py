"""Between two requests lies as much time as the user wants, whoever makes them."""

from __future__ import annotations

import pytest

from app.core.errors import BackendUnreachable
from app.llm.writers.asking import Generating
from app.llm.writers.factory import make_writer
from app.llm.writers.spacing import Spacing
from app.prompt.tokens import estimate_tokens
from app.story.messages import Message
from tests.fakes import MODEL, FakeLlm


class Clock:
    """Stands still but for what is waited for."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waited: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds


def spacing(clock: Clock, seconds: float) -> Spacing:
    return Spacing(lambda: seconds, now=lambda: clock.now, sleep=clock.sleep)


async def test_a_request_waits_for_what_is_left_of_the_pause() -> None:
    clock = Clock()
    apart = spacing(clock, 10.0)
    async with apart.request():
        clock.now += 3.0
    clock.now += 4.0
    async with apart.request():
        pass
    clock.now += 60.0
    async with apart.request():
        pass
    assert clock.waited == [6.0]


async def test_a_request_that_failed_counts_too_and_no_pause_waits_for_nothing() -> None:
    clock = Clock()
    apart = spacing(clock, 5.0)
    with pytest.raises(BackendUnreachable):
        async with apart.request():
            raise BackendUnreachable("x")
    async with apart.request():
        pass
    assert clock.waited == [5.0]
    never = Clock()
    for _ in range(3):
        async with spacing(never, 0.0).request():
            pass
    assert never.waited == []


async def test_two_writers_of_one_program_keep_the_same_pause() -> None:
    clock = Clock()
    generating = Generating(spacing=spacing(clock, 7.0))
    with FakeLlm(lambda request: "Ann opened the gate of the mill.") as llm:
        spec = f"openai:{MODEL}@{llm.url}"
        for _ in range(2):
            writer = make_writer(spec, count_tokens=estimate_tokens, generating=generating)
            await writer.message_recap(Message("m", "h", "Ann", "I open the gate of the mill."))
            await writer.aclose()
        assert len(llm.requests) == 2
    assert clock.waited == [7.0]
