"""A memory is written by hand, on a sheet of its own that belongs to its chat."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from app.companion import Companion
from app.memory.records import Grounding
from app.memory.standing import Standing
from tests.labelled import WrittenTavern
from tests.ui.memories.rows import Until, press, wake
from ui.memories.listing.model import Column
from ui.memories.page import MemoriesPage
from ui.memories.pane.pane import DETAILS, REVIEW
from ui.program.main_window import MainWindow

pytestmark = pytest.mark.slow


async def test_a_memory_is_written_by_hand(
    page: MemoriesPage, until: Until, standing_of: Callable[[str], Standing | None]
) -> None:
    await wake(page, until)
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_N)
    adding = page.pane.adding
    await until(lambda: adding.words.prose.hasFocus())
    adding.words.prose.setPlainText("The fiddler saw everything.")
    press(adding.add)
    await until(lambda: standing_of("The fiddler saw everything.") is not None)
    await until(lambda: page.pane.detail.words.text() == "The fiddler saw everything.")
    made = standing_of("The fiddler saw everything.")
    assert made is not None
    assert made.memory.grounding is Grounding.YOURS
    # The last message says from when on it holds, and is no evidence of it.
    assert made.start == page.model.at
    assert page.pane.detail.proofs == []
    row = page.model.place_of(made.memory.id)
    assert row is not None
    assert page.model.index(row, Column.SOURCES).data() == "yours"
    assert not page.commands.jump.isEnabled()


@pytest.mark.pitfall(18)
async def test_a_memory_that_is_being_written_stays_with_its_chat(
    page: MemoriesPage,
    demo_window: MainWindow,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
) -> None:
    """Spec §23: the sheet kept the one before when another was shown, who then got the words."""
    assert demo_window.desk is not None
    session = demo_window.desk.session
    page.commands.add.trigger()
    page.pane.adding.words.prose.setPlainText("Half a memory")
    await session.open_path(companion.demo.path)
    assert page.pane.kind == DETAILS
    await until(lambda: page.model.at >= 0)
    page.commands.add.trigger()
    assert page.pane.adding.words.text == ""
    await session.open_path(demo_tavern.chat)
    await until(lambda: page.model.rowCount() > 0)
    page.commands.add.trigger()
    assert page.pane.adding.words.text == "Half a memory"


async def test_what_makes_no_sense_is_said_and_kept_on_the_sheet(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    page.commands.add.trigger()
    press(page.pane.adding.add)
    await until(lambda: "needs a text" in demo_window.frame.notice.sentence)
    assert page.pane.kind == ""


async def test_no_sheet_of_the_pane_is_said_to_be_shown_while_a_memory_is_written(
    page: MemoriesPage, until: Until
) -> None:
    """ "Add it" stood under "Review" as if it added to what waits there."""
    kinds = page.pane.kinds
    page.show_review()
    assert kinds.shown == REVIEW
    page.commands.add.trigger()
    assert kinds.shown == ""
    page.pane.adding.left.emit()
    assert kinds.shown == page.pane.kind == DETAILS


async def test_a_memory_that_is_being_written_outlives_a_look_at_another_sheet(
    page: MemoriesPage, until: Until
) -> None:
    adding = page.pane.adding
    page.commands.add.trigger()
    adding.tier.setCurrentIndex(1)
    adding.words.prose.setPlainText("Half a memory")
    page.commands.add.trigger()  # once more, by mouse
    assert adding.words.text == "Half a memory"
    page.pane.kinds.findChildren(QAbstractButton)[1].click()
    assert page.pane.kind == REVIEW
    page.commands.add.trigger()
    assert adding.words.text == "Half a memory"
    assert adding.tier.currentIndex() == 1
    adding.left.emit()
    page.commands.add.trigger()
    assert adding.words.text == ""
