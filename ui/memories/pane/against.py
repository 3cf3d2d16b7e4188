"""A memory that contradicts the one that is shown, and what the user says of the two."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout

from app.core.translation import N_, tr
from app.memory.documents.browsing import sentence_of
from app.memory.lifecycle.contradictions import Keeps
from app.memory.standing import Standing, Status
from ui.controls.buttons import Button
from ui.controls.labels import Label
from ui.controls.surfaces import Surface
from ui.memories.pane.pieces import Link
from ui.theme import current_tokens
from ui.theme.fonts import SEMIBOLD, story_font, ui_font
from ui.theme.palette import T2_ROLE, T3_ROLE
from ui.theme.style import rounded

WORDS = {
    Keeps.THIS: (N_("The one above is true"), N_("Keep the memory above; this one ends.")),
    Keeps.OTHER: (N_("This one is true"), N_("Keep this one; the memory above ends.")),
    Keeps.BOTH: (N_("Both are true"), N_("They do not contradict each other.")),
}


class Against(Surface):
    """Signals:
    memory_asked: id of the other memory.
    settled: (id of the other memory, Keeps) by the user.
    """

    memory_asked = Signal(str)
    settled = Signal(str, str)

    def __init__(self, other: Standing, *, can_change: bool) -> None:
        super().__init__("well", edge="")
        self.other = other
        waits = other.status is Status.WAITING
        self.jump = Link(tr("Show it"), tr("Show this memory."))
        self.jump.clicked.connect(self._on_jump)
        head = QHBoxLayout()
        head.setSpacing(8)
        state = tr("waits for your review") if waits else tr("holds")
        head.addWidget(Label(state, font=ui_font(11, SEMIBOLD), tone=T3_ROLE), 1)
        head.addWidget(self.jump)
        words = Label(sentence_of(other.memory), font=story_font(13), tone=T2_ROLE, wraps=True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = QHBoxLayout()
        row.setSpacing(6)
        self.buttons: dict[Keeps, Button] = {}
        for keeps, (word, tip) in WORDS.items():
            button = Button(tr(word))
            button.setToolTip(tr(tip))
            button.setEnabled(can_change)
            button.setProperty("keeps", keeps.value)
            button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            button.clicked.connect(self._on_settle)
            row.addWidget(button)
            self.buttons[keeps] = button
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 10, 10)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(words)
        column.addSpacing(4)
        column.addLayout(row)

    def _on_jump(self) -> None:
        self.memory_asked.emit(self.other.memory.id)

    def _on_settle(self) -> None:
        button = self.sender()
        if button is not None:
            self.settled.emit(self.other.memory.id, str(button.property("keeps")))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        area = QRectF(0, 6, 3, self.height() - 12)
        rounded(QPainter(self), area, 1.5, current_tokens().out_of_budget.fill)
