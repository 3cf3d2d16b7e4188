"""What the story page shows while there is no story to show: nothing yet, reading, an error."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.core.translation import tr
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import body
from ui.controls.timers import once
from ui.story.messages.geometry import MESSAGE_GAP, column_in
from ui.theme.icons import icon_pixmap
from ui.theme.source import ThemeSource
from ui.theme.style import rounded

SPEAKS_AFTER_MS = 400
ROW_HEIGHTS = (92, 164, 116, 188, 92, 140, 164)
WIDTH = 420


class ReadingState(QWidget):
    """Rows of the column's shape, still; after 400 ms a line that says what is read."""

    def __init__(self, theme: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._line = body(tr("Reading the chat"))
        self._line.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column = QVBoxLayout(self)
        column.addStretch(2)
        column.addWidget(self._line)
        column.addStretch(3)
        self._patience = once(self, SPEAKS_AFTER_MS, self._line.show)

    def begin(self, title: str) -> None:
        """Start to wait for a chat."""
        self._line.setText(tr("Reading {title}", title=title) if title else tr("Reading the chat"))
        self._line.hide()
        self._patience.start()

    def end(self) -> None:
        self._patience.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        column = column_in(self.width())
        y = 12
        for height in ROW_HEIGHTS:
            row = QRectF(column.card_left, y, column.card_width, height)
            rounded(painter, row, 8, self._theme.tokens.well)
            y += height + MESSAGE_GAP


class Sentence(QWidget):
    """One sentence at 40 % height, with a button and a link to the demo story.

    Signals:
        button_pressed, demo_asked.
    """

    button_pressed = Signal()
    demo_asked = Signal()

    def __init__(self, theme: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = QLabel()
        self._text = body()
        self._text.setFixedWidth(WIDTH)
        self._button = Button("", role=ButtonRole.MAIN)
        self._demo = Button(tr("Open the demo story"), role=ButtonRole.QUIET)
        self._button.clicked.connect(self.button_pressed)
        self._demo.clicked.connect(self.demo_asked)
        self._lay_out()

    def _lay_out(self) -> None:
        says = QHBoxLayout()
        says.setSpacing(10)
        says.addStretch(1)
        says.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        says.addWidget(self._text)
        says.addStretch(1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self._button)
        buttons.addWidget(self._demo)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.addStretch(2)
        column.addLayout(says)
        column.addSpacing(16)
        column.addLayout(buttons)
        column.addStretch(3)

    def say(
        self, sentence: str, *, button: str = "", demo: bool = False, failed: bool = False
    ) -> None:
        """Say one sentence. failed: with the triangle of errors."""
        self._text.setText(sentence)
        self._text.setAlignment(
            Qt.AlignmentFlag.AlignLeft if failed else Qt.AlignmentFlag.AlignHCenter
        )
        self._icon.setVisible(failed)
        if failed:
            ink = self._theme.tokens.failed.text
            self._icon.setPixmap(icon_pixmap("triangle", ink, 16, self.devicePixelRatioF()))
        self._button.set_text(button)
        self._button.setVisible(bool(button))
        self._demo.setVisible(demo)
