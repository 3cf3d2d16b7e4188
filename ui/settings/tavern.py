"""Where SillyTavern is, and the bridge in each of its user folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import ElidedLabel, Label
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T3_ROLE

if TYPE_CHECKING:
    from app.sillytavern.bridge_installer import BridgeStatus


class FactRow(QWidget):
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


class BridgeRow(FactRow):
    """One user folder with the state of its bridge.

    Signals:
        install_wanted, remove_wanted: Path of the user folder.
    """

    install_wanted = Signal(object)
    remove_wanted = Signal(object)

    def __init__(self, user_folder: Path, fact: str) -> None:
        super().__init__(str(user_folder), fact)
        self.user_folder = user_folder
        self._install = Button("Install the bridge", icon="plug")
        self._install.clicked.connect(self._on_install)
        self._remove = Button("Remove", role=ButtonRole.QUIET)
        self._remove.setAccessibleName("Remove the bridge")
        self._remove.clicked.connect(self._on_remove)
        self._install.hide()
        self._remove.hide()
        self.row.addWidget(self._remove)
        self.row.addWidget(self._install)

    def show_status(self, status: BridgeStatus) -> None:
        """Say whether it stands, and offer what can be done."""
        self.fact.setText(status.sentence)
        self._remove.setVisible(status.installed)
        self._install.setVisible(not status.installed or status.newer_available)
        self._install.set_text("Bring it up to date" if status.installed else "Install the bridge")

    def _on_install(self) -> None:
        self.install_wanted.emit(self.user_folder)

    def _on_remove(self) -> None:
        self.remove_wanted.emit(self.user_folder)
