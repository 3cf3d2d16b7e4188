"""A setting as a row: label, help, and the control that fits its kind."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from app.setting import Setting
from ui.controls.buttons import Switch
from ui.controls.fields import FIELD_HEIGHT, Choice
from ui.controls.labels import Label
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T3_ROLE

CHOICE_WORDS = {
    -1: "nowhere",
    0: "after the main prompt",
    1: "in the chat",
    2: "before the main prompt",
}


class NumberField(QSpinBox):
    """A whole number; the arrow keys step it, a wheel over it scrolls the page instead."""

    def __init__(self, name: str, minimum: int, maximum: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setRange(minimum, maximum)
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setGroupSeparatorShown(True)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFont(ui_font(12.5, MEDIUM))
        self.setFixedSize(96, FIELD_HEIGHT)
        self.lineEdit().setTextMargins(4, 0, 6, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class SettingRow(QWidget):
    """Shows one setting of the registry.

    Signals:
        chosen: (name, value) by the user.
    """

    chosen = Signal(str, object)

    def __init__(self, setting: Setting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setting = setting
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(Label(setting.label, font=ui_font(12.5, MEDIUM)))
        words.addWidget(Label(setting.help, font=ui_font(11.5), tone=T3_ROLE, wraps=True))
        self.control = self._control()
        self.control.setAccessibleDescription(setting.help)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 9, 14, 9)
        row.setSpacing(24)
        row.addLayout(words, 1)
        row.addWidget(self.control, 0, Qt.AlignmentFlag.AlignVCenter)

    def show_value(self, value: Any) -> None:
        """Show what is in force, without telling `chosen`."""
        with QSignalBlocker(self.control):
            match self.control:
                case Switch() as switch:
                    switch.setChecked(bool(value))
                    switch.update()
                case NumberField() as number:
                    number.setValue(int(value))
                case Choice() as choice:
                    choice.setCurrentIndex(choice.findData(value))

    def _control(self) -> QWidget:
        setting = self.setting
        if setting.choices:
            choice = Choice(setting.label)
            for value in setting.choices:
                choice.addItem(CHOICE_WORDS.get(value, str(value)).capitalize(), value)
            choice.activated.connect(self._on_choice)
            return choice
        if isinstance(setting.default, bool):
            switch = Switch(setting.label)
            switch.toggled.connect(self._on_value)
            return switch
        number = NumberField(
            setting.label, int(setting.minimum or 0), int(setting.maximum or 1_000_000)
        )
        number.valueChanged.connect(self._on_value)
        return number

    def _on_value(self, value: object) -> None:
        self.chosen.emit(self.setting.name, value)

    def _on_choice(self, row: int) -> None:
        if isinstance(self.control, Choice):
            self.chosen.emit(self.setting.name, self.control.itemData(row))
