"""A titled group of rows on one raised card."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.controls.labels import body, section
from ui.controls.surfaces import Line, Surface


class Section(QWidget):
    """Title, one sentence, and a card whose rows hairlines divide."""

    def __init__(self, title: str, sentence: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._card = Surface("raised", edge="line")
        self._rows = QVBoxLayout(self._card)
        self._rows.setContentsMargins(1, 1, 1, 1)
        self._rows.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(section(title))
        if sentence:
            column.addWidget(body(sentence))
        column.addSpacing(2)
        column.addWidget(self._card)

    def add_row(self, row: QWidget) -> None:
        """Put a row at the end of the card."""
        if self._rows.count():
            self._rows.addWidget(Line())
        self._rows.addWidget(row)

    def clear(self) -> None:
        """Take all rows out."""
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
