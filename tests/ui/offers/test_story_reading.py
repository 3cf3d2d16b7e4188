"""Reading a story for its memory is paid for: what it takes is said first."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

from app.companion import Companion
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_reading_now_names_its_cost_and_waits_for_the_word(
    window: MainWindow, companion: Companion, tmp_path: Path, until: Until
) -> None:
    path = write_chat(tmp_path / "chat.jsonl", [message(number) for number in range(8)])
    assert window.desk is not None
    with FakeLlm(lambda _: "NONE") as llm:
        companion.settings.put("scene_detector", "heuristic")
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        companion._chats.keeps_memory = True
        await window.desk.session.open_path(path)
        window.desk.session.read_asked.emit()
        notice = window.frame.notice
        await until(lambda: "have not been read for memory yet" in notice.sentence)
        assert "request" in notice.sentence
        assert "tokens" in notice.sentence
        assert "min" in notice.sentence or " s " in notice.sentence
        assert not llm.requests
        notice.take_up()
        await until(lambda: any("<messages>" in request.text for request in llm.requests))


async def test_what_is_read_already_is_said_to_be_with_a_way_to_the_work(
    window: MainWindow, companion: Companion, tmp_path: Path, until: Until
) -> None:
    """It offered the same reading again, and a press on that did nothing that one saw."""
    path = write_chat(tmp_path / "chat.jsonl", [message(number) for number in range(8)])
    go_on = threading.Event()

    def reply(_request: object) -> str:
        go_on.wait(20)
        return "NONE"

    assert window.desk is not None
    with FakeLlm(reply) as llm:
        companion.settings.put("scene_detector", "heuristic")
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        companion._chats.keeps_memory = True
        session, notice = window.desk.session, window.frame.notice
        await session.open_path(path)
        session.read_asked.emit()
        await until(lambda: "have not been read for memory yet" in notice.sentence)
        notice.take_up()
        await until(lambda: bool(llm.requests))
        await until(lambda: companion.work.reading_ahead(path) is not None)
        session.read_asked.emit()
        await until(lambda: notice.sentence.startswith("This story is being read: Memories from"))
        assert notice.way_on == "Show the work"
        notice.take_up()
        assert window.desk.page_key == "work"
        go_on.set()
        await companion.settled(path)
        assert companion.work.reading_ahead(path) is None
