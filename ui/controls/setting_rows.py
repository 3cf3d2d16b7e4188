"""A setting as a row: label, help, the control that fits its kind, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import tr, tr_in
from app.settings.setting import Setting
from app.settings.values import ValueInForce
from ui.controls.buttons import IconButton, Switch, keep_place
from ui.controls.fields import Choice, Field
from ui.controls.labels import ElidedLabel, Label, safe_tip
from ui.controls.number_fields import DecimalField, NumberField
from ui.controls.people_field import PeopleField
from ui.controls.rules_editor import RulesEditor
from ui.controls.setting_sections import Row
from ui.controls.setting_template import TemplateEditor
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T2_ROLE, T3_ROLE

TEXT_WIDTH = 240
NARROW_CHOICE = 160  # px, in a narrow window


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
        self._base = ElidedLabel(font=ui_font(11.5, MEDIUM), tone=T2_ROLE)
        self._note = Label(font=ui_font(11.5, MEDIUM), tone=T2_ROLE, wraps=True)
        self._note.hide()
        self.reset = IconButton("undo", tr("Reset: {label}", label=setting.label))
        self.reset.clicked.connect(self._on_reset)
        keep_place(self.reset)  # what one just changed must not move under the pointer
        self.reset.hide()
        self.control = self._control()
        self.control.setAccessibleDescription(setting.help)
        self._lay_out()

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(1)
        first = QHBoxLayout()
        first.setSpacing(10)
        first.addWidget(Label(self.setting.label, font=ui_font(12.5, MEDIUM)))
        first.addWidget(self._base, 1)
        words.addLayout(first)
        words.addWidget(Label(self.setting.help, font=ui_font(11.5), tone=T3_ROLE, wraps=True))
        words.addWidget(self._note)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addLayout(words, 1)
        head.addSpacing(8)
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
        """What is said beside the label and beneath the help, "" for nothing."""
        return " ".join(filter(None, (self._base.text(), self._note.text())))

    def matches(self, text: str) -> bool:
        """Whether label or help hold the text; `text` is casefolded."""
        return text in f"{self.setting.label}\n{self.setting.help}".casefold()

    def show_value(self, held: ValueInForce, *, origin: str = "", notes: str = "") -> None:
        """Show what is in force, without telling `chosen`.

        origin: what the value without one of its own is called. notes: further sentences.
        """
        setting = self.setting
        origin = origin or tr("Default")
        base = setting.word(held.base) or tr_in("a field", "empty")
        said = f"{origin}: {base}." if held.is_own else ""
        self._base.setText(tr("Changed.") if said and setting.is_long else said)
        self._note.setText(notes)
        self._note.setVisible(bool(notes))
        self.reset.setVisible(held.is_own)
        back = tr("Reset to: {word}", word=base) if not setting.is_long else ""
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
            choice.setMinimumWidth(min(NARROW_CHOICE, choice.sizeHint().width()))
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
