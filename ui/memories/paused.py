"""Says since where nothing is remembered, and how that ends."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import N_, tr, trn
from app.memory.lifecycle.policy import Policy
from app.views.memory_view import MemoryView
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label
from ui.controls.surfaces import Line
from ui.theme.fonts import MEDIUM, ui_font

POLICY_WORDS = {
    Policy.CHAT_LOCAL: N_("Each chat keeps its own memories of {}."),
    Policy.READ_ONLY: N_("Memories kept for {} are used, but nothing is added."),
    Policy.OFF: N_("Memories kept for {} are neither used nor added to."),
}


class PausedStrip(QWidget):
    """Hidden while all is remembered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = Label(font=ui_font(12, MEDIUM), wraps=True)
        self.commit = Button(tr("Remember them"), icon="play")
        self.discard = Button(
            tr("Leave them unread"), icon="eye-off", role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge
        )
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
        count = 0
        words = tr(POLICY_WORDS.get(view.policy, "")).format(name or tr("this chat"))
        if pause is not None:
            since = view.ground.places.get(pause.anchor, pause.position)
            count = max(0, view.ground.last - since)
            told = trn("{n} message was played since", "{n} messages were played since", count)
            words = tr(
                "Remembering stopped after #{since}; {told}.",
                since=max(0, since),
                told=told if count else tr("nothing was played since"),
            )
        self.words.setText(words)
        self.commit.set_text(tr("Remember them") if count else tr("Go on remembering"))
        self.commit.setVisible(pause is not None)
        self.discard.setVisible(pause is not None and bool(count))
        for button in (self.commit, self.discard):
            button.setEnabled(can_change)
        self.setVisible(bool(words))
