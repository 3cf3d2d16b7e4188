"""The lore of scenes on the page of recaps, from real recaps in the store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.companion import Companion
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow
from ui.recaps.lore import COMING, HOW, PURPOSE, LorePane
from ui.recaps.page import RecapsPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]
BOLD = "<b>Deep</b> as {{user}}."


def entity(name: str, sentence: str, *keywords: str) -> dict[str, object]:
    return {"type": "place", "name": name, "keywords": list(keywords), "content": [sentence]}


async def give(companion: Companion, path: Path, *scenes: list[dict[str, object]]) -> None:
    """Let the first scenes have recaps in stages, with this lore."""
    story, chat = companion.story(path), companion._chats.get(path)
    assert story is not None
    assert chat is not None
    closed = [scene for scene in story.scenes if scene.is_closed]
    for scene, entities in zip(closed, scenes, strict=False):
        stored = json.dumps({"stage3": {}, "stage4": {"entities": entities}})
        recap = story.scene_recap(scene)
        assert recap is not None
        recap = replace(recap, stored=stored)
        unit = partial(companion._store.recaps.add_scene_recap, chat.chat_id, recap)
        await companion._store.run(unit)
    await chat.refresh()


@pytest.fixture
async def lore(demo_window: MainWindow) -> LorePane:
    demo_window.show_page("recaps")
    page = demo_window.page
    assert isinstance(page, RecapsPage)
    QTest.mouseClick(page.rail.kinds._buttons["lore"], Qt.MouseButton.LeftButton)
    assert page.lore.isVisible()
    assert not page.list.isVisible()
    return page.lore


async def test_without_lore_the_page_says_how_it_comes_and_offers_it(
    lore: LorePane, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert lore._empty.text() == f"{PURPOSE}\n\n{HOW}"
    assert not lore.export.isVisible()
    QTest.mouseClick(lore.stages, Qt.MouseButton.LeftButton)
    await until(lambda: not lore.stages.isVisible())
    assert companion.setting("scene_recap_form", path=demo_tavern.chat).value == "staged"
    await until(lambda: lore._empty.text() == f"{PURPOSE}\n\n{COMING}")


async def test_lore_is_listed_by_scene_marked_and_taken_up_again(
    lore: LorePane, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    path = demo_tavern.chat
    await give(companion, path, [entity("Ford", BOLD, "river")], [entity("Mill", "Burnt.")])
    await until(lambda: len(lore.cards) == 2)
    ford = next(card for card in lore.cards.values() if card._name.text() == "Ford")
    assert ford.text == BOLD, "a model's text is never markup"
    QTest.mouseClick(ford.mark, Qt.MouseButton.LeftButton)
    await until(lambda: len(lore.cards) == 1)
    assert lore.said.text() == "1 entry marked as done."
    assert [found.is_done for found in companion.lore.of(path)] == [True, False]
    QTest.mouseClick(lore.mark, Qt.MouseButton.LeftButton)
    await until(lambda: lore.cards == {})
    QTest.mouseClick(lore.kinds._buttons["done"], Qt.MouseButton.LeftButton)
    assert len(lore.cards) == 2
    QTest.mouseClick(lore.mark, Qt.MouseButton.LeftButton)
    await until(lambda: not any(found.is_done for found in companion.lore.of(path)))


async def test_lore_is_copied_and_exported(
    lore: LorePane,
    companion: Companion,
    demo_tavern: WrittenTavern,
    tmp_path: Path,
    until: Until,
) -> None:
    path = demo_tavern.chat
    await give(companion, path, [entity("Ford", BOLD, "river"), entity("Mill", "Burnt.")])
    await until(lambda: len(lore.cards) == 2)
    QTest.mouseClick(lore.copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("Ford (place)\nKeys: Ford, river\n<b>Deep</b> as { {user}}.")
    target = tmp_path / "book.json"
    await lore.export_to(target, path, [found.key for found in lore.shown[:1]])
    book = json.loads(target.read_bytes())["entries"]
    assert [entry["comment"] for entry in book.values()] == ["place-Ford"]
    assert (
        lore.said.text() == "1 entry saved in book.json. Import it in SillyTavern under World Info."
    )


async def test_marks_are_there_after_a_restart(
    companion: Companion, demo_tavern: WrittenTavern
) -> None:
    path = demo_tavern.chat
    await companion.open_story(path)
    await companion.settled(path)
    await give(companion, path, [entity("Ford", "Deep.")])
    [found] = companion.lore.of(path)
    await companion.lore.mark(path, [found.key], is_done=True)
    store = companion._store
    chat = companion._chats.get(path)
    assert chat is not None
    chat_id = chat.chat_id
    rows = await store.run(store.settings.load)
    assert found.key in rows["chat", str(chat_id), "lore_done"]


async def test_the_way_back_to_versions_stays_open(lore: LorePane, demo_window: MainWindow) -> None:
    page = demo_window.page
    assert isinstance(page, RecapsPage)
    QTest.mouseClick(page.rail.kinds._buttons["running"], Qt.MouseButton.LeftButton)
    assert page.list.isVisible()
    assert page.reading.isVisible()


async def test_an_entry_that_grew_pushes_down_what_stands_below_it(
    lore: LorePane, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """A card that stays kept the height of its first layout, and its words lay over the next."""
    path = demo_tavern.chat
    await give(companion, path, [entity("Well", "Deep."), entity("Inn", "Warm.")])
    await until(lambda: len(lore.cards) == 2)
    first, second = lore.cards.values()
    found = lore._found[0]
    grown = replace(found, entry=replace(found.entry, content=("A long sentence of it. " * 40,)))
    for shown in (lore._found, (grown, lore._found[1])):
        lore._fill(shown)
        for _ in range(5):
            await asyncio.sleep(0)
            QApplication.sendPostedEvents()
        await until(lambda: first.height() > 0)
    await until(lambda: first.height() >= first.heightForWidth(first.width()))
    assert first.geometry().bottom() < second.geometry().top()
