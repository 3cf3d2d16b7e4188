"""A new start on purpose waits for what is being paid for, unless it is to come at once."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.companion import Companion
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@dataclass
class Reading:
    """A reading of a model that answers when it is let. ended: each end, whether to start again."""

    window: MainWindow
    companion: Companion
    path: Path
    go_on: threading.Event = field(default_factory=threading.Event)
    ended: list[bool] = field(default_factory=list)

    @property
    def said(self) -> str:
        return self.window.frame.notice.sentence


@pytest.fixture
async def reading(
    window: MainWindow, companion: Companion, tmp_path: Path, until: Until
) -> AsyncIterator[Reading]:
    path = write_chat(tmp_path / "chat.jsonl", [message(number) for number in range(8)])
    made = Reading(window, companion, path)

    def reply(_request: object) -> str:
        made.go_on.wait(20)
        return "NONE"

    window.closed.connect(lambda: made.ended.append(window.is_to_start_again))
    assert window.desk is not None
    with FakeLlm(reply) as llm:
        companion.settings.put("scene_detector", "heuristic")
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        companion._chats.keeps_memory = True
        await window.desk.session.open_path(path)
        await companion.remembered.read_now(path)
        await until(lambda: bool(llm.requests))
        yield made
        made.go_on.set()
        companion.work.resume()
        await companion.settled(path)


async def test_a_new_start_waits_for_the_answer_that_is_under_way(
    reading: Reading, until: Until
) -> None:
    """The request was given up and asked again after the start: paid twice."""
    reading.window.actions_["restart"].trigger()
    assert reading.said.startswith("Tavernkeep restarts as soon as this is finished")
    assert "Memories from #0 to #7" in reading.said
    assert not reading.ended
    assert reading.companion.work.is_paused
    reading.go_on.set()
    await until(lambda: reading.ended == [True])


async def test_it_comes_at_once_where_that_is_wanted(reading: Reading) -> None:
    reading.window.start_again()
    assert reading.window.frame.notice.way_on == "Restart now"
    reading.window.frame.notice.take_up()
    assert reading.ended == [True]


async def test_who_closes_the_notice_stays_and_work_goes_on(reading: Reading, until: Until) -> None:
    reading.window.start_again()
    reading.window.frame.notice.close_shown()
    assert not reading.companion.work.is_paused
    reading.go_on.set()
    await reading.companion.settled(reading.path)
    assert not reading.ended
