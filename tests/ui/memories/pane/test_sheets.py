"""The pane shows one memory with where it comes from, or what waits for review."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from app.memory.records import Review
from app.views.memory_view import MemoryView
from tests.ui.memories.rows import BUTTON, CONTROL, Until, press, press_row, row_of, wake
from ui.memories.listing.model import Column
from ui.memories.page import MemoriesPage
from ui.memories.pane.pane import DETAILS, REVIEW
from ui.program.main_window import MainWindow
from ui.program.story_stage import StoryStage

pytestmark = pytest.mark.slow


async def test_a_history_leads_to_the_heir_and_back(page: MemoriesPage, until: Until) -> None:
    row = row_of(page, "Henrike trusts Dov")
    press_row(page, row)
    detail = page.pane.detail
    await until(lambda: len(detail.steps) == 2)
    press(detail.steps[1])
    await until(lambda: "betrayed" in detail.words.text())
    press(detail.steps[0])
    await until(lambda: "old lieutenant" in detail.words.text())


async def test_a_history_leads_past_filters(page: MemoriesPage, until: Until) -> None:
    page.rail.shows["ended"].click()
    await until(lambda: not any(row.is_under for row in page.model.rows))
    press_row(page, row_of(page, "he betrayed her"))
    detail = page.pane.detail
    await until(lambda: len(detail.steps) == 2)
    press(detail.steps[0])
    await until(lambda: "old lieutenant" in detail.words.text())
    assert page.rail.shows["ended"].isChecked()


async def test_a_source_leads_to_its_message(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    press_row(page, row_of(page, "Annelies Corde, Casimir"))
    await until(lambda: len(page.pane.detail.proofs) == 2)
    proof = page.pane.detail.proofs[0]
    assert proof.jump.text() == "#30"
    press(proof.jump)
    await until(lambda: isinstance(demo_window.page, StoryStage))


async def test_a_press_on_sources_in_the_table_leads_there_too(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    row = row_of(page, "Pasco's habit")
    area = page.table.visualRect(page.model.index(row, Column.SOURCES))
    QTest.mouseClick(page.table.viewport(), BUTTON, pos=area.center())
    await until(lambda: isinstance(demo_window.page, StoryStage))


async def test_the_review_is_worked_by_keys_alone(
    page: MemoriesPage, until: Until, remembered: Callable[[], MemoryView]
) -> None:
    await wake(page, until)

    def waiting() -> list[str]:
        return [s.memory.text for s in remembered().review]

    review = page.pane.review
    page.show_review()
    await until(review.hasFocus)
    first, second, third, fourth = waiting()
    QTest.keyClick(review, Qt.Key.Key_J)
    assert review.open_card is not None
    assert review.open_card.standing.memory.text == second
    QTest.keyClick(review, Qt.Key.Key_K)
    assert review.open_card.standing.memory.text == first
    QTest.keyClick(review, Qt.Key.Key_R)
    await until(lambda: waiting() == [second, third, fourth])
    await until(lambda: len(review.cards) == 3)
    QTest.keyClick(review, Qt.Key.Key_A)
    await until(lambda: len(review.cards) == 2)
    assert waiting() == [third, fourth]
    QTest.keyClick(review, Qt.Key.Key_E)
    card = review.open_card
    assert card is not None
    assert card.is_editing
    card.editor.prose.setPlainText("deep respect")
    QTest.keyClick(card.editor.prose, Qt.Key.Key_Return, CONTROL)
    await until(lambda: waiting() == [fourth])
    view = remembered()
    kept = next(s for s in view.memories if s.memory.text == "deep respect")
    assert kept.memory.review is Review.APPROVED


async def test_the_window_says_how_many_wait(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    button = demo_window.frame.page_buttons["memories"]
    await until(lambda: button.badge == "4")
    page.show_review()
    page.pane.review.approve()
    await until(lambda: button.badge == "3")


async def test_the_pane_gives_way_in_a_narrow_window(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    await wake(page, until)
    demo_window.resize(900, 800)
    await until(lambda: not page.pane.isVisible())
    demo_window.actions_["pane.right"].trigger()
    assert page.pane.isVisible()
    demo_window.actions_["pane.right"].trigger()
    press_row(page, row_of(page, "Dov peels an orange"))
    page.commands.edit.trigger()
    assert page.table.viewport().findChild(QLineEdit) is not None


async def test_the_keyboard_stays_in_the_pane_when_its_sheet_changes(
    page: MemoriesPage, until: Until
) -> None:
    await wake(page, until)
    page.show_review()
    assert page.pane.kind == REVIEW
    await until(page.pane.review.hasFocus)
    page.pane.show_kind(DETAILS)
    assert page.pane.detail.area.hasFocus()
