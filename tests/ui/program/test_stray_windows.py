"""No part of a page or sheet is a window of its own while it is made."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Iterator

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from ui.controls.surfaces import FloatingSheet
from ui.program.main_window import MainWindow
from ui.program.pages import PAGES

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
MEANT = (FloatingSheet, QDialog, QMenu)  # windows of their own, over the main one


class Shown(QObject):
    """Hears which widgets are shown as windows."""

    def __init__(self) -> None:
        super().__init__()
        self.windows: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.Show or not isinstance(watched, QWidget):
            return False
        if watched.isWindow() and not isinstance(watched, MEANT):
            lines = traceback.format_stack(limit=6)[:-1]
            where = next((line for line in reversed(lines) if "/ui/" in line), "")
            name = f"{type(watched).__name__} {watched.accessibleName()}"
            self.windows.append(f"{name}: {' '.join(where.split())}")
        return False


@pytest.fixture
def shown(qapp: QApplication) -> Iterator[Shown]:
    heard = Shown()
    qapp.installEventFilter(heard)
    yield heard
    qapp.removeEventFilter(heard)


async def test_no_page_shows_a_window_while_it_is_made(
    demo_window: MainWindow, shown: Shown, until: Until
) -> None:
    """Tiny windows without a title flashed over the screen when a page was opened first."""
    desk = demo_window.desk
    assert desk is not None
    for key in PAGES:
        demo_window.show_page(key)
        await asyncio.sleep(0.02)
        await until(lambda key=key: demo_window.current_state().page == key)  # type: ignore[misc]
    desk._on_prompts()
    demo_window.set_up()
    assert demo_window.first_run is not None
    for row in demo_window.first_run.rail.rows:
        row.click()
        await asyncio.sleep(0.02)
    assert shown.windows == []


async def test_no_sheet_shows_a_window_beside_itself(
    demo_window: MainWindow, shown: Shown, until: Until
) -> None:
    desk = demo_window.desk
    assert desk is not None
    for begin in (
        desk.open_palette,
        desk.open_chats,
        desk.banners.copies.begin,
        desk.banners.replacement.begin,
        desk.everywhere.open_help,
        *(demo_window.actions_[key].trigger for key in ("history", "health", "search.all")),
    ):
        begin()
        await asyncio.sleep(0)
        for sheet in QApplication.topLevelWidgets():
            if isinstance(sheet, MEANT) and sheet.isVisible():
                sheet.close()
    assert shown.windows == []


async def test_pages_without_a_chat_show_no_window(window: MainWindow, shown: Shown) -> None:
    for key in PAGES:
        window.show_page(key)
        await asyncio.sleep(0.02)
    assert shown.windows == []
