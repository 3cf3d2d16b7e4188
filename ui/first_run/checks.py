"""A line that says how one thing stands: an icon, what it is, and a fact."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import N_, tr
from ui.controls.labels import ElidedLabel, Label
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T2_ROLE

ICON = 16
WORDS = {
    "check": N_("done"),
    "pulse": N_("waiting"),
    "triangle": N_("failed"),
    "": N_("not yet"),
}


class CheckLine(QWidget):
    """Its state: "check", "pulse" for what is waited for, "triangle", "" for not yet."""

    def __init__(self, title: str, fact: str = "") -> None:
        super().__init__()
        self._state = ""
        self._title = ElidedLabel(title, font=ui_font(13, SEMIBOLD))
        self._fact = Label(fact, font=ui_font(12, MEDIUM), tone=T2_ROLE, wraps=True)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self._title)
        words.addWidget(self._fact)
        row = QHBoxLayout(self)
        row.setContentsMargins(ICON + 14, 2, 0, 2)
        row.addLayout(words, 1)
        self._name()

    @property
    def state(self) -> str:
        return self._state

    @property
    def fact(self) -> str:
        return self._fact.text()

    def set_state(self, state: str, fact: str | None = None) -> None:
        """Say how it stands."""
        self._state = state
        if fact is not None:
            self._fact.setText(fact)
        self._fact.setVisible(bool(self._fact.text()))
        self._name()
        self.update()

    def _name(self) -> None:
        self.setAccessibleName(f"{self._title.text()}: {tr(WORDS[self._state])}")
        self.setAccessibleDescription(self._fact.text())

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current_tokens(), QPainter(self)
        tones = {"check": t.included.text, "pulse": t.accent_text, "triangle": t.failed.text}
        icon = icon_pixmap(
            self._state or "minus", tones.get(self._state, t.t3), ICON, self.devicePixelRatioF()
        )
        painter.drawPixmap(0, self._title.geometry().center().y() - ICON // 2 + 1, icon)
