"""What the newest reply contradicts is said before the next prompt: use it, change it, drop it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.companion import Companion
from app.memory.records import Document, DocumentKind, MemoryChange
from tests.labelled import WrittenTavern
from ui.memories.page import MemoriesPage
from ui.program.main_window import MainWindow
from ui.shell.notice import Notice

Until = Callable[[Callable[[], bool]], Awaitable[None]]
NOTE = "The well is dry."


@pytest_asyncio.fixture
async def notice(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> Notice:
    """A check has found something in the newest reply."""
    path = demo_tavern.chat
    chat = companion._chats.required(path)
    reply = next(m for m in reversed(chat.story.messages) if not m.is_user)
    found = [
        Document(
            kind.value, chat.chat_id, kind, text, until=reply.anchor, inputs=reply.content_hash
        )
        for kind, text in (
            (DocumentKind.CONTINUITY, "The well gives water."),
            (DocumentKind.REPAIR, NOTE),
        )
    ]
    store = companion._store
    await store.run(lambda: store.memories.write(MemoryChange(documents=tuple(found))))
    await chat.refresh()
    shown = demo_window.frame.notice
    await until(lambda: NOTE in shown.sentence)
    return shown


async def test_what_was_found_is_said_too_where_no_correction_is_written_by_itself(
    demo_window: MainWindow,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Path] = []

    async def correct(path: Path) -> None:
        asked.append(path)

    monkeypatch.setattr(companion.texts, "correct", correct)
    chat = companion._chats.required(demo_tavern.chat)
    reply = next(m for m in reversed(chat.story.messages) if not m.is_user)
    found = Document(
        "c",
        chat.chat_id,
        DocumentKind.CONTINUITY,
        "The well gives water.",
        until=reply.anchor,
        inputs=reply.content_hash,
    )
    store = companion._store
    await store.run(lambda: store.memories.write(MemoryChange(documents=(found,))))
    await chat.refresh()
    shown = demo_window.frame.notice
    await until(lambda: "The well gives water." in shown.sentence)
    assert shown.way_on == "Correct it"
    counted = badge(demo_window)
    assert counted > 0
    assert NOTE not in await prompt_of(companion, demo_tavern)
    QTest.mouseClick(shown._way_on, Qt.MouseButton.LeftButton)
    await until(lambda: asked == [demo_tavern.chat])
    assert badge(demo_window) == counted - 1
    await chat.refresh()
    assert "The well gives water." not in shown.sentence  # answered


async def prompt_of(companion: Companion, tavern: WrittenTavern) -> str:
    slots = (await companion.slots(tavern.chat)).slots
    return " ".join(slot.text for slot in slots)


def badge(window: MainWindow) -> int:
    text = window.frame.page_buttons["memories"].badge
    return int(text) if text else 0


async def test_it_says_what_is_contradicted_and_is_used_when_that_is_wanted(
    notice: Notice, demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    assert "The well gives water." in notice.sentence
    assert notice.way_on == "Use it"
    assert notice.ways == ("Edit", "Drop")
    before = badge(demo_window)
    assert before >= 1
    notice.take_up()
    assert NOTE not in notice.sentence
    assert badge(demo_window) == before - 1
    assert NOTE in await prompt_of(companion, demo_tavern)


async def test_dropped_it_is_not_said_to_the_model(
    notice: Notice, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    notice.choose("Drop")
    path = demo_tavern.chat
    kinds = DocumentKind.REPAIR
    await until(lambda: all(d.kind is not kinds for d in companion.memory(path).documents))
    assert NOTE not in await prompt_of(companion, demo_tavern)


async def test_to_be_changed_it_is_shown_among_the_texts(
    notice: Notice, demo_window: MainWindow, until: Until
) -> None:
    notice.choose("Edit")
    page = demo_window.page
    assert isinstance(page, MemoriesPage)
    await until(lambda: any(NOTE in card.words.text() for card in page.texts.cards))
    assert page.texts.isVisibleTo(page)
