"""What the marks on the tracks mean; only of those that are there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.core.translation import N_, tr
from ui.budgets.facts import RowFacts
from ui.story.lettering import hatch_brush, letters
from ui.theme import current_tokens
from ui.theme.style import rounded
from ui.theme.tokens import NO_FILL, Tokens, faded

HEIGHT = 24
SIGN = 16
BETWEEN = 18


class Mark(Enum):
    """A mark on a track, and its words."""

    BUDGET = N_("budget")
    TURN = N_("for this kind of reply, or as you set it")
    MOST = N_("the most it has needed so far")
    LENT = N_("lent by others")
    CUT = N_("cut")


def marks_of(rows: Sequence[RowFacts]) -> tuple[Mark, ...]:
    """Those that one of the rows shows."""
    shows: dict[Mark, Callable[[RowFacts], bool]] = {
        Mark.BUDGET: lambda row: True,
        Mark.TURN: lambda row: bool({row.turn, row.own} - {row.budget}),
        Mark.MOST: lambda row: row.most > row.full,
        Mark.LENT: lambda row: row.lent > 0,
        Mark.CUT: lambda row: row.cut > 0,
    }
    return tuple(mark for mark, is_shown in shows.items() if any(map(is_shown, rows)))


class Legend(QWidget):
    """One line under the tracks."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: tuple[Mark, ...] = ()
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_marks(self, marks: tuple[Mark, ...]) -> None:
        """Explain these."""
        if marks != self.marks:
            self.marks = marks
            words = ", ".join(tr(mark.value) for mark in marks)
            self.setAccessibleName(tr("Marks on the tracks: {marks}", marks=words))
            self.setToolTip(words)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        painter.fillRect(0, 0, self.width(), 1, t.line)  # rows go on below it
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        face, middle = letters(11), HEIGHT / 2
        left = 12.0
        for mark in self.marks:
            words = tr(mark.value)
            if left + SIGN + 5 + face.width(words) > self.width():
                return
            _paint_sign(painter, mark, QRectF(left, middle - 5, SIGN, 10), t)
            left = face.draw(painter, words, t.t3, left + SIGN + 5, middle) + BETWEEN


def _paint_sign(painter: QPainter, mark: Mark, area: QRectF, t: Tokens) -> None:
    middle = area.center().x()
    painter.setPen(Qt.PenStyle.NoPen)
    match mark:
        case Mark.BUDGET:
            rounded(painter, QRectF(middle - 3, area.y() - 2, 6, area.height() + 4), 3, t.t1)
        case Mark.TURN:
            painter.fillRect(QRectF(round(middle), area.y() - 2, 1, area.height() + 4), t.t2)
        case Mark.MOST:
            painter.fillRect(QRectF(middle - 1, area.center().y() - 2, 2, 4), t.t3)
        case Mark.LENT:
            rounded(painter, area.adjusted(0, 2, 0, -2), 2, faded(t.slot_hues["scenes"], 0.5))
        case Mark.CUT:
            painter.setPen(QPen(t.out_of_budget.text, 1))
            painter.setBrush(QBrush(hatch_brush(t.out_of_budget.text, NO_FILL)))
            painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
