"""The focus ring: shown around the control that the keyboard reached, never after a click."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QFocusFrame,
    QLineEdit,
    QScrollArea,
    QWidget,
)


class FocusRing(QObject):
    """Holds the one focus frame of a window and moves it.

    The window calls `announce_key` when Tab moves the focus, and whoever puts the keyboard on a
    control `announce`; arrows among the words of one choice take the ring along. Any other way
    leaves none.
    """

    def __init__(self, application: QApplication, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._frame = QFocusFrame(window)
        self._by_key = False
        application.focusChanged.connect(self._on_focus_changed)

    @property
    def shown_on(self) -> QWidget | None:
        """What it is drawn around now."""
        return self._frame.widget()

    def announce_key(self) -> None:
        """The next change of focus comes from the keyboard."""
        self._by_key = True

    def show_on(self, control: QWidget) -> None:
        """Draw it around a control that is about to have the focus, or has it."""
        self._by_key = not control.hasFocus()
        if control.hasFocus():
            self._frame.setWidget(control if self._is_for(control) else None)  # type: ignore[arg-type]

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if new is None:  # the window stands behind another one, such as a list of choices
            self._frame.setWidget(None)  # type: ignore[arg-type]
            return
        goes_along = (
            old is not None
            and old is self._frame.widget()
            and old.parentWidget() is new.parentWidget()
            and QApplication.mouseButtons() == Qt.MouseButton.NoButton
        )
        shows = (self._by_key or goes_along) and self._is_for(new)
        self._by_key = False
        self._frame.setWidget(new if shows else None)  # type: ignore[arg-type]

    def _is_for(self, control: QWidget) -> bool:
        """Fields and lists draw their own: a lit edge, a ring in the row; what is only scrolled
        does not.
        """
        draws_own = isinstance(control, QLineEdit | QAbstractScrollArea)
        return (
            self._window.isAncestorOf(control)
            and (not draws_own or isinstance(control, QScrollArea))
            and not control.testAttribute(Qt.WidgetAttribute.WA_MacShowFocusRect)
        )


def announce(control: QWidget) -> None:
    """The keyboard is put on a control, which shows it."""
    ring = control.window().findChild(FocusRing)
    if ring is not None:
        ring.show_on(control)


def ask_for_menu(control: QWidget) -> None:
    """Open the menu of what has the focus, as the menu key does."""
    reason = QContextMenuEvent.Reason.Keyboard
    at = control.rect().center()
    QApplication.sendEvent(control, QContextMenuEvent(reason, at, control.mapToGlobal(at)))
