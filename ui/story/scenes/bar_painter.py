"""Draws the bar of one message, or of a bucket of them, in its state's colour and texture."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QColor, QPainter

from app.prompt.reach import Reach
from app.story.inclusion import InclusionState
from ui.story.lettering import hatch_brush
from ui.story.reach_look import paint_reach, reach_brush, reach_colour
from ui.story.scenes.bars import DRAWN, STALE
from ui.theme.style import rounded
from ui.theme.tokens import Tokens, faded

OLD = 0.62  # red recedes: old messages are out of budget by nature
CAP = 2


class BarPainter:
    """Fills, hatches and caps of one palette, made once."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._fills = [self._fill(rank) for rank in range(len(DRAWN))]
        self._hatch = hatch_brush(tokens.stale.text, faded(tokens.included.fill, 0.3))

        self._reaches = {reach: reach_brush(tokens, reach) for reach in Reach}

    def _fill(self, rank: int) -> QColor:
        state = DRAWN[rank]
        if isinstance(state, Reach):
            return reach_colour(self._tokens, state)
        if state is InclusionState.NONE:
            return QColor(self._tokens.line2)
        if state is InclusionState.OUT_OF_BUDGET:
            return self._tokens.receding(self._tokens.out_of_budget.fill, OLD)
        if state is None:
            return QColor(self._tokens.stale.text)
        return self._tokens.fill(state)

    def bar(self, painter: QPainter, rank: int, area: QRectF) -> None:
        """One message's bar, at least 2 px wide."""
        if rank == STALE:
            painter.fillRect(area, QBrush(self._hatch))
            return
        state = DRAWN[rank]
        if isinstance(state, Reach):
            paint_reach(painter, self._tokens, state, self._reaches[state], area)
            return
        if state is InclusionState.EXCLUDED:
            rounded(painter, area, 1.5, None, self._tokens.ctl)
            return
        painter.fillRect(area, self._fills[rank])
        if state is InclusionState.OUT_OF_BUDGET:
            cap = QRectF(area.x(), area.y(), area.width(), min(CAP, area.height()))
            painter.fillRect(cap, self._tokens.out_of_budget.fill)

    def dot(self, painter: QPainter, centre_x: float, y: float) -> None:
        """The mark over a failed bar."""
        dot = QRectF(round(centre_x - 2), y - 2, 4, 4)
        rounded(painter, dot, 2, self._tokens.failed.fill)

    def tick(self, painter: QPainter, rank: int, area: QRectF) -> None:
        """One message in a scene's row: long-term is taller, excluded an outline."""
        state = DRAWN[rank]
        if isinstance(state, Reach):
            paint_reach(painter, self._tokens, state, self._reaches[state], area)
            return
        if state is InclusionState.LONG_TERM:
            area = area.adjusted(0, -3, 0, 0)
        if state is InclusionState.EXCLUDED:
            rounded(painter, area, 1, None, self._tokens.ctl)
        else:
            painter.fillRect(area, self._fills[rank])
