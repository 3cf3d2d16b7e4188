"""No part of the settings is a window of its own while the page is made."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from ui.program.main_window import MainWindow


class Shown(QObject):
    """Hears which widgets are shown as windows."""

    def __init__(self) -> None:
        super().__init__()
        self.windows: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.windows.append(f"{type(watched).__name__} {watched.accessibleName()}")
        return False


async def test_opening_the_settings_shows_no_window(
    demo_window: MainWindow, qapp: QApplication
) -> None:
    """Tiny windows without a title flashed over the screen when the settings were opened first."""
    shown = Shown()
    qapp.installEventFilter(shown)
    try:
        demo_window.show_page("settings")
    finally:
        qapp.removeEventFilter(shown)
    assert shown.windows == []
