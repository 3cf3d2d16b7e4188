"""Closing while the disk is full: what waits in memory would be lost, so it is asked first."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.companion import Companion
from app.core.translation import N_, tr
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label
from ui.theme.fonts import display_font, ui_font
from ui.theme.palette import FLOAT_ROLE, T2_ROLE

LOSS = N_(
    "The disk is full: {folder}. Everything new since then is held in memory only: your changes, "
    "recaps and memories. If you close Tavernkeep now, they are lost. Once there is room they "
    "are saved, and Tavernkeep closes by itself."
)


class LossWarning(QDialog):
    """Accepted to close: what waits is written meanwhile, or the user gives it up."""

    def __init__(self, companion: Companion, parent: QWidget) -> None:
        super().__init__(parent)
        self.setBackgroundRole(FLOAT_ROLE)
        self.setAutoFillBackground(True)
        self._companion = companion
        self.setWindowTitle(tr("The disk is full"))
        self.setFixedWidth(480)
        self.stay = Button(tr("Keep it open"), role=ButtonRole.MAIN)
        self.stay.clicked.connect(self.reject)
        self.give_up = Button(tr("Close and lose changes"))
        self.give_up.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(12)
        column.addWidget(Label(tr("Not everything is saved yet"), font=display_font(20)))
        words = tr(LOSS, folder=companion.folders.data)
        column.addWidget(Label(words, font=ui_font(12.5), tone=T2_ROLE, wraps=True))
        column.addSpacing(6)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.give_up)
        row.addWidget(self.stay)
        column.addLayout(row)
        self.setFixedHeight(self.heightForWidth(self.width()))  # else a longer text is cut
        self.stay.setFocus()
        companion.room.changed.connect(self._on_room)
        self.finished.connect(self._on_finished)

    def _on_room(self, _: None) -> None:
        if not self._companion.room.sentence:
            self.accept()

    def _on_finished(self) -> None:
        self._companion.room.changed.disconnect(self._on_room)
        self.deleteLater()
