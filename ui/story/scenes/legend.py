"""What the colours mean, how many messages have each, and a way to the messages themselves."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.core.translation import N_, number, tr
from app.story.inclusion import InclusionState
from ui.story import words
from ui.story.lettering import centre_square, letters, meta
from ui.story.scenes.bars import Bars, counts_by_state, no_bars, stale_count
from ui.theme.fonts import MEDIUM
from ui.theme.icons import icon_pixmap
from ui.theme.source import ThemeSource
from ui.theme.style import rounded

ROW = 24
HEAD = 26
TOP = 4
LEAST_WIDTH = 160
USUAL_WIDTH = 240
ICON_ROOM = 19
LEAST_GAP = 4
COLUMNS = (
    (InclusionState.INCLUDED, InclusionState.OUT_OF_BUDGET, InclusionState.LAGGING),
    (InclusionState.LONG_TERM, InclusionState.EXCLUDED, InclusionState.FAILED),
)
TITLE = N_("Message recaps")
OFF = N_("not in the prompt")
OFF_TIP = N_(
    "Messages have recaps, but none of them go into the prompt. Switch on “Put message recaps "
    "into the prompt” in the settings to change that."
)
STALE_SENTENCE = N_("Hatched: changed since its recap")
NO_RECAPS = N_("No message has a recap of its own.")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line of the legend. state: None for the messages that changed since."""

    state: InclusionState | None
    area: QRectF
    count: int


class Legend(QWidget):
    """Icon, word and number of each state in two columns; one sentence when there is nothing.

    Signals:
        state_chosen: InclusionState whose messages are wanted, None for those that changed since.
    """

    state_chosen = Signal(object)

    def __init__(self, theme: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._counts: dict[InclusionState, int] = {}
        self._stale = 0
        self._total = 0
        self._injects = True
        self._hinted_width = USUAL_WIDTH
        self._hovered = -1
        self._current = 0
        self._by_key = False
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_bars(no_bars())

    def set_bars(self, bars: Bars) -> None:
        """Count again."""
        self._counts = counts_by_state(bars)
        self._stale = stale_count(bars)
        self._total = bars.count
        has_rows = bool(self._total) and self.has_recaps
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if has_rows else Qt.FocusPolicy.NoFocus)
        self._say()
        self.updateGeometry()
        self.update()

    def set_injected(self, injects: bool) -> None:
        """Whether message recaps go into the prompt: where not, no colour says that they do."""
        if injects != self._injects:
            self._injects = injects
            self._say()
            self.update()

    def _say(self) -> None:
        if not self.has_recaps:
            self.setAccessibleName(tr(NO_RECAPS))
            return
        said = [f"{words.state_word(s)} {self._counts[s]}" for column in COLUMNS for s in column]
        title = tr(TITLE) if self._injects else f"{tr(TITLE)}, {tr(OFF)}"
        self.setAccessibleName(f"{title}: {', '.join(said)}")

    @property
    def has_recaps(self) -> bool:
        """Whether any message has a state worth a colour."""
        return self._counts.get(InclusionState.NONE, 0) < self._total

    # Places

    def heading(self, width: int) -> tuple[str, str]:
        """What stands at the left and at the right over the lines of a legend that is `width` px
        wide: the choice above names it, so only where it goes, and what is counted.
        """
        off, counted = "" if self._injects else tr(OFF), tr("Messages")
        needed = letters(12, MEDIUM).width(off) + LEAST_GAP + meta().width(counted)
        return (off, "") if off and needed > width - 17 else (off, counted)

    def _columns(self, width: int) -> tuple[tuple[InclusionState, ...], ...]:
        """Two columns, or one where the numbers of a long chat need its width."""
        for (left, right), states in zip(_edges(width), COLUMNS, strict=True):
            for state in states:
                word, count = words.state_word(state), number(self._counts[state])
                needed = ICON_ROOM + meta().width(word) + LEAST_GAP + meta().width(count)
                if needed > right - left:
                    return ((*COLUMNS[0], *COLUMNS[1]),)
        return COLUMNS

    def _entries(self) -> list[_Entry]:
        """The lines in reading order, with where they lie."""
        if not self._total or not self.has_recaps:
            return []
        columns = self._columns(self.width())
        edges = _edges(self.width()) if len(columns) == 2 else [(9.0, self.width() - 8.0)]
        entries = [
            _Entry(state, QRectF(left, TOP + HEAD + ROW * row, right - left, ROW), count)
            for (left, right), states in zip(edges, columns, strict=True)
            for row, state in enumerate(states)
            for count in [self._counts[state]]
        ]
        if self._stale:
            top = TOP + HEAD + ROW * len(columns[0])
            entries.append(_Entry(None, QRectF(9, top, self.width() - 17, ROW), self._stale))
        return entries

    def resizeEvent(self, event: QResizeEvent) -> None:
        if len(self._columns(event.size().width())) != len(self._columns(self._hinted_width)):
            self._hinted_width = event.size().width()
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        if not self._total:
            return QSize(LEAST_WIDTH, 0)
        if not self.has_recaps:
            return QSize(LEAST_WIDTH, ROW + 10)
        rows = len(self._columns(self._hinted_width)[0]) + bool(self._stale)
        return QSize(LEAST_WIDTH, TOP + HEAD + rows * ROW + 4)

    # Choosing

    def _at(self, point: QPointF) -> int:
        """Number of the line under a point that has messages, -1 for none."""
        for line, entry in enumerate(self._entries()):
            if entry.count and entry.area.contains(point):
                return line
        return -1

    def _choose(self, line: int) -> None:
        entries = self._entries()
        if 0 <= line < len(entries) and entries[line].count:
            self._current = line
            self.state_chosen.emit(entries[line].state)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._by_key = False
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self._at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    def _hover(self, line: int) -> None:
        if line != self._hovered:
            self._hovered = line
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._by_key = True
        last = len(self._entries()) - 1
        match event.key():
            case Qt.Key.Key_Down:
                self._current = min(self._current + 1, last)
            case Qt.Key.Key_Up:
                self._current = max(self._current - 1, 0)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space:
                self._choose(self._current)
            case _:
                event.ignore()
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._by_key = True
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _tip(self, point: QPointF) -> str:
        if self._at(point) >= 0:
            return tr("Go to the first of these messages. Click again for the next.")
        return (
            tr(OFF_TIP) if not self._injects and self.has_recaps and point.y() < TOP + HEAD else ""
        )

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._total:
            return
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(QRectF(8, 0, self.width() - 16, 1), tokens.line)
        if not self.has_recaps:
            meta().draw(painter, tr(NO_RECAPS), tokens.t3, 9, 10 + ROW / 2, self.width() - 18)
            return
        middle = TOP + HEAD / 2 + 1
        off, counted = self.heading(self.width())
        letters(12, MEDIUM).draw(painter, off, tokens.t2, 9, middle)
        meta().draw_right(painter, counted, tokens.t3, self.width() - 8.0, middle)
        for line, entry in enumerate(self._entries()):
            self._paint_entry(painter, line, entry)

    def _paint_entry(self, painter: QPainter, line: int, entry: _Entry) -> None:
        tokens = self._theme.tokens
        area, middle = entry.area, entry.area.center().y()
        card = area.adjusted(-5, 1, 5, -1)
        if line == self._hovered:
            rounded(painter, card, 5, tokens.hover)
        if self.hasFocus() and self._by_key and line == self._current:
            rounded(painter, card, 5, None, tokens.ring, tokens.ring_width)
        if entry.state is None:
            self._paint_icon(painter, words.STALE_ICON, tokens.stale.text.name(), area.x(), middle)
            meta().draw(painter, tr(STALE_SENTENCE), tokens.t2, area.x() + ICON_ROOM, middle)
            return
        ink = tokens.text_tone(entry.state) if entry.count else tokens.t3
        icon = words.STATE_ICONS[entry.state]
        self._paint_icon(painter, icon, ink.name(), area.x(), middle)
        count = number(entry.count)
        count_left = meta().draw_right(painter, count, tokens.t3, area.right(), middle)
        left = area.x() + ICON_ROOM
        word = words.state_word(entry.state)
        meta().draw(painter, word, tokens.t2, left, middle, count_left - left)

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
