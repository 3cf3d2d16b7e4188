"""What can be done with the chosen memories, as buttons at the pane's foot."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import tr
from ui.controls.buttons import Button
from ui.controls.labels import Label
from ui.controls.surfaces import Line
from ui.memories.commands import MemoryCommands
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T2_ROLE

COLUMNS = 6  # two buttons in a row, of importance three


class CommandGrid(QWidget):
    """A hairline and the buttons beneath it; hidden while there is nothing to do."""

    def __init__(self, commands: MemoryCommands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self._buttons: list[Button] = []
        row = QWidget()
        self._grid = QGridLayout(row)
        self._grid.setContentsMargins(14, 10, 14, 12)
        self._grid.setSpacing(8)
        self._importance = Label(
            tr("Importance"), font=ui_font(12, MEDIUM), tone=T2_ROLE, parent=row
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Line())
        column.addWidget(row)

    def show_commands(self, wanted: Sequence[QAction]) -> None:
        """Offer those of these that can be done now."""
        for button in self._buttons:
            button.hide()
            self._grid.removeWidget(button)
            button.deleteLater()
        self._buttons = []
        levels, can = self._commands.importance, self._commands.can_change
        # A vanished control teaches nothing, but a full row of what never applies does no more.
        shown = [d for d in wanted if d.isEnabled() or (not can and d is self._commands.edit)]
        row = column = 0
        if not set(shown).isdisjoint(levels):
            self._grid.addWidget(self._importance, 0, 0, 1, COLUMNS)
            row = 1
        self._importance.setVisible(row > 0)
        for place, command in enumerate(shown):
            width = COLUMNS // 3 if command in levels else COLUMNS // 2
            if column + width > COLUMNS:
                row, column = row + 1, 0
            # The first of an odd number has a row of its own, so that none has a hole.
            alike = takewhile(lambda d: d not in levels, shown[place:])
            if command not in levels and column == 0 and len(list(alike)) % 2:
                width = COLUMNS
            button = self._button(command)
            self._grid.addWidget(button, row, column, 1, width)
            column += width
            self._buttons.append(button)
        self.setVisible(bool(shown))

    def _button(self, command: QAction) -> Button:
        icon = "" if command in self._commands.importance else self._commands.icons[command]
        button = Button(command.iconText(), icon=icon)
        button.follow(command)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        return button
