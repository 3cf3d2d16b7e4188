"""A running recap of another chat is asked about, and used only when the user says so."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from app.companion import Companion
from app.sillytavern.extensions.running_writing import RUNNING_KEY
from tests.labelled import WrittenTavern
from ui.offers.set_aside import QUESTION
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
STORED = {"version": 0, "content": "Of another chat.", "scene_count": 1, "new_scene_index": 9}


def give_foreign_recap(chat: Path) -> None:
    header, rest = chat.read_bytes().split(b"\n", 1)
    told = json.loads(header)
    told["chat_metadata"].pop("main_chat", None)
    told["chat_metadata"][RUNNING_KEY] = {
        "chat_id": "Old name",
        "current_version": 0,
        "versions": [STORED],
    }
    chat.write_bytes(json.dumps(told).encode() + b"\n" + rest)
    other = {"name": "Ann", "mes": "Another story.", "send_date": "2026-01-01T00:00:00.000Z"}
    chat.with_name("Old name.jsonl").write_text(json.dumps(other), "utf-8")


async def test_it_is_asked_about_once_and_used_on_a_word(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert window.desk is not None
    session, notice, path = window.desk.session, window.frame.notice, demo_tavern.chat
    give_foreign_recap(path)
    companion.work.pause()

    async def prompt() -> str:
        return (await companion.slots(path)).slots[0].text

    await session.open_path(path)
    assert notice.sentence == QUESTION
    assert await prompt() == ""
    notice.take_up()
    await until(lambda: session.story is not None and session.story.running.current is not None)
    assert "Of another chat." in await prompt()
    assert QUESTION not in notice.sentence
    await companion.edits.undo(path)
    assert await prompt() == ""
    await session.open_path(companion.demo.path)
    await session.open_path(path)
    assert QUESTION not in notice.sentence
