"""Pinned sentences over a version: which they are, where they stand, and those it does not say."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from app.core.translation import tr, trn
from app.story.recap_texts.pinned import Pin, missing
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label
from ui.controls.signs import Sign
from ui.controls.surfaces import Surface
from ui.theme import current_tokens
from ui.theme.fonts import ui_font
from ui.theme.palette import T2_ROLE, T3_ROLE
from ui.theme.tokens import Tokens

SHOWN = 90  # characters of a sentence that is named


def marks_of(prose: QTextEdit, pins: Sequence[Pin]) -> list[QTextEdit.ExtraSelection]:
    """Where a text says what is pinned, underlined with dots."""
    marks = []
    for pin in pins:
        found = prose.document().find(pin.text)
        if not found.isNull():
            marks.append(_mark(found, current_tokens()))
    return marks


def _mark(at: QTextCursor, t: Tokens) -> QTextEdit.ExtraSelection:
    look = QTextCharFormat()
    look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
    look.setUnderlineColor(t.t2)
    look.setToolTip(tr("Pinned: always kept."))
    mark = QTextEdit.ExtraSelection()
    mark.cursor = at
    mark.format = look
    return mark


class PinsLine(QWidget):
    """Says how many sentences are pinned; where the version lacks one, which, and what can be done.

    Signals:
        put_back_asked: Pin whose sentence the version is to say again.
        unpin_asked: Pin that is to be forgotten.
    """

    put_back_asked = Signal(object)
    unpin_asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._missing: tuple[Pin, ...] = ()
        self.words = Label(font=ui_font(12), tone=T3_ROLE, wraps=True)
        self._lost = Surface("raised", edge="line2")
        self.sentence = Label(font=ui_font(12.5), tone=T2_ROLE, wraps=True)
        self.put_back = Button(tr("Put it back"), icon="undo")
        self.put_back.clicked.connect(self._on_put_back)
        self.unpin = Button(tr("Unpin it"), role=ButtonRole.QUIET)
        self.unpin.clicked.connect(self._on_unpin)
        row = QHBoxLayout(self._lost)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(Sign("bookmark"), 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.sentence, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.unpin)
        row.addWidget(self.put_back)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.words)
        column.addWidget(self._lost)
        self.hide()

    def show_pins(self, text: str, pins: Sequence[Pin], *, is_current: bool) -> None:
        """pins: of this recap. is_current: only what counts now is to say all of them."""
        self._missing = missing(text, pins) if is_current else ()
        said = len(pins) - len(missing(text, pins))
        self.words.setText(
            trn(
                "{n} sentence is pinned (dotted below) and always kept.",
                "{n} sentences are pinned (dotted below) and always kept.",
                said,
            )
        )
        self.words.setVisible(bool(said))
        self._lost.setVisible(bool(self._missing))
        if self._missing:
            lost = self._missing[0].text
            short = lost if len(lost) <= SHOWN else f"{lost[:SHOWN].rsplit(' ', 1)[0]}…"
            self.sentence.setText(tr("Pinned, but not in this version: “{text}”", text=short))
        self.setVisible(bool(said or self._missing))

    def _on_put_back(self) -> None:
        if self._missing:
            self.put_back_asked.emit(self._missing[0])

    def _on_unpin(self) -> None:
        if self._missing:
            self.unpin_asked.emit(self._missing[0])
