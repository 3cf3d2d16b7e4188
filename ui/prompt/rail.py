"""The prompt to come and the turns that were sent: the pane at the left of the prompt page."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import N_, tr
from ui.controls.labels import Label, body
from ui.prompt.turn_rows import COMING
from ui.recaps.version_list import VersionList
from ui.recaps.version_rows import VersionModel
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T2_ROLE, T3_ROLE

NO_TURNS = N_(
    "Each prompt that SillyTavern sends while Tavernkeep is running appears here: the last 50 of "
    "each chat."
)

TIPS = (N_("Put this turn on the left to compare. (L)"), N_("Put this turn on the right. (R)"))


class TurnRail(QWidget):
    """Owns the list; `model` holds its rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = VersionModel()
        self.list = VersionList(self.model, tips=TIPS)
        self.list.setAccessibleName(tr("Turns"))
        self._nothing = body(tr(NO_TURNS))
        title = QHBoxLayout()
        title.setContentsMargins(8, 0, 7, 0)
        title.addWidget(Label(tr("Turns"), font=ui_font(12, MEDIUM), tone=T2_ROLE))
        title.addStretch(1)
        title.addWidget(Label(tr("tokens"), font=ui_font(12), tone=T3_ROLE))
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 5, 6)
        column.setSpacing(0)
        column.addLayout(title)
        column.addSpacing(4)
        column.addWidget(self.list, 1)
        column.addWidget(self._nothing)
        self._nothing.setContentsMargins(8, 0, 8, 12)
        self.setMinimumWidth(180)

    def show_has_turns(self, has_turns: bool) -> None:
        """Say what will stand here while there is nothing but the prompt to come."""
        self._nothing.setVisible(not has_turns)

    def choose(self, number: int) -> None:
        """Turn to a row, by its number; the prompt to come where it is gone."""
        index = self.model.index_of(number)
        if not index.isValid():
            index = self.model.index_of(COMING)
        self.list.setCurrentIndex(index)
