"""What kept a step of the first run from being done, beneath the step it is about."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout

from ui.controls.labels import ToneLabel
from ui.controls.surfaces import Surface
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.icons import icon_pixmap

ICON = 15


class ProblemLine(Surface):
    """A triangle and a sentence; hidden while there is nothing to say."""

    def __init__(self) -> None:
        super().__init__("raised", edge="line2")
        self._words = ToneLabel(font=ui_font(13, MEDIUM))
        row = QHBoxLayout(self)
        row.setContentsMargins(ICON + 26, 10, 14, 10)
        row.addWidget(self._words, 1, Qt.AlignmentFlag.AlignVCenter)
        self.hide()

    @property
    def text(self) -> str:
        return self._words.text()

    def say(self, sentence: str) -> None:
        """Say what went wrong; nothing for ""."""
        self._words.show_words(sentence, "failed")
        self.setAccessibleName(sentence)
        self.setVisible(bool(sentence))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        ink = current_tokens().failed.text
        pixmap = icon_pixmap("triangle", ink, ICON, self.devicePixelRatioF())
        QPainter(self).drawPixmap(14, (self.height() - ICON) // 2, pixmap)
