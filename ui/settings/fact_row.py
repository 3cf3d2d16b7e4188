"""A row of the settings that only says how something stands."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from ui.controls.buttons import Button
from ui.controls.labels import ElidedLabel, Label
from ui.controls.setting_sections import Row
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T3_ROLE


class FactRow(Row):
    """A title, a fact beneath it, and a button."""

    def __init__(self, title: str, fact: str, button: Button | None = None) -> None:
        super().__init__()
        words = QVBoxLayout()
        words.setSpacing(1)
        self.title = ElidedLabel(title, font=ui_font(12.5, MEDIUM))
        self.fact = Label(fact, font=ui_font(11.5), tone=T3_ROLE, wraps=True)
        words.addWidget(self.title)
        words.addWidget(self.fact)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(14, 9, 14, 9)
        self.row.setSpacing(8)
        self.row.addLayout(words, 1)
        if button is not None:
            self.row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)

    def matches(self, text: str) -> bool:
        """Whether title or fact hold the text; `text` is casefolded."""
        return text in f"{self.title.text()}\n{self.fact.text()}".casefold()
