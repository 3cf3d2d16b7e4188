"""Reads the rows of the memories page, and presses on them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.memory.documents.browsing import sentence_of
from app.memory.records import Tier
from app.memory.standing import Standing
from ui.memories.listing.model import Column
from ui.memories.page import MemoriesPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]
BUTTON = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


def shown(page: MemoriesPage) -> list[str]:
    """The sentences of the table, heads in brackets."""
    return [
        sentence_of(row.standing.memory) if row.standing is not None else f"[{row.group}]"
        for row in page.model.rows
    ]


def page_standings(page: MemoriesPage) -> list[Standing]:
    return [row.standing for row in page.model.rows if row.standing is not None]


def press_row(page: MemoriesPage, row: int, column: Column = Column.MEMORY) -> None:
    index = page.model.index(row, column)
    page.table.scrollTo(index)
    area = page.table.visualRect(index)
    QTest.mouseClick(page.table.viewport(), BUTTON, pos=area.topLeft() + QPoint(60, 12))


async def wake(page: MemoriesPage, until: Until) -> None:
    """Make the window the active one: no key reaches another, and no editor stays open in it."""

    window, seen = page.window(), [False] * 5

    def is_active() -> bool:
        seen.append(window.isActiveWindow())
        if not seen[-1]:
            window.activateWindow()
        return all(seen[-5:])

    await until(is_active)


def row_of(page: MemoriesPage, words: str) -> int:
    return next(row for row, sentence in enumerate(shown(page)) if words in sentence)


def press(widget: QWidget) -> None:
    QTest.mouseClick(widget, BUTTON)


def page_arcs(page: MemoriesPage) -> list[Standing]:
    rows = (row.standing for row in page.model.rows)
    return [s for s in rows if s is not None and s.memory.tier is Tier.ARCS]
