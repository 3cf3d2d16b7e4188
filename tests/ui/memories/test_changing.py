"""Memories are changed in the row, in the pane and by commands, and all of it is taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from app.companion import Companion
from app.memory.standing import Standing, Status
from app.views.memory_view import MemoryView
from tests.labelled import WrittenTavern
from tests.ui.memories.rows import (
    BUTTON,
    CONTROL,
    Until,
    page_arcs,
    press,
    press_row,
    row_of,
    shown,
    wake,
)
from ui.memories.listing.model import Column
from ui.memories.page import MemoriesPage
from ui.memories.words import importance_words
from ui.program.main_window import MainWindow

pytestmark = pytest.mark.slow


@pytest.mark.pitfall(17)
async def test_words_are_changed_in_the_row_and_taken_back(
    page: MemoriesPage,
    demo_window: MainWindow,
    until: Until,
    standing_of: Callable[[str], Standing | None],
) -> None:
    await wake(page, until)
    row = row_of(page, "Dov peels an orange")
    press_row(page, row)
    area = page.table.visualRect(page.model.index(row, 0))
    QTest.mouseDClick(page.table.viewport(), BUTTON, pos=area.topLeft() + QPoint(60, 12))
    editor = page.table.viewport().findChild(QLineEdit)
    assert editor is not None
    editor.setText("Dov peels oranges slowly.")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    await until(lambda: "Dov peels oranges slowly." in shown(page))
    assert not any("one long curl" in words for words in shown(page))
    await until(lambda: demo_window.actions_["undo"].isEnabled())
    demo_window.actions_["undo"].trigger()
    await until(lambda: standing_of("one long curl") is not None)
    await until(lambda: any("one long curl" in words for words in shown(page)))


async def test_what_is_written_in_a_row_outlives_news(
    page: MemoriesPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    await wake(page, until)
    other = next(s.memory.id for s in page_arcs(page) if "favour" in s.memory.text)
    row = row_of(page, "Dov peels an orange")
    press_row(page, row)
    page.table.edit(page.model.index(row, Column.MEMORY))
    editor = page.table.viewport().findChild(QLineEdit)
    assert editor is not None
    editor.setText("Half a sentence")
    await companion.memories.resolve(demo_tavern.chat, other)
    await companion.settled(demo_tavern.chat)
    assert page.table.is_editing
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    await until(lambda: not any(s.is_active and s.memory.id == other for s in page_arcs(page)))


async def test_words_are_changed_in_the_pane(page: MemoriesPage, until: Until) -> None:
    await wake(page, until)
    press_row(page, row_of(page, "Six honey cakes"))
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_F2)
    editor = page.pane.detail.editor
    await until(lambda: page.pane.detail.is_editing)
    editor.prose.setPlainText("Seven honey cakes.")
    QTest.keyClick(editor.prose, Qt.Key.Key_Return, CONTROL)
    await until(lambda: "Seven honey cakes." in shown(page))


@pytest.mark.pitfall(17)
async def test_several_are_deleted_at_once_and_brought_back_at_once(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    await wake(page, until)
    before = shown(page)
    press_row(page, row_of(page, "Six honey cakes"))
    other = page.table.visualRect(page.model.index(row_of(page, "Go and be loud"), 0))
    at = other.topLeft() + QPoint(60, 12)
    QTest.mouseClick(page.table.viewport(), BUTTON, CONTROL, at)
    assert len(page.chosen.ids) == 2
    page.table.setFocus()
    assert demo_window.desk is not None
    told: list[str] = []
    demo_window.desk.session.told.connect(told.append)
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    await until(lambda: len(shown(page)) == len(before) - 2)
    await until(lambda: told == ["2 memories were deleted. Ctrl+Z takes that back."])
    gone = ("Six honey cakes", "Go and be loud")
    assert not any(words in sentence for sentence in shown(page) for words in gone)
    await until(lambda: demo_window.actions_["undo"].text() == "Undo: delete 2 memories")
    demo_window.actions_["undo"].trigger()
    await until(lambda: shown(page) == before)


async def test_what_undo_brings_back_is_chosen_and_takes_the_page_s_keys(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    await wake(page, until)
    before = shown(page)
    press_row(page, row_of(page, "Six honey cakes"))
    (deleted,) = page.chosen.ids
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    await until(lambda: len(shown(page)) == len(before) - 1)
    at = page.table.currentIndex()
    QTest.keyClick(page.table, Qt.Key.Key_P)  # nothing is chosen: no row is looked for by it
    assert page.table.currentIndex() == at
    assert page.chosen.ids == []
    await until(lambda: demo_window.actions_["undo"].text().startswith("Undo: delete"))
    demo_window.actions_["undo"].trigger()
    await until(lambda: page.chosen.ids == [deleted])
    QTest.keyClick(page.table, Qt.Key.Key_P)
    await until(lambda: [s.memory.is_pinned for s in page.chosen.standings] == [True])
    assert page.chosen.ids == [deleted]


async def test_a_second_press_of_del_deletes_nothing_unseen(
    page: MemoriesPage, until: Until
) -> None:
    await wake(page, until)
    before = shown(page)
    press_row(page, row_of(page, "Six honey cakes"))
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    await until(lambda: len(shown(page)) == len(before) - 1)
    assert page.chosen.ids == []
    assert not page.commands.delete.isEnabled()
    QTest.keyClick(page.table, Qt.Key.Key_Delete)
    page.refresh()  # nor does whatever comes meanwhile choose one
    await until(lambda: page.chosen.ids == [])
    # The keyboard goes on from there: one press chooses, and shows, what stands next.
    QTest.keyClick(page.table, Qt.Key.Key_Down)
    assert len(page.chosen.ids) == 1
    assert page.commands.delete.isEnabled()
    assert len(shown(page)) == len(before) - 1


async def test_a_pin_says_that_other_chats_share_it(page: MemoriesPage, until: Until) -> None:
    press_row(page, row_of(page, "Six honey cakes"))
    page.commands.pin.trigger()
    await until(lambda: page.commands.pin.text() == "Unpin")
    chosen = page.chosen.standings[0].memory
    assert "also in chats that share" in importance_words(replace(chosen, character="Ada"))
    assert "that share" not in importance_words(replace(chosen, character=""))


async def test_an_arc_is_resolved_and_reopened(
    page: MemoriesPage, until: Until, standing_of: Callable[[str], Standing | None]
) -> None:
    def status() -> Status | None:
        found = standing_of("favour Pasco owes")
        return found.status if found is not None else None

    page.show_memory(next(s.memory.id for s in page_arcs(page) if "favour" in s.memory.text))
    assert page.commands.resolve.isEnabled()
    page.commands.resolve.trigger()
    await until(lambda: status() is Status.ENDED)
    await until(lambda: page.commands.reopen.isEnabled())
    page.commands.reopen.trigger()
    await until(lambda: status() is Status.ACTIVE)


async def test_a_profile_is_rewritten(
    page: MemoriesPage, until: Until, remembered: Callable[[], MemoryView]
) -> None:
    press(page.rail.places["texts"])
    await until(lambda: page.texts.isVisible() and len(page.texts.cards) == 2)
    card = page.texts.cards[0]
    press(card.edit_button)
    card.editor.prose.setPlainText("A captain again.")
    QTest.keyClick(card.editor.prose, Qt.Key.Key_Return, CONTROL)
    await until(lambda: any(d.text == "A captain again." for d in remembered().documents))
    await until(lambda: page.texts.cards[0].words.text() == "A captain again.")


async def test_copy_takes_what_is_chosen(page: MemoriesPage) -> None:
    press_row(page, row_of(page, "Six honey cakes"))
    page.commands.copy.trigger()
    clipboard = QApplication.clipboard().text()
    assert clipboard == "Six honey cakes for the dogs, four for the crew."
