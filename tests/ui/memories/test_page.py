"""The memories page in its window: its rows stand still, may be many, and keep Qt's rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from app.companion import Companion
from app.memory.documents.browsing import Wanted, arranged
from app.memory.records import FIRST_CONFIDENCE
from app.views.memory_view import MemoryView
from tests.chat_files import jsonl, message
from tests.labelled import WrittenTavern
from tests.ui.memories.rows import Until, page_standings, press_row, row_of, shown, wake
from ui.memories.listing.model import Column, MemoryModel
from ui.memories.page import MemoriesPage
from ui.program.main_window import MainWindow

pytestmark = pytest.mark.slow


async def test_a_message_that_no_memory_comes_from_leaves_the_rows_alone(
    page: MemoriesPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    resets: list[bool] = []
    page.model.modelReset.connect(lambda: resets.append(True))
    last, rows = page.moment.axis.maximum(), page.model.rows
    told = demo_tavern.chat.read_bytes().rstrip(b"\n")
    demo_tavern.chat.write_bytes(told + b"\n" + jsonl([message(999, "Nobody said a word.")]))
    await companion.open_story(demo_tavern.chat)
    await until(lambda: page.moment.axis.maximum() == last + 1)
    assert not resets
    assert page.model.rows is rows
    assert page.model.at == page.model.ground.last == last + 1


async def test_a_column_that_says_nothing_leaves_its_room_to_the_words(
    page: MemoriesPage,
    companion: Companion,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
    remembered: Callable[[], MemoryView],
) -> None:
    """Words were cut beside an empty column, where no model had said how sure it is."""
    await wake(page, until)
    page.window().resize(1_600, 900)
    await until(lambda: not page.table.isColumnHidden(Column.CONFIDENCE))
    wide = page.table.columnWidth(Column.MEMORY)
    view = remembered()
    bare = tuple(
        replace(s, memory=replace(s.memory, confidence=FIRST_CONFIDENCE)) for s in view.memories
    )
    monkeypatch.setattr(companion, "memory", lambda *_, **__: replace(view, memories=bare))
    page.refresh()
    await until(lambda: page.table.isColumnHidden(Column.CONFIDENCE))
    assert page.table.columnWidth(Column.MEMORY) > wide


async def test_nothing_of_the_page_is_a_window_of_its_own(
    page: MemoriesPage, dressed: QApplication, until: Until
) -> None:
    press_row(page, row_of(page, "Annelies Corde, Casimir"))
    page.show_review()
    page.rail.choose("texts")
    await until(lambda: page.texts.isVisible())
    names = {window.objectName() for window in dressed.topLevelWindows()}
    assert {name for name in names if name.startswith(("Link", "Button"))} == set()


async def test_rows_under_the_pointer_stay_while_the_story_is_read(
    page: MemoriesPage,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
    remembered: Callable[[], MemoryView],
) -> None:
    """Sorted by confidence the rows changed places with each reading; a press hit another one."""
    await wake(page, until)
    unsorted = shown(page)
    page.table.sort_asked.emit(Column.CONFIDENCE)
    await until(lambda: shown(page) != unsorted)
    before = shown(page)
    view = remembered()
    doubted = page_standings(page)[0]
    less = replace(doubted, memory=replace(doubted.memory, confidence=0.01))
    read = tuple(less if s.memory.id == less.memory.id else s for s in view.memories)
    monkeypatch.setattr(companion, "memory", lambda *_, **__: replace(view, memories=read))
    at = QPointF(20, 60)
    QApplication.sendEvent(page.table.viewport(), QEnterEvent(at, at, at))
    page.refresh()
    await until(lambda: page_standings(page)[0].memory.confidence == 0.01)
    assert shown(page) == before
    QApplication.sendEvent(page.table.viewport(), QEvent(QEvent.Type.Leave))
    await until(lambda: shown(page) != before)


async def test_deeds_stand_in_the_palette_on_this_page(
    page: MemoriesPage, demo_window: MainWindow
) -> None:
    desk = demo_window.desk
    assert desk is not None
    assert page.commands.read_now in [action for action, _ in desk._shown_actions()]
    demo_window.show_page("story")
    assert page.commands.read_now not in [action for action, _ in desk._shown_actions()]


async def test_the_model_keeps_qts_rules(page: MemoriesPage) -> None:
    model = MemoryModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    rows = page.model.rows
    model.show_rows(rows, page.model.ground, page.model.at)
    model.show_rows(rows[:3], page.model.ground, page.model.at)
    model.show_rows((), page.model.ground, -1)
    del tester


async def test_rows_that_were_low_are_high_again(page: MemoriesPage, until: Until) -> None:
    def heights() -> set[int]:
        rows = page.model.rows
        return {
            page.table.rowHeight(place)
            for place, row in enumerate(rows)
            if row.standing is not None and not row.is_under
        }

    assert heights() == {45}
    page.rail.shows["ended"].click()
    await until(lambda: not any(row.is_under for row in page.model.rows))
    assert heights() == {45}


async def test_a_hundred_thousand_rows_are_shown_without_waiting(page: MemoriesPage) -> None:
    one = next(row.standing for row in page.model.rows if row.standing is not None)
    many = [
        replace(one, memory=replace(one.memory, id=f"many-{place}", text=f"Memory {place}"))
        for place in range(100_000)
    ]
    rows = arranged(many, Wanted()).rows
    page.model.show_rows(rows, page.model.ground, page.model.at)
    page.table.scrollToBottom()
    last = page.table.indexAt(QPoint(60, page.table.viewport().height() - 10))
    assert last.row() > 99_900
