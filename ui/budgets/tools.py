"""What the budgets page has in the window's header: whose prompt, simple or advanced, and reset."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.core.translation import tr
from app.settings.slots import ADVANCED, SIMPLE
from ui.budgets.commands import BudgetCommands
from ui.controls.buttons import Button, ButtonRole
from ui.controls.fields import Segments
from ui.shell.member_choice import MemberChoice


class BudgetTools(QWidget):
    """The words follow the page's actions."""

    def __init__(
        self, commands: BudgetCommands, members: MemberChoice, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._commands = commands
        self.modes = Segments(tr("Budgets"), {SIMPLE: tr("Simple"), ADVANCED: tr("Advanced")})
        self.modes.chosen.connect(self._on_mode)
        self.reset = Button(tr("Reset"), icon="undo", role=ButtonRole.QUIET)
        self.reset.follow(commands.reset_all)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(members)
        row.addWidget(self.modes)
        row.addWidget(self.reset)

    def show_mode(self, mode: str) -> None:
        """SIMPLE or ADVANCED."""
        self.modes.choose(mode)

    def _on_mode(self, mode: str) -> None:
        (self._commands.simple if mode == SIMPLE else self._commands.advanced).trigger()
