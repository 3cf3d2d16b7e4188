"""A titled group of rows on one raised card."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.controls.labels import body, section
from ui.controls.surfaces import Line, Surface
from ui.theme import current_tokens
from ui.theme.style import rounded


class Row(QWidget):
    """One row of a section; marked when somebody was led to it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.is_marked = False

    def mark(self, is_marked: bool) -> None:
        """Let it stand out, or no longer."""
        if is_marked != self.is_marked:
            self.is_marked = is_marked
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.is_marked:
            t, painter = current_tokens(), QPainter(self)
            area = QRectF(self.rect()).adjusted(3, 3, -3, -3)
            rounded(painter, area, 6, t.accent_soft, t.ring if t.is_contrast else None)
            rounded(painter, QRectF(3, 11, 3, self.height() - 22), 1.5, t.ring)


class Section(QWidget):
    """Title, one sentence, and a card whose rows hairlines divide."""

    def __init__(self, title: str, sentence: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self._shown: list[tuple[Line, QWidget]] = []
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

    @property
    def rows(self) -> tuple[QWidget, ...]:
        """The rows, shown or not."""
        return tuple(row for _, row in self._shown)

    def add_row(self, row: QWidget) -> None:
        """Put a row at the end of the card."""
        line = Line()
        self._rows.addWidget(line)  # first: shown without a parent, it were a window
        line.setVisible(bool(self._shown))
        self._rows.addWidget(row)
        self._shown.append((line, row))

    def show_rows(self, wanted: frozenset[QWidget]) -> None:
        """Show these rows only; without any, nothing of the section."""
        is_first = True
        for line, row in self._shown:
            is_wanted = row in wanted
            line.setVisible(is_wanted and not is_first)
            row.setVisible(is_wanted)
            is_first = is_first and not is_wanted
        self.setVisible(not is_first)

    def clear(self) -> None:
        """Take all rows out."""
        self._shown.clear()
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
