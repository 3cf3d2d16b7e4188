"""The whole prompt as one strip, from its beginning to its end, and where it ceased to be known."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.core.translation import number, tr
from app.prompt.slot_names import slot_name
from app.prompt.turns import Share
from ui.inspector.next_prompt import slot_fill
from ui.prompt.rows import PromptRow
from ui.prompt.words import tokens_words
from ui.theme import current_tokens
from ui.theme.style import rounded

HEIGHT, BAR_TOP, BAR = 22, 5, 12
LEAST = 3.0  # px of what takes few tokens


class PromptStrip(QWidget):
    """One stretch for each row that has tokens; a mark where the unchanged beginning ends."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[PromptRow, ...] = ()
        self._kept: int | None = None
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rows(self, rows: Sequence[PromptRow], kept: int | None) -> None:
        """kept: tokens of the beginning that is as it was, None where that is not known."""
        self._rows = tuple(row for row in rows if row.weight)
        self._kept = kept
        names = [f"{_name(row)} {number(row.weight)}" for row in self._rows]
        self.setAccessibleName(tr("Tokens of the prompt, in order"))
        self.setAccessibleDescription(", ".join(names))
        self.setVisible(bool(self._rows))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, HEIGHT)

    def _stretches(self) -> list[tuple[PromptRow, float, float]]:
        total = sum(row.weight for row in self._rows)
        room = self.width() - LEAST * len(self._rows)
        x, found = 0.0, []
        for row in self._rows:
            width = LEAST + max(0.0, room) * row.weight / max(1, total)
            found.append((row, x, width))
            x += width
        return found

    def _mark(self) -> float | None:
        if self._kept is None:
            return None
        left = self._kept
        for row, x, width in self._stretches():
            if left < row.weight:
                return x + width * left / row.weight
            left -= row.weight
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        for row, x, width in self._stretches():
            area = QRectF(x, BAR_TOP, max(1.0, width - 1), BAR)
            rounded(painter, area, 2, _fill(row))
        mark = self._mark()
        if mark is not None:
            painter.fillRect(QRectF(max(0.0, mark - 1), 0, 2, HEIGHT), t.ring)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            at = event.pos().x()
            for row, x, width in self._stretches():
                if x <= at < x + width:
                    QToolTip.showText(
                        event.globalPos(),
                        f"{_name(row)}: {tokens_words(row.weight)}",
                    )
                    return True
        return super().event(event)


def _name(row: PromptRow) -> str:
    return slot_name(row.slot.key) if row.slot is not None else row.title


def _fill(row: PromptRow) -> QColor:
    t = current_tokens()
    if row.slot is not None:
        return slot_fill(row.slot) or t.included.fill
    return t.line2 if row.share is Share.OWN else t.ctl
