"""The whole story as one line of colours: which message recaps count, and what of the chat itself
still fits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.core.translation import number, tr
from app.story.inclusion import InclusionState
from app.story.story import Story
from app.views.budget_preview import Outlook
from ui.story.lettering import letters, meta
from ui.story.scenes.bar_painter import BarPainter
from ui.story.scenes.bars import BY_RANK, Bars, bars_of, no_bars
from ui.story.words import STATE_WORDS
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM
from ui.theme.style import rounded

BARS = 18
LABELS = 22
SHOWN = (
    InclusionState.INCLUDED,
    InclusionState.LONG_TERM,
    InclusionState.OUT_OF_BUDGET,
    InclusionState.LAGGING,
)
_RANKS = {state: rank for rank, state in enumerate(BY_RANK) if state is not None}


class RecapStrip(QWidget):
    """One column per pixel at most; the worst state of its messages is shown, as in the story."""

    def __init__(self) -> None:
        super().__init__()
        self._story: Story | None = None
        self._bars: Bars = no_bars()
        self._ranks: NDArray[np.uint8] = self._bars.base
        self._first = 0
        self._newest = 0
        self.counts: dict[InclusionState, int] = {}
        self._is_brief = False
        self.setFixedHeight(self.sizeHint().height())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def sizeHint(self) -> QSize:
        return QSize(600, BARS + 4 + (0 if self._is_brief else LABELS))

    def be_brief(self, is_brief: bool) -> None:
        """Leave the words under the bars to the tooltip, where there is little height."""
        self._is_brief = is_brief
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def show_story(self, story: Story) -> None:
        """Take in a story; costs as much as it has new messages."""
        old = self._story if self._story is not None else story
        before = self._bars if self._story is not None else no_bars()
        self._bars = bars_of(story, before, old)
        self._story = story

    def show_outlook(self, outlook: Outlook) -> None:
        """Colour the story by an outlook."""
        ranks = self._bars.base.copy()
        recaps = outlook.recaps
        if recaps is not None:
            ranks[recaps.included] = _RANKS[InclusionState.INCLUDED]
            ranks[recaps.long_term] = _RANKS[InclusionState.LONG_TERM]
            ranks[recaps.out] = _RANKS[InclusionState.OUT_OF_BUDGET]
        self.setVisible(recaps is not None)
        shown = (outlook.first, outlook.newest)
        if shown == (self._first, self._newest) and np.array_equal(ranks, self._ranks):
            return
        self._ranks = ranks
        self._first, self._newest = shown
        found = np.bincount(ranks, minlength=len(BY_RANK))
        self.counts = {state: int(found[rank]) for state, rank in _RANKS.items()}
        said = [f"{tr(STATE_WORDS[state])} {number(self.counts[state])}" for state in SHOWN]
        self.setAccessibleName(
            tr(
                "Message recaps across the story: {recaps}. The newest {newest} messages are in "
                "the prompt themselves.",
                recaps=", ".join(said),
                newest=number(self._newest),
            )
        )
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _tip(self, point: QPointF) -> str:
        count = len(self._ranks)
        if not count or point.y() > BARS + 4:
            return tr(
                "Which message recaps make it into the prompt. Drag their budget to see it change."
            )
        at = min(count - 1, max(0, int(point.x() / self.width() * count)))
        state = BY_RANK[int(self._ranks[at])]
        said = tr(STATE_WORDS[state]) if state is not None else tr("Changed since its recap")
        inside = tr("It is in the prompt itself.") if at >= self._first else ""
        tip = f"#{at}: {said}. {inside}".strip()
        return f"{tip}\n{self.accessibleName()}" if self._is_brief else tip

    def paintEvent(self, event: QPaintEvent) -> None:
        count = len(self._ranks)
        if not count:
            return
        t = current_tokens()
        painter = QPainter(self)
        bars = BarPainter(t)
        columns = min(count, max(1, self.width() // 3))
        starts = (np.arange(columns, dtype=np.int64) * count) // columns
        ranks = np.maximum.reduceat(self._ranks, starts)
        step = self.width() / columns
        # Runs of one colour are one rectangle: a long story has few of them.
        edges = np.flatnonzero(np.diff(ranks)) + 1
        for first, last in zip([0, *edges.tolist()], [*edges.tolist(), columns], strict=True):
            area = QRectF(round(first * step), 2, round(last * step) - round(first * step), BARS)
            bars.bar(painter, int(ranks[first]), area)
        left = self.width() * self._first / count
        window = QRectF(left, 0.5, self.width() - left, BARS + 3)
        if self._newest:
            rounded(painter, window, 3, None, t.t2, 1.2)
        if not self._is_brief:
            self._paint_words(painter)

    def _paint_words(self, painter: QPainter) -> None:
        t = current_tokens()
        middle = BARS + 4 + LABELS / 2
        x = letters(11.5, MEDIUM).draw(painter, tr("Message recaps"), t.t1, 4, middle) + 12
        for state in SHOWN:
            if self.counts.get(state):
                rounded(painter, QRectF(x, middle - 4, 8, 8), 2, t.fill(state))
                words = f"{tr(STATE_WORDS[state])} {number(self.counts[state])}"
                x = meta().draw(painter, words, t.t2, x + 13, middle) + 14
        framed = tr("Framed: messages sent word for word")
        if x + meta().width(framed) <= self.width() - 4:
            meta().draw_right(painter, framed, t.t3, self.width() - 4, middle)
