"""A line that says what was done, with the ways on there are."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.core.translation import tr
from ui.controls.buttons import Button, IconButton
from ui.controls.labels import Label
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.icons import icon_pixmap


class PromptNote(QWidget):
    """Hidden while it has nothing to say.

    Signals:
        chosen: key of a way on.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = Label(font=ui_font(12, MEDIUM), wraps=True)
        self._ways = QHBoxLayout()
        self._ways.setSpacing(8)
        self.buttons: dict[str, Button] = {}
        close = IconButton("cross", tr("Close this note"), side=24, icon_size=13)
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(42, 6, 16, 6)
        row.setSpacing(8)
        row.addWidget(self._words, 1)
        row.addLayout(self._ways)
        row.addWidget(close)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; "" while hidden."""
        return self._words.text() if not self.isHidden() else ""

    def say(self, sentence: str, ways: Mapping[str, str] | None = None) -> None:
        """Say it. ways: words of buttons by key."""
        self._words.setText(sentence)
        for button in self.buttons.values():
            self._ways.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = {}
        for key, words in (ways or {}).items():
            button = Button(words)
            button.setProperty("way", key)
            button.clicked.connect(self._on_clicked)
            self.buttons[key] = button
            self._ways.addWidget(button)
        self.show()

    def _on_clicked(self) -> None:
        button = self.sender()
        if button is not None:
            self.hide()
            self.chosen.emit(str(button.property("way")))

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        painter.fillRect(self.rect(), t.well)
        pixmap = icon_pixmap("info", t.t2, 14, self.devicePixelRatioF())
        painter.drawPixmap(18, (self.height() - 14) // 2, pixmap)
