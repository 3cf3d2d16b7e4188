"""Fields for numbers, whole ones and such with a fraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox

from app.core.translation import tr
from ui.controls.fields import FIELD_HEIGHT
from ui.theme.fonts import MEDIUM, ui_font

NUMBER_WIDTH = 96

if TYPE_CHECKING:
    _Spin = QAbstractSpinBox
else:
    _Spin = object  # two classes of Qt do not stand above one


class _Written(_Spin):
    """What both kinds have in common: the arrow keys step it, a wheel over it scrolls the page
    instead. Emptied, it is what minimum_word names.
    """

    def _dress(self, name: str, minimum_word: str) -> None:
        self.setAccessibleName(name)
        self.setSpecialValueText(minimum_word[:1].upper() + minimum_word[1:])
        if minimum_word:
            self.setToolTip(tr("Leave it empty for “{word}”.", word=self.specialValueText()))
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFont(ui_font(12.5, MEDIUM))
        self.setFixedSize(NUMBER_WIDTH, FIELD_HEIGHT)
        self.lineEdit().setTextMargins(4, 0, 6, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take_empty()
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._take_empty()
        super().focusOutEvent(event)

    def event(self, event: QEvent) -> bool:
        if self._is_for_the_window(event):
            event.ignore()
            return False
        return super().event(event)

    def _take_empty(self) -> None:
        """Who empties a field whose least number has a name of its own means that: "None"."""
        if self.specialValueText() and not self.lineEdit().text().strip():
            self._put_least()

    def _put_least(self) -> None:
        raise NotImplementedError

    def _is_for_the_window(self, event: QEvent) -> bool:
        """Whether a key is undo or redo, and the field has no typing of its own to undo or redo."""
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        line = self.lineEdit()
        return (event.matches(QKeySequence.StandardKey.Undo) and not line.isUndoAvailable()) or (
            event.matches(QKeySequence.StandardKey.Redo) and not line.isRedoAvailable()
        )


class NumberField(_Written, QSpinBox):
    """A whole number."""

    def __init__(self, name: str, minimum: int, maximum: int, minimum_word: str = "") -> None:
        super().__init__()
        self._dress(name, minimum_word)
        self.setRange(minimum, maximum)
        self.setGroupSeparatorShown(True)

    def _put_least(self) -> None:
        self.setValue(self.minimum())


class DecimalField(_Written, QDoubleSpinBox):
    """A number with a fraction."""

    def __init__(self, name: str, minimum: float, maximum: float, minimum_word: str = "") -> None:
        super().__init__()
        self._dress(name, minimum_word)
        self.setDecimals(3)
        self.setRange(minimum, maximum)
        self.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)

    def _put_least(self) -> None:
        self.setValue(self.minimum())

    def textFromValue(self, value: float) -> str:
        shown = self.locale().toString(value, "f", 3)
        return shown.rstrip("0").rstrip(self.locale().decimalPoint())
