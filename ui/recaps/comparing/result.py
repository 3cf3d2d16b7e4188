"""The result of a comparison: what the choices make, to be read, counted and written on."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import N_, number, retold, tr
from ui.controls.labels import Label, section
from ui.controls.surfaces import Surface
from ui.recaps.comparing.key_hint import KeyHint
from ui.recaps.comparing.result_editor import ResultEditor
from ui.theme import current_tokens
from ui.theme.fonts import SEMIBOLD, ui_font
from ui.theme.palette import T1_ROLE, T3_ROLE

HEIGHT = 204
KEYS = (
    ("left", "[", N_("take left")),
    ("right", "]", N_("take right")),
    ("both", "=", N_("take both")),
    ("next", "F7", N_("next change")),
    ("previous", N_("Shift F7"), N_("previous")),
    ("undo", N_("Ctrl Z"), N_("undo")),
)


class ResultPane(QWidget):
    """204 px under the columns.

    Signals:
        typed: the whole text as the user left it.
        asked: the key in KEYS of a hint that was pressed, or "redo", "keep".
    """

    typed = Signal(str)
    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self.editor = ResultEditor()
        self.editor.typed.connect(self.typed)
        self.editor.asked.connect(self.asked)
        self._about = Label(font=ui_font(12), tone=T3_ROLE)
        self._count = Label(font=ui_font(12.5, SEMIBOLD), tone=T1_ROLE)
        self._budget = Label(font=ui_font(12), tone=T3_ROLE)
        head = QHBoxLayout()
        head.setContentsMargins(14, 0, 14, 0)
        head.setSpacing(8)
        head.addWidget(section(tr("Result")))
        head.addWidget(self._about, 1)
        head.addWidget(self._count)
        head.addWidget(self._budget)
        self._box = Surface("well", radius=8, edge="line2")
        box = QVBoxLayout(self._box)
        box.setContentsMargins(18, 12, 8, 8)
        box.setSpacing(8)
        box.addWidget(self.editor, 1)
        box.addLayout(self._make_hints())
        self.editor.focused.connect(self._on_focused)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 14)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._box, 1)

    def _make_hints(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(12)
        self._hints: dict[str, KeyHint] = {}
        for key, shortcut, word in KEYS:
            hint = KeyHint(key, tr(shortcut), tr(word))
            hint.pressed_key.connect(self.asked)
            self._hints[key] = hint
            row.addWidget(hint)
        row.addStretch(1)
        return row

    def show_about(self, words: str) -> None:
        """What this becomes, behind the title."""
        self._about.setText(words)

    def show_count(self, tokens: int | None, budget: int) -> None:
        """tokens: None while they are counted. budget: 0 for none."""
        self._count.setText("" if tokens is None else number(tokens))
        self._budget.setText(
            tr("of {budget} tokens", budget=number(budget)) if budget else tr("tokens")
        )
        self._count.setForegroundRole(T1_ROLE)

    def show_undo(self, label: str) -> None:
        """Name what Ctrl+Z takes back; "" for nothing."""
        self._hints["undo"].set_word(
            tr("undo: {label}", label=retold(label)) if label else tr("undo")
        )
        self._hints["undo"].setEnabled(bool(label))

    def _on_focused(self, has_focus: bool) -> None:
        self._box.set_ground("well", "ring" if has_focus else "line2")
        for key, shortcut, _word in KEYS[:3]:
            # In the text these signs are written; with Ctrl they choose there, too.
            self._hints[key].set_key(tr("Ctrl {key}", key=shortcut) if has_focus else shortcut)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(QRectF(0, 0, self.width(), 1), current_tokens().line)
