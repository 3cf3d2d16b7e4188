"""The focus ring: shown around the control that the keyboard reached, never after a click."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFocusFrame, QLineEdit, QWidget


class FocusRing(QObject):
    """Holds the one focus frame of a window and moves it.

    The window calls `announce_key` when Tab moves the focus; any other way leaves no ring.
    """

    def __init__(self, application: QApplication, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._frame = QFocusFrame(window)
        self._by_key = False
        application.focusChanged.connect(self._on_focus_changed)

    def announce_key(self) -> None:
        """The next change of focus comes from the keyboard."""
        self._by_key = True

    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        shows = (
            self._by_key
            and new is not None
            and self._window.isAncestorOf(new)
            # Fields and lists draw their own: a lit edge, a ring in the row.
            and not isinstance(new, QLineEdit | QAbstractScrollArea)
            and not new.testAttribute(Qt.WidgetAttribute.WA_MacShowFocusRect)
        )
        self._by_key = False
        self._frame.setWidget(new if shows else None)  # type: ignore[arg-type]
