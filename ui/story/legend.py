"""What the colours mean, and how many messages have each."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.story.inclusion import InclusionState
from ui.story import words
from ui.story.bars import Bars, counts_by_state, no_bars, stale_count
from ui.story.lettering import centre_square, meta
from ui.theme.icons import icon_pixmap
from ui.theme.source import ThemeSource

ROW = 24
LEAST_WIDTH = 160
USUAL_WIDTH = 240
ICON_ROOM = 19
LEAST_GAP = 4
COLUMNS = (
    (InclusionState.INCLUDED, InclusionState.OUT_OF_BUDGET, InclusionState.LAGGING),
    (InclusionState.LONG_TERM, InclusionState.EXCLUDED, InclusionState.FAILED),
)
STALE_SENTENCE = "Hatched: changed since its recap"
NO_RECAPS = "No message has a recap of its own."


class Legend(QWidget):
    """Icon, word and number of each state in two columns; one sentence when there is nothing."""

    def __init__(self, theme: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._counts: dict[InclusionState, int] = {}
        self._stale = 0
        self._total = 0
        self._hinted_width = USUAL_WIDTH
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_bars(no_bars())

    def set_bars(self, bars: Bars) -> None:
        """Count again."""
        self._counts = counts_by_state(bars)
        self._stale = stale_count(bars)
        self._total = bars.count
        said = [f"{words.STATE_WORDS[s]} {self._counts[s]}" for column in COLUMNS for s in column]
        self.setAccessibleName(", ".join(said) if self.has_recaps else NO_RECAPS)
        self.updateGeometry()
        self.update()

    @property
    def has_recaps(self) -> bool:
        """Whether any message has a state worth a colour."""
        return self._counts.get(InclusionState.NONE, 0) < self._total

    def _columns(self, width: int) -> tuple[tuple[InclusionState, ...], ...]:
        """Two columns, or one where the numbers of a long chat need its width."""
        for (left, right), states in zip(_edges(width), COLUMNS, strict=True):
            for state in states:
                word, count = words.STATE_WORDS[state], f"{self._counts[state]:,}"
                needed = ICON_ROOM + meta().width(word) + LEAST_GAP + meta().width(count)
                if needed > right - left:
                    return ((*COLUMNS[0], *COLUMNS[1]),)
        return COLUMNS

    def resizeEvent(self, event: QResizeEvent) -> None:
        if len(self._columns(event.size().width())) != len(self._columns(self._hinted_width)):
            self._hinted_width = event.size().width()
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        if not self._total:
            return QSize(LEAST_WIDTH, 0)
        rows = (
            len(self._columns(self._hinted_width)[0]) + bool(self._stale) if self.has_recaps else 1
        )
        return QSize(LEAST_WIDTH, rows * ROW + 10)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._total:
            return
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(QRectF(8, 0, self.width() - 16, 1), tokens.line)
        if not self.has_recaps:
            meta().draw(painter, NO_RECAPS, tokens.t3, 9, 10 + ROW / 2, self.width() - 18)
            return
        columns = self._columns(self.width())
        edges = _edges(self.width()) if len(columns) == 2 else [(9.0, self.width() - 8.0)]
        for (left, right), states in zip(edges, columns, strict=True):
            for row, state in enumerate(states):
                self._paint_state(painter, state, left, right, 6 + ROW * (row + 0.5))
        if self._stale:
            middle = 6 + ROW * (len(columns[0]) + 0.5)
            self._paint_icon(painter, words.STALE_ICON, tokens.stale.text.name(), 9, middle)
            meta().draw(painter, STALE_SENTENCE, tokens.t2, 28, middle)

    def _paint_state(
        self, painter: QPainter, state: InclusionState, left: float, right: float, middle: float
    ) -> None:
        tokens = self._theme.tokens
        icon, ink = words.STATE_ICONS[state], tokens.text_tone(state).name()
        self._paint_icon(painter, icon, ink, left, middle)
        word, count = words.STATE_WORDS[state], f"{self._counts[state]:,}"
        count_left = meta().draw_right(painter, count, tokens.t3, right, middle)
        meta().draw(
            painter, word, tokens.t2, left + ICON_ROOM, middle, count_left - left - ICON_ROOM
        )

    def _paint_icon(
        self, painter: QPainter, name: str, ink: str, left: float, middle: float
    ) -> None:
        pixmap = icon_pixmap(name, ink, 14, self.devicePixelRatioF())
        box = QRectF(left - 1, middle - 7, 14, 14)
        painter.drawPixmap(QPointF(centre_square(box, 14)), pixmap)


def _edges(width: int) -> list[tuple[float, float]]:
    """Left and right of the two columns; the longest word stands at the left."""
    split = width / 2 + 5
    return [(9.0, split), (split + 10, width - 8.0)]
