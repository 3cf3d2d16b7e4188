"""What the minds page has in the window's header: map or table, secrets, and the leak check."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.core.translation import tr
from ui.controls.buttons import Button
from ui.controls.fields import Segments
from ui.minds.commands import MindCommands

MAP, TABLE = "map", "table"


class MindTools(QWidget):
    """The words follow the page's actions."""

    def __init__(self, commands: MindCommands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self.views = Segments(tr("View"), {MAP: tr("Map"), TABLE: tr("Table")})
        self.views.choose(MAP)
        self.views.chosen.connect(self._on_view)
        self.secrets = Button(tr("Show secrets"), icon="eye")
        self.secrets.follow(commands.secrets)
        self.leaks = Button(tr("Check for leaks"), icon="triangle")
        self.leaks.follow(commands.leaks)
        self._view = MAP
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.views)
        row.addSpacing(4)
        row.addWidget(self.secrets)
        row.addWidget(self.leaks)

    @property
    def is_table(self) -> bool:
        """Whether the table is wanted in place of the map."""
        return self._view == TABLE

    def show_view(self, key: str) -> None:
        """MAP or TABLE."""
        self._view = key
        self.views.choose(key)

    def show_lifted(self, is_lifted: bool) -> None:
        """Say what a press would do now."""
        words = tr("Hide secrets") if is_lifted else tr("Show secrets")
        self.secrets.set_text(words)
        self.secrets.set_icon("eye-off" if is_lifted else "eye")

    def _on_view(self, key: str) -> None:
        (self._commands.map if key == MAP else self._commands.table).trigger()
