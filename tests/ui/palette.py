"""The command palette, used as a user does."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from ui.program.desk import Desk


def type_in_palette(desk: Desk, words: str) -> None:
    """As a user does: open it, type, press Return."""
    desk.open_palette()
    field = QApplication.focusWidget()
    assert field is not None
    QTest.keyClicks(field, words)
    QTest.keyClick(field, Qt.Key.Key_Return)
