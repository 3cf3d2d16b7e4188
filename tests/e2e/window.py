"""Tavernkeep's window in the test process, beside SillyTavern's page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from app.companion import Companion
from app.core.tasks import TaskSupervisor
from ui.core.collecting import GuiThreadCollector
from ui.program.application import make_application
from ui.program.desk import Desk
from ui.program.main_window import MainWindow
from ui.theme import theme

BOUND_SECONDS = 30.0


class Window:
    """What a user sees of the window."""

    def __init__(self, shown: MainWindow, desk: Desk) -> None:
        self.shown = shown
        self.desk = desk
        self.notice = shown.frame.notice

    @property
    def chat(self) -> str:
        """Name of the chat that is shown, "" for none."""
        path = self.desk.session.path
        return "" if path is None else path.stem

    def fact(self, key: str) -> str:
        """What the status bar says of a part."""
        return self.shown.frame.status.sentence(key)

    async def shows(self, name: str) -> None:
        """Wait until it shows this chat."""
        await until(lambda: self.chat == name)


async def until(holds: Callable[[], object], seconds: float = BOUND_SECONDS) -> None:
    """Wait until something holds: much of what is waited for tells no signal."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@asynccontextmanager
async def open_window(companion: Companion) -> AsyncIterator[Window]:
    """The window itself; between the loop's own tasks Qt's events have their turn."""
    application = make_application()
    collector = GuiThreadCollector()
    collector.start()
    tasks = TaskSupervisor()
    tasks.spawn(_work_off(application), name="working off Qt's events")
    window = MainWindow(theme, TaskSupervisor())
    window.resize(1360, 860)
    window.show()
    window.attach(companion)
    assert window.desk is not None
    try:
        yield Window(window, window.desk)
    finally:
        await window.detach()
        window.hide()
        window.deleteLater()
        await tasks.aclose()
        application.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        del window
        collector.stop()


async def _work_off(application: QApplication) -> None:
    while True:
        application.processEvents()
        await asyncio.sleep(0.01)
