"""What the minds page has in the window's header: map or table, secrets, and the leak check."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.translation import tr
from ui.controls.buttons import Button
from ui.controls.fields import Segments
from ui.minds.deeds import MindDeeds

MAP, TABLE = "map", "table"


class MindTools(QWidget):
    """The words follow the page's actions."""

    def __init__(self, deeds: MindDeeds, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._deeds = deeds
        self.views = Segments(tr("View"), {MAP: tr("Map"), TABLE: tr("Table")})
        self.views.choose(MAP)
        self.views.chosen.connect(self._on_view)
        self.secrets = Button(tr("Show secrets"), icon="eye")
        self.secrets.follow(deeds.secrets)
        self.leaks = Button(tr("Check for leaks"), icon="triangle")
        self.leaks.follow(deeds.leaks)
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
        (self._deeds.map if key == MAP else self._deeds.table).trigger()
