"""What a slot would have taken at the last replies, and takes for the next, against its budget."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.core.translation import number, tr
from ui.budgets import words
from ui.budgets.track import hue_of
from ui.story.lettering import hatch_brush, letters, meta
from ui.theme import current_tokens
from ui.theme.fonts import SEMIBOLD
from ui.theme.style import rounded
from ui.theme.tokens import NO_FILL, Tokens

HEIGHT = 132
TOP, FOOT = 18, 18
GAP = 3.0
WIDEST = 14.0
LABEL = 15
NEXT = -1  # message of the column of the next reply


class NeedChart(QWidget):
    """One column per reply, the next one last; a line for the budget now, a dashed one for what
    auto-tune makes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._needs: tuple[tuple[int, int], ...] = ()
        self._hue = ""
        self._budget = 0
        self._tuned: int | None = None
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(240, HEIGHT)

    def show_needs(
        self,
        needs: Sequence[tuple[int, int]],
        hue: str,
        *,
        title: str,
        budget: int,
        tuned: int | None,
        coming: int,
    ) -> None:
        """needs: (message, tokens), oldest first. tuned: None where auto-tune changes nothing.
        coming: tokens for the next reply.
        """
        shown = ((*needs, (NEXT, coming)), hue, budget, tuned)
        if shown == (self._needs, self._hue, self._budget, self._tuned):
            return
        self._needs, self._hue, self._budget, self._tuned = shown
        said = ", ".join(
            tr("{tokens} at #{message}", tokens=number(tokens), message=message)
            for message, tokens in needs
        )
        said = ", ".join(filter(None, (said, tr("{tokens} next", tokens=number(coming)))))
        self.setAccessibleName(
            tr(
                "{title}, needed reply by reply: {needs}. The budget is {tokens}.",
                title=title,
                needs=said,
                tokens=words.tokens_words(budget),
            )
        )
        self.update()

    @property
    def _scale(self) -> float:
        most = max((tokens for _, tokens in self._needs), default=0)
        return max(1.0, most * 1.06, self._budget * 1.06, (self._tuned or 0) * 1.06)

    def _y(self, tokens: float) -> float:
        return TOP + (HEIGHT - TOP - FOOT) * (1 - tokens / self._scale)

    def _step(self) -> float:
        return min(WIDEST + GAP, self.width() / max(1, len(self._needs)))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _tip(self, point: QPointF) -> str:
        place = int((point.x() - self._left()) / self._step())
        if not self._needs or not 0 <= place < len(self._needs):
            return tr("What this part would have needed in full for each of the last replies.")
        message, tokens = self._needs[place]
        said = words.tokens_words(tokens)
        reply = tr("Next reply") if message == NEXT else f"#{message}"
        if tokens <= self._budget:
            return tr("{reply}: {tokens} in full.", reply=reply, tokens=said)
        return tr(
            "{reply}: {tokens} in full, {over} over the budget.",
            reply=reply,
            tokens=said,
            over=number(tokens - self._budget),
        )

    def _left(self) -> float:
        return 0.0

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        step = self._step()
        width = max(1.0, step - GAP)
        hue = hue_of(t, self._hue)
        for place, (_, tokens) in enumerate(self._needs):
            self._paint_column(painter, t, hue, self._left() + place * step, width, tokens)
        self._paint_lines(painter, t)
        if len(self._needs) > 1:
            middle = HEIGHT - FOOT / 2 + 2
            meta().draw(painter, f"#{self._needs[0][0]}", t.t3, 0, middle)
            end = self._left() + step * len(self._needs)
            if len(self._needs) > 4:
                meta().draw_right(painter, tr("next"), t.t3, min(end, self.width()), middle)

    def _paint_column(
        self, painter: QPainter, t: Tokens, hue: QColor, left: float, width: float, tokens: int
    ) -> None:
        foot = self._y(0)
        top = self._y(min(tokens, self._budget))
        if tokens:
            height = max(2.0, foot - top)
            rounded(painter, QRectF(left, foot - height, width, height), 2, hue)
        if tokens > self._budget:
            over = QRectF(left, self._y(tokens), width, max(3.0, top - self._y(tokens) - 1))
            painter.fillRect(over, hatch_brush(t.out_of_budget.text, NO_FILL))

    def _paint_lines(self, painter: QPainter, t: Tokens) -> None:
        y = round(self._y(self._budget)) + 0.5
        painter.setPen(QPen(t.t1, 1.4))
        painter.drawLine(QPointF(0, y), QPointF(self.width(), y))
        face = letters(11, SEMIBOLD)
        is_tuned = self._tuned is not None and self._tuned != self._budget
        tuned_y = round(self._y(self._tuned or 0)) + 0.5
        is_near = is_tuned and abs(tuned_y - y) < 2 * LABEL
        # On a ground of its own, since columns may stand behind it; never across the other line.
        label = tr("{budget} now", budget=number(self._budget))
        beside = y + 9 if is_near and tuned_y < y else y - 9
        painter.fillRect(QRectF(0, beside - 8, face.width(label) + 6, LABEL), t.stage)
        face.draw(painter, label, t.t1, 0, beside)
        if self._tuned is None or not is_tuned:
            return
        painter.setPen(QPen(t.included.text, 1.4, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(0, tuned_y), QPointF(self.width(), tuned_y))
        label = tr("{tuned} tuned", tuned=number(self._tuned))
        is_above = (self._tuned > self._budget) == is_near
        under = max(7.0, tuned_y - 9) if is_above else tuned_y + 9
        right = self.width() - 2.0
        area = QRectF(right - face.width(label) - 6, under - 7, face.width(label) + 8, 14)
        painter.fillRect(area, t.stage)
        face.draw_right(painter, label, t.included.text, right, under)
