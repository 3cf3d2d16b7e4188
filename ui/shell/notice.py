"""The line under the header that says what went wrong, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ui.controls.buttons import Button, ButtonRole, IconButton
from ui.controls.labels import Label
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.icons import icon_pixmap

if TYPE_CHECKING:
    from app.work.catch_up import CatchUpPlan


def plan_sentence(plan: CatchUpPlan) -> str:
    """What recapping a backlog takes, before the user says yes."""
    search = ""
    if plan.search.requests:
        search = (
            f"Looking for scene breaks takes about {plan.search.requests:,} requests, at most "
            f"{plan.search.requests_at_most:,}; the scenes found are recapped then. "
        )
    if not plan.scenes:
        tokens = plan.prompt_tokens + plan.output_tokens
        return f"{search}About {tokens:,} tokens."
    scenes = "1 scene has" if plan.scenes == 1 else f"{plan.scenes:,} scenes have"
    requests = "1 request" if plan.requests == 1 else f"{plan.requests:,} requests"
    tokens = plan.prompt_tokens + plan.output_tokens
    work = "All of it" if search else "Writing them"
    return (
        f"{search}{scenes} no recap yet, #{plan.first} to #{plan.last}. {work} takes {requests} to "
        f"the model, about {tokens:,} tokens."
    )


class Notice(QWidget):
    """One sentence, at most one way on, and a way to close it. Hidden while there is none.

    Signals:
        acted: the way on was pressed.
    """

    acted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_failure = True
        self.setAccessibleName("Notice")
        row = QHBoxLayout(self)
        row.setContentsMargins(42, 7, 12, 7)
        row.setSpacing(8)
        self._sentence = Label(font=ui_font(12, MEDIUM), wraps=True)
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._way_on = Button("", role=ButtonRole.PLAIN)
        self._way_on.clicked.connect(self._on_acted)
        self._close = IconButton("cross", "Close this notice", side=24, icon_size=13)
        self._close.clicked.connect(self.hide)
        row.addWidget(self._sentence, 1)
        row.addWidget(self._way_on)
        row.addWidget(self._close)
        self.hide()

    @property
    def sentence(self) -> str:
        """What it says; "" while hidden."""
        return self._sentence.text() if not self.isHidden() else ""

    @property
    def is_offering(self) -> bool:
        """Whether it shows a way on."""
        return not self.isHidden() and not self._way_on.isHidden()

    def say(self, sentence: str, *, way_on: str = "", is_failure: bool = True) -> None:
        """Show a sentence until closed or replaced."""
        self._is_failure = is_failure
        self._sentence.setText(sentence)
        self._way_on.set_text(way_on)
        self._way_on.setVisible(bool(way_on))
        self.show()
        self.update()

    def _on_acted(self) -> None:
        self.hide()
        self.acted.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        painter.fillRect(self.rect(), t.well)
        painter.fillRect(0, self.height() - 1, self.width(), 1, t.line)
        tone = t.failed.text if self._is_failure else t.t2
        icon = "triangle" if self._is_failure else "info"
        pixmap = icon_pixmap(icon, tone, 15, self.devicePixelRatioF())
        painter.drawPixmap(17, (self.height() - 15) // 2, pixmap)
