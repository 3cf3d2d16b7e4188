"""What the budgets page has in the window's header: simple or advanced, and reset."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.prompt.budgets import ADVANCED, SIMPLE
from app.translation import tr
from ui.budgets.deeds import BudgetDeeds
from ui.controls.buttons import Button, ButtonRole
from ui.controls.fields import Segments


class BudgetTools(QWidget):
    """The words follow the page's actions."""

    def __init__(self, deeds: BudgetDeeds, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._deeds = deeds
        self.modes = Segments(tr("Budgets"), {SIMPLE: tr("Simple"), ADVANCED: tr("Advanced")})
        self.modes.chosen.connect(self._on_mode)
        self.reset = Button(tr("Reset"), icon="undo", role=ButtonRole.QUIET)
        self.reset.follow(deeds.reset_all)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.modes)
        row.addWidget(self.reset)

    def show_mode(self, mode: str) -> None:
        """SIMPLE or ADVANCED."""
        self.modes.choose(mode)

    def _on_mode(self, mode: str) -> None:
        (self._deeds.simple if mode == SIMPLE else self._deeds.advanced).trigger()
