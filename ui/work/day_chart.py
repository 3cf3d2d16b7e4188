"""Tokens of each day as bars, on a scale with numbers; a day can be picked."""

from __future__ import annotations

from datetime import date

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.core.model_use import Spent
from app.core.translation import number, tr, trn
from ui.controls.labels import plain_tip
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.style import rounded
from ui.work.use_words import chart_words, day_words

HEIGHT = 168
TOP, FOOT, LEFT = 10, 22, 52
WIDEST = 34.0
STEPS = (1, 2, 2.5, 5, 10)

Days = tuple[tuple[date, Spent], ...]


def ceiling(tokens: int) -> int:
    """The scale's upper end: the first round number that is not less, 1,000 at least."""
    unit = 100.0
    while True:
        for step in STEPS:
            if unit * step >= max(tokens, 1000):
                return int(unit * step)
        unit *= 10


def short(tokens: int) -> str:
    """A number of the scale: 500, 2.5k, 40k, 1M."""
    for unit, letter in ((1_000_000, "M"), (1000, "k")):
        if tokens >= unit:
            return f"{tokens / unit:g}{letter}"
    return str(tokens)


class DayChart(QWidget):
    """One bar a day: written tokens over those read. The arrow keys walk the days.

    Signals:
        picked: the day that is picked now, None for all of them.
    """

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._days: Days = ()
        self._today = date.min
        self._picked: date | None = None
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._name()

    def show_days(self, days: Days, today: date) -> None:
        """Every day in order. Keeps what is picked while it is shown."""
        self._days, self._today = days, today
        if self._picked not in {day for day, _ in days}:
            self._picked = None
        self._name()
        self.update()

    @property
    def day(self) -> date | None:
        """The day that is picked."""
        return self._picked

    def pick(self, day: date | None) -> None:
        """Pick a day, or none; picking the same again lets it go."""
        self._picked = None if day == self._picked else day
        self._name()
        self.update()
        self.picked.emit(self._picked)

    def _name(self) -> None:
        self.setAccessibleName(
            trn("Tokens by day, {n} day", "Tokens by day, {n} days", len(self._days))
        )
        words = chart_words(list(self._days), self._today)
        for day, spent in self._days:
            if day == self._picked:
                words = f"{self._words(day, spent)} {words}"
        self.setAccessibleDescription(words)

    def _words(self, day: date, spent: Spent) -> str:
        return tr(
            "{day}: {prompt_tokens} tokens read, {output_tokens} written, {requests}.",
            day=day_words(day, self._today),
            prompt_tokens=number(spent.prompt_tokens),
            output_tokens=number(spent.output_tokens),
            requests=trn("{n} request", "{n} requests", spent.requests),
        )

    # --- where things are

    def _plot(self) -> QRectF:
        return QRectF(LEFT, TOP, max(1, self.width() - LEFT), self.height() - TOP - FOOT)

    def column(self, number: int) -> QRectF:
        """The whole height over a day, by its place among the days."""
        plot = self._plot()
        width = plot.width() / max(1, len(self._days))
        return QRectF(plot.left() + number * width, plot.top(), width, plot.height())

    def _day_at(self, point: QPointF) -> int | None:
        for place in range(len(self._days)):
            if self.column(place).contains(point):
                return place
        return None

    # --- hands

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self._day_at(event.position())
        if number is not None:
            self.pick(self._days[number][0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() in steps and self._days:
            days = [day for day, _ in self._days]
            at = days.index(self._picked) if self._picked in days else len(days)
            wanted = days[max(0, min(len(days) - 1, at + steps[Qt.Key(event.key())]))]
            if wanted != self._picked:
                self.pick(wanted)
        elif event.key() == Qt.Key.Key_Escape and self._picked is not None:
            self.pick(None)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            number = self._day_at(QPointF(event.pos()))
            text = "" if number is None else plain_tip(self._words(*self._days[number]))
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    # --- drawing

    def sizeHint(self) -> QSize:
        return QSize(480, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        top = ceiling(max((spent.tokens for _, spent in self._days), default=0))
        self._paint_scale(painter, top)
        for place in range(len(self._days)):
            self._paint_day(painter, place, top)

    def _paint_scale(self, painter: QPainter, top: int) -> None:
        t, plot = current_tokens(), self._plot()
        painter.setFont(ui_font(10, MEDIUM))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for share in (0.0, 0.5, 1.0):
            y = round(plot.bottom() - share * plot.height())
            painter.fillRect(
                QRectF(plot.left(), y, plot.width(), 1), t.line2 if not share else t.line
            )
            painter.setPen(t.t3)
            painter.drawText(QRectF(0, y - 8, LEFT - 10, 16), right, short(int(top * share)))

    def _paint_day(self, painter: QPainter, number: int, top: int) -> None:
        t, column = current_tokens(), self.column(number)
        day, spent = self._days[number]
        is_picked = day == self._picked
        if is_picked:
            painter.fillRect(column, t.accent_soft)
            painter.fillRect(QRectF(column.left(), column.bottom(), column.width(), 2), t.ring)
        width = min(WIDEST, max(2.0, column.width() * 0.68))
        left = column.center().x() - width / 2
        read = column.height() * spent.prompt_tokens / top
        written = column.height() * spent.output_tokens / top
        if spent.prompt_tokens:
            bar = QRectF(left, column.bottom() - max(1.0, read), width, max(1.0, read))
            rounded(painter, bar, min(2.0, read / 2), t.ctl)
        if spent.output_tokens:
            high = max(1.5, written)
            bar = QRectF(left, column.bottom() - read - high - 1, width, high)
            rounded(painter, bar, min(2.0, high / 2), t.t1)
        if self._is_labelled(number) or is_picked:
            self._paint_label(painter, number, is_picked=is_picked)

    def _is_labelled(self, number: int) -> bool:
        """Counted from today, so that today always has its name."""
        every = 1
        while self.column(0).width() * every < 64:
            every *= 2
        picked = [at for at, (day, _) in enumerate(self._days) if day == self._picked]
        width = self.column(0).width()
        is_near = any(0 < abs(at - number) * width < 64 for at in picked)
        return (len(self._days) - 1 - number) % every == 0 and not is_near

    def _paint_label(self, painter: QPainter, number: int, *, is_picked: bool) -> None:
        t, column = current_tokens(), self.column(number)
        painter.setFont(ui_font(10, MEDIUM))
        painter.setPen(t.t1 if is_picked else t.t3)
        words = day_words(self._days[number][0], self._today)
        width = painter.fontMetrics().horizontalAdvance(words) + 4
        left = min(column.center().x() - width / 2, self.width() - width)
        area = QRectF(max(0.0, left), column.bottom() + 5, width, 16)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)
