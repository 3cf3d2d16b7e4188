"""The pane at the right of the memories page: one memory, what waits for review, or a new one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from app.core.translation import number, tr
from ui.controls.fields import Segments
from ui.controls.surfaces import Line
from ui.memories.commands import MemoryCommands
from ui.memories.pane.adding import AddPane
from ui.memories.pane.detail import DetailPane
from ui.memories.pane.review import ReviewPane

DETAILS, REVIEW = "details", "review"


def has_focus_in(widget: QWidget) -> bool:
    """Whether the keyboard belongs to a widget or to something in it."""
    focus = QApplication.focusWidget()
    return focus is not None and (focus is widget or widget.isAncestorOf(focus))


class MemoryPane(QWidget):
    """Signals:
    changed: another of its sheets is shown.
    """

    changed = Signal()

    def __init__(self, commands: MemoryCommands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kinds = Segments(tr("Pane"), {DETAILS: tr("Details"), REVIEW: tr("Review")})
        self.kinds.choose(DETAILS)
        self.detail = DetailPane(commands)
        self.review = ReviewPane()
        self.adding = AddPane()
        self._stack = QStackedWidget()
        for widget in (self.detail, self.review, self.adding):
            self._stack.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 10, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.kinds, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(10)
        column.addWidget(Line())
        column.addWidget(self._stack, 1)
        self.kinds.chosen.connect(self.show_kind)

    @property
    def kind(self) -> str:
        """DETAILS or REVIEW; "" while a memory is written."""
        shown = self._stack.currentWidget()
        if shown is self.adding:
            return ""
        return REVIEW if shown is self.review else DETAILS

    def show_kind(self, key: str) -> None:
        """Show a sheet, and give the review the keyboard."""
        self.kinds.choose(key)
        # A sheet that goes would hand the keyboard to whatever stands next.
        had_focus = has_focus_in(self._stack)
        target: QWidget = self.review if key == REVIEW else self.detail.area
        self._stack.setCurrentWidget(self.review if key == REVIEW else self.detail)
        if key == REVIEW or had_focus:
            target.setFocus(Qt.FocusReason.OtherFocusReason)
        self.changed.emit()

    def show_adding(self) -> None:
        """Show the sheet for a new memory, which is neither of the two that have a word."""
        self.kinds.choose_none()
        self._stack.setCurrentWidget(self.adding)
        self.changed.emit()

    def show_waiting(self, count: int) -> None:
        """Say how many wait."""
        self.kinds.set_word(
            REVIEW, tr("Review {count}", count=number(count)) if count else tr("Review")
        )
