"""A setting as a row: label, help, the control that fits its kind, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.core.translation import tr
from app.settings.setting import Setting
from app.settings.values import ValueInForce
from ui.controls.buttons import Button, ButtonRole, Switch
from ui.controls.fields import FIELD_HEIGHT, Choice, Field
from ui.controls.labels import Label, safe_tip
from ui.controls.people_field import PeopleField
from ui.controls.rules_editor import RulesEditor
from ui.controls.setting_sections import Row
from ui.controls.setting_template import TemplateEditor
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T2_ROLE, T3_ROLE

NUMBER_WIDTH = 96
TEXT_WIDTH = 240


def _is_for_the_window(event: QEvent, field: QAbstractSpinBox) -> bool:
    """Whether a key is undo or redo, and a field has no typing of its own to undo or redo."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    line = field.lineEdit()
    return (event.matches(QKeySequence.StandardKey.Undo) and not line.isUndoAvailable()) or (
        event.matches(QKeySequence.StandardKey.Redo) and not line.isRedoAvailable()
    )


def _take_empty(field: QSpinBox | QDoubleSpinBox) -> None:
    """Who empties a field whose least number has a name of its own means that: "None"."""
    if field.specialValueText() and not field.lineEdit().text().strip():
        field.setValue(field.minimum())  # type: ignore[arg-type]  # of its own kind


class NumberField(QSpinBox):
    """A whole number; the arrow keys step it, a wheel over it scrolls the page instead. Emptied, it
    is what minimum_word names.
    """

    def __init__(self, name: str, minimum: int, maximum: int, minimum_word: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setRange(minimum, maximum)
        self.setSpecialValueText(minimum_word[:1].upper() + minimum_word[1:])
        if minimum_word:
            self.setToolTip(tr("Leave it empty for “{word}”.", word=self.specialValueText()))
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setGroupSeparatorShown(True)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFont(ui_font(12.5, MEDIUM))
        self.setFixedSize(NUMBER_WIDTH, FIELD_HEIGHT)
        self.lineEdit().setTextMargins(4, 0, 6, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            _take_empty(self)
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        _take_empty(self)
        super().focusOutEvent(event)

    def event(self, event: QEvent) -> bool:
        if _is_for_the_window(event, self):
            event.ignore()
            return False
        return super().event(event)


class DecimalField(QDoubleSpinBox):
    """A number with a fraction; else as NumberField."""

    def __init__(self, name: str, minimum: float, maximum: float, minimum_word: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setDecimals(3)
        self.setRange(minimum, maximum)
        self.setSpecialValueText(minimum_word[:1].upper() + minimum_word[1:])
        if minimum_word:
            self.setToolTip(tr("Leave it empty for “{word}”.", word=self.specialValueText()))
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFont(ui_font(12.5, MEDIUM))
        self.setFixedSize(NUMBER_WIDTH, FIELD_HEIGHT)
        self.lineEdit().setTextMargins(4, 0, 6, 0)

    def textFromValue(self, value: float) -> str:
        shown = self.locale().toString(value, "f", 3)
        return shown.rstrip("0").rstrip(self.locale().decimalPoint())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            _take_empty(self)
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        _take_empty(self)
        super().focusOutEvent(event)

    def event(self, event: QEvent) -> bool:
        if _is_for_the_window(event, self):
            event.ignore()
            return False
        return super().event(event)


class SettingRow(Row):
    """Shows one setting of the registry.

    Signals:
        chosen: (name, value) by the user.
        reset_asked: name; what holds without a value of its own is to hold again.
    """

    chosen = Signal(str, object)
    reset_asked = Signal(str)

    def __init__(self, setting: Setting[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setting = setting
        self._note = Label(font=ui_font(11.5, MEDIUM), tone=T2_ROLE, wraps=True)
        self._note.hide()
        self.reset = Button(tr("Reset"), role=ButtonRole.QUIET, icon="undo")
        self.reset.setAccessibleName(tr("Reset: {label}", label=setting.label))
        self.reset.clicked.connect(self._on_reset)
        self.reset.hide()
        self.control = self._control()
        self.control.setAccessibleDescription(setting.help)
        self._lay_out()

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(Label(self.setting.label, font=ui_font(12.5, MEDIUM)))
        words.addWidget(Label(self.setting.help, font=ui_font(11.5), tone=T3_ROLE, wraps=True))
        words.addWidget(self._note)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addLayout(words, 1)
        head.addSpacing(16)
        head.addWidget(self.reset, 0, Qt.AlignmentFlag.AlignVCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 9, 14, 9)
        column.setSpacing(8)
        column.addLayout(head)
        if isinstance(self.control, TemplateEditor):
            column.addWidget(self.control)
        else:
            head.addWidget(self.control, 0, Qt.AlignmentFlag.AlignVCenter)

    @property
    def note(self) -> str:
        """What is said beneath the help, "" for nothing."""
        return self._note.text()

    def matches(self, text: str) -> bool:
        """Whether label or help hold the text; `text` is casefolded."""
        return text in f"{self.setting.label}\n{self.setting.help}".casefold()

    def show_value(self, held: ValueInForce, *, origin: str = "", notes: str = "") -> None:
        """Show what is in force, without telling `chosen`.

        origin: what the value without one of its own is called. notes: further sentences.
        """
        setting = self.setting
        origin = origin or tr("Default")
        said = [] if not held.is_own else [f"{origin}: {setting.word(held.base)}."]
        if setting.is_long and said:
            said = [tr("Changed.")]
        self._note.setText(" ".join(filter(None, (*said, notes))))
        self._note.setVisible(bool(self._note.text()))
        self.reset.setVisible(held.is_own)
        back = tr("Reset to: {word}", word=setting.word(held.base)) if not setting.is_long else ""
        self.reset.setToolTip(safe_tip(back))
        with QSignalBlocker(self.control):
            self._put(held.value)

    def offer_people(self, names: Sequence[str]) -> None:
        """Names that may be chosen, where the setting is a list of some."""
        if isinstance(self.control, PeopleField):
            self.control.offer(names)

    def try_on(self, texts: Sequence[str]) -> None:
        """Texts of messages, where the setting says what is left out of some."""
        if isinstance(self.control, RulesEditor):
            self.control.try_on(texts)

    def set_effective(self, is_effective: bool, reason: str) -> None:
        """Whether the setting does anything as the others are; `reason` says why it does not."""
        self.control.setEnabled(is_effective)
        self.setToolTip("" if is_effective else reason)

    def _put(self, value: Any) -> None:
        match self.control:
            case Switch() as switch:
                switch.setChecked(bool(value))
                switch.update()
            case NumberField() as number:
                number.setValue(int(value))
            case DecimalField() as decimal:
                decimal.setValue(float(value))
            case PeopleField() as people:
                people.show_text(str(value))
            case Field() as field:
                if field.text() != str(value):  # else the cursor would jump while one writes
                    field.setText(str(value))
            case Choice() as choice:
                choice.setCurrentIndex(choice.findData(value))
            case TemplateEditor() as editor:
                editor.show_text(str(value))

    def _control(self) -> QWidget:
        setting = self.setting
        if setting.choices:
            choice = Choice(setting.label)
            for value in setting.choices:
                word = setting.word(value)
                choice.addItem(word[:1].upper() + word[1:], value)
            choice.activated.connect(self._on_choice)
            return choice
        if isinstance(setting.default, bool):
            switch = Switch(setting.label)
            switch.toggled.connect(self._on_value)
            return switch
        if setting.is_rules:
            rules = RulesEditor(setting.label)
            rules.kept.connect(self._on_value)
            return rules
        if setting.is_long:
            editor = TemplateEditor(
                setting.label, setting.placeholder, keeps_text=setting.keeps_text
            )
            editor.kept.connect(self._on_value)
            return editor
        if setting.lists_people:
            people = PeopleField(setting.label)
            people.changed.connect(self._on_value)
            return people
        if isinstance(setting.default, str):
            field = Field(setting.label)
            field.setFixedWidth(TEXT_WIDTH)
            field.editingFinished.connect(self._on_text)
            return field
        if isinstance(setting.default, float):
            least, most = setting.minimum or 0.0, setting.maximum or 1_000_000.0
            decimal = DecimalField(setting.label, least, most, tr(setting.minimum_word))
            decimal.valueChanged.connect(self._on_value)
            return decimal
        number = NumberField(
            setting.label,
            int(setting.minimum or 0),
            int(setting.maximum or 1_000_000),
            tr(setting.minimum_word),
        )
        number.valueChanged.connect(self._on_value)
        return number

    def _on_text(self) -> None:
        if isinstance(self.control, Field) and self.control.isModified():
            self.control.setModified(False)
            self.chosen.emit(self.setting.name, self.control.text().strip())

    def _on_value(self, value: object) -> None:
        self.chosen.emit(self.setting.name, value)

    def _on_choice(self, row: int) -> None:
        if isinstance(self.control, Choice):
            self.chosen.emit(self.setting.name, self.control.itemData(row))

    def _on_reset(self) -> None:
        self.reset_asked.emit(self.setting.name)
