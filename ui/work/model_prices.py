"""What each model was asked for, and what the user pays for its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.model_use import ModelUse, Prices, Tariff, by_backend
from app.core.translation import N_, tr
from app.settings.tariff import HIGHEST
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import ElidedLabel, meta
from ui.controls.number_fields import DecimalField
from ui.controls.setting_sections import Row, Section
from ui.theme.fonts import MEDIUM, ui_font
from ui.work.use_words import sum_words

SENTENCE = N_(
    "What a million tokens cost with this model, read and written. Models without their own "
    "prices cost what the settings say."
)
READ, WRITTEN = N_("Read"), N_("Written")


class ModelPrices(Section):
    """Signals:
    priced: (name of the model, Prices), None for those of the settings.
    """

    priced = Signal(str, object)

    def __init__(self) -> None:
        super().__init__(tr("By model"), tr(SENTENCE))
        self.by_name: dict[str, ModelRow] = {}

    def show_uses(self, uses: Sequence[ModelUse], tariff: Tariff) -> None:
        """Show the models that were asked, the most used first, each with its prices."""
        for name, spent in by_backend(uses):
            row = self.by_name.get(name)
            if row is None:
                row = self.by_name[name] = ModelRow(name)
                row.priced.connect(partial(self.priced.emit, name))
                self.add_row(row)
            mine = [use for use in uses if use.backend == name]
            row.show_prices(
                sum_words(spent, tariff.price(mine)), tariff.of(name), is_own=name in tariff.own
            )


class ModelRow(Row):
    """Signals:
    priced: Prices of its own, None for those of the settings.
    """

    priced = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._words = meta("", wraps=True)
        self.read, self.written = (
            DecimalField(
                tr("{what}, price per million tokens of {model}", what=tr(what), model=name),
                0.0,
                HIGHEST,
                tr("none"),
            )
            for what in (READ, WRITTEN)
        )
        self.as_for_all = Button(tr("Same as for all"), role=ButtonRole.QUIET)
        self.as_for_all.setAccessibleName(tr("{model}: same prices as for all", model=name))
        self.as_for_all.clicked.connect(partial(self.priced.emit, None))
        told = QVBoxLayout()
        told.setSpacing(1)
        told.addWidget(ElidedLabel(name, font=ui_font(12.5, MEDIUM)))
        told.addWidget(self._words)
        line = QHBoxLayout(self)
        line.setContentsMargins(14, 9, 14, 9)
        line.setSpacing(8)
        line.addLayout(told, 1)
        for widget in (self.as_for_all, self._field(READ, self.read)):
            line.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(self._field(WRITTEN, self.written), 0, Qt.AlignmentFlag.AlignVCenter)
        for field in (self.read, self.written):
            field.valueChanged.connect(self._on_changed)

    def show_prices(self, words: str, prices: Prices, *, is_own: bool) -> None:
        """Show what it was asked for, and its prices; a field that is written in stays."""
        self._words.setText(words)
        self.as_for_all.setVisible(is_own)
        for field, value in ((self.read, prices.prompt), (self.written, prices.output)):
            if not field.hasFocus() or field.value() == value:
                with QSignalBlocker(field):
                    field.setValue(value)

    def _field(self, what: str, field: DecimalField) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(meta(tr(what)), 0, Qt.AlignmentFlag.AlignRight)
        column.addWidget(field)
        return holder

    def _on_changed(self) -> None:
        self.priced.emit(Prices(self.read.value(), self.written.value()))
