"""Says since where nothing is remembered, and how that ends."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.memory.policy import Policy
from app.work.memory_view import MemoryView
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import ElidedLabel
from ui.controls.surfaces import Line
from ui.theme.fonts import MEDIUM, ui_font

POLICY_WORDS = {
    Policy.CHAT_LOCAL: "{} is remembered in each chat alone.",
    Policy.READ_ONLY: "What is kept of {} is used, and nothing is added to it.",
    Policy.OFF: "Nothing that is kept of {} is used, and nothing is added to it.",
}


class PausedStrip(QWidget):
    """Hidden while all is remembered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ElidedLabel(font=ui_font(12, MEDIUM))
        self.commit = Button("Remember them", icon="play")
        self.discard = Button("Leave them unread", icon="eye-off", role=ButtonRole.QUIET)
        row = QHBoxLayout()
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(10)
        row.addWidget(self.words, 1)
        row.addWidget(self.commit)
        row.addWidget(self.discard)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(Line())
        self.hide()

    def follow(self, commit: QAction, discard: QAction) -> None:
        """Press these actions, under names of our own."""
        self.commit.clicked.connect(commit.trigger)
        self.discard.clicked.connect(discard.trigger)

    def show_view(self, view: MemoryView, *, can_change: bool) -> None:
        """Say what holds in this chat."""
        pause, name = view.pause, view.story.chat.owner_name
        number = 0
        words = POLICY_WORDS.get(view.policy, "").format(name or "this chat")
        if pause is not None:
            since = view.ground.places.get(pause.anchor, pause.position)
            number = max(0, view.ground.last - since)
            played = {0: "nothing was played since", 1: "1 message was played since"}
            told = played.get(number, f"{number:,} messages were played since")
            words = f"Nothing is remembered after #{max(0, since)}; {told}."
        self.words.setText(words)
        self.commit.set_text("Remember them" if number else "Go on remembering")
        self.commit.setVisible(pause is not None)
        self.discard.setVisible(pause is not None and bool(number))
        for button in (self.commit, self.discard):
            button.setEnabled(can_change)
        self.setVisible(bool(words))
