"""One total or one budget for each tier: the page changes with the button, whatever is told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.companion import Companion
from tests.labelled import WrittenTavern
from ui.budgets.page import BudgetsPage
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_the_page_changes_with_the_button_where_the_prompt_stays_the_same(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """After a restart nothing but the button did."""
    assert window.desk is not None
    await window.desk.session.open_path(demo_tavern.chat)
    window.show_page("budgets")
    page = window.page
    assert isinstance(page, BudgetsPage)
    await until(lambda: page.outlook is not None)

    def press(word: str) -> None:
        (button,) = (
            b for b in page.tools.modes.findChildren(QWidget) if b.accessibleName().endswith(word)
        )
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    for word, has_total in (("Advanced", False), ("Simple", True), ("Advanced", False)):
        press(word)
        await until(lambda: ("budget_total" in page.board.rows) == has_total)  # noqa: B023
