"""One track that is slider and gauge: fill is what is used, the thumb the budget, the hatch what is
cut."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QToolTip

from app.core.translation import number, tr
from ui.budgets import words
from ui.budgets.facts import TOTAL_HUE, RowFacts
from ui.budgets.scale import Scale
from ui.story.lettering import hatch_brush, letters
from ui.theme import current_tokens
from ui.theme.fonts import SEMIBOLD
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded
from ui.theme.tokens import NO_FILL, Tokens, faded

BAR = 13
THUMB_WIDTH, THUMB_HEIGHT = 7, 20
RADIUS = 3.0
EDGE = 5  # px at both ends, so that a thumb at 0 is whole
CUT_ROOM = 64  # px at the right end for what is cut, in words
KEYS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Down: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Up: 1,
}


class BudgetTrack(QAbstractSlider):
    """Steps of 50 tokens, with Shift of 10. Nothing is final until it is let go.

    Signals:
        moved: the value while it moves.
        settled: the value that is meant, once: when the pointer or the key is let go.
        cancelled: Escape: the value is as it was.
        cut_pressed: what is cut is to be seen; the value stays as it is.
    """

    moved = Signal(int)
    settled = Signal(int)
    cancelled = Signal()
    cut_pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._facts: RowFacts | None = None
        self._scale = Scale()
        self._before: int | None = None  # while it moves: what it was
        self._by_key = False
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setMouseTracking(True)
        # It draws its own ring, around the thumb.
        self.setAttribute(Qt.WidgetAttribute.WA_MacShowFocusRect)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def is_moving(self) -> bool:
        """Whether a value is shown that is not meant yet."""
        return self._before is not None

    def show_facts(self, facts: RowFacts, scale: Scale) -> None:
        """Show a row; where it is being moved, the thumb stays under the hand."""
        self._facts, self._scale = facts, scale
        if self.isEnabled() == bool(facts.why_fixed):
            self.setEnabled(not facts.why_fixed)
        self.setSingleStep(words.STEP if facts.unit == 1.0 else 1)
        self.setPageStep(words.PAGE_STEP if facts.unit == 1.0 else 5)
        was_blocked = self.blockSignals(True)
        if (self.minimum(), self.maximum()) != (facts.minimum, facts.maximum):
            self.setRange(facts.minimum, facts.maximum)
        if not self.is_moving:
            self.setValue(facts.value)
        self.blockSignals(was_blocked)
        self.setAccessibleName(tr("Budget of {slot}", slot=facts.title))
        self.setAccessibleDescription(
            words.spoken_row(facts.title, facts.used, facts.budget, facts.full, facts.lent)
        )
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, 36)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 30)

    # Places

    @property
    def span(self) -> float:
        """Px that the scale takes."""
        return max(1.0, self.width() - 2.0 * EDGE - CUT_ROOM)

    def place(self, tokens: float) -> float:
        """Px from the left edge."""
        return EDGE + self._scale.place(tokens, self.span)

    @property
    def thumb(self) -> QRectF:
        """Where the thumb is."""
        unit = self._facts.unit if self._facts else 1.0
        middle = round(self.place(self.value() * unit))
        return QRectF(
            middle - THUMB_WIDTH / 2, (self.height() - THUMB_HEIGHT) / 2, THUMB_WIDTH, THUMB_HEIGHT
        )

    def _cut_from(self, facts: RowFacts) -> float:
        """Px at which the hatch of what is cut begins."""
        budget = self.value() * facts.unit
        return max(self.place(min(facts.turn, budget)), self.place(facts.used))

    def _is_on_cut(self, point: QPointF) -> bool:
        """Whether what is cut is there: hatch, figure, scissors. The thumb goes first."""
        facts = self._facts
        if facts is None or not facts.cut or self._is_on_thumb(point):
            return False
        return point.x() > self._cut_from(facts)

    def _is_on_thumb(self, point: QPointF) -> bool:
        return self.thumb.adjusted(-5, -8, 5, 8).contains(point)

    def _value_at(self, x: float, *, fine: bool) -> int:
        unit = self._facts.unit if self._facts else 1.0
        tokens = self._scale.tokens_at(x - EDGE, self.span)
        step = 1 if unit != 1.0 else words.SMALL_STEP if fine else words.STEP
        value = round(tokens / unit / step) * step
        return max(self.minimum(), min(self.maximum(), value))

    # Moving

    def _move(self, value: int) -> None:
        if self._before is None:
            self._before = self.value()
        if value != self.value():
            self.setValue(value)
            self.moved.emit(value)
            self.update()

    def settle(self) -> None:
        """What is shown is meant."""
        before, self._before = self._before, None
        self.setSliderDown(False)
        self.update()
        if before is not None and before != self.value():
            self.settled.emit(self.value())

    def cancel(self) -> None:
        """Back to what it was before it moved."""
        if self._before is not None:
            self.setValue(self._before)
            self._before = None
            self.setSliderDown(False)
            self.cancelled.emit()
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._by_key = False
        if event.button() != Qt.MouseButton.LeftButton or not self.isEnabled():
            event.ignore()
            return
        if self._is_on_cut(event.position()):
            self.cut_pressed.emit()
            return
        self.setSliderDown(True)
        self._before = self.value() if self._before is None else self._before
        if not self._is_on_thumb(event.position()):
            self._drag(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._drag(event)
        elif self._is_on_cut(event.position()):
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self.unsetCursor()

    def _drag(self, event: QMouseEvent) -> None:
        fine = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._move(self._value_at(event.position().x(), fine=fine))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.isSliderDown():
            self.settle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._by_key = True
        fine = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        step = self.singleStep() if not fine else min(self.singleStep(), words.SMALL_STEP)
        value, key = self.value(), event.key()
        if key in KEYS:
            self._move(self._stepped(value, KEYS[Qt.Key(key)], step))
        elif key == Qt.Key.Key_PageUp:
            self._move(min(self.maximum(), value + self.pageStep()))
        elif key == Qt.Key.Key_PageDown:
            self._move(max(self.minimum(), value - self.pageStep()))
        elif key == Qt.Key.Key_Home:
            self._move(self.minimum())
        elif key == Qt.Key.Key_End:
            self._move(self.maximum())
        elif key == Qt.Key.Key_Escape and self.is_moving:
            self.cancel()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.is_moving:
            self.settle()
        else:
            event.ignore()

    def _stepped(self, value: int, sign: int, step: int) -> int:
        """The next multiple of the step in a direction."""
        stepped = (value // step + 1) * step if sign > 0 else (value - 1) // step * step
        return max(self.minimum(), min(self.maximum(), stepped))

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.isAutoRepeat():
            return
        if self.is_moving and not self.isSliderDown():
            self.settle()
        else:
            event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A wheel scrolls the page and changes nothing."""
        event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._by_key = event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
        )
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.is_moving and not self.isSliderDown():
            self.settle()
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and self._facts is not None:
            QToolTip.showText(event.globalPos(), track_tip(self._facts), self)
            return True
        is_early = event.type() == QEvent.Type.ShortcutOverride
        if is_early and isinstance(event, QKeyEvent) and self._takes(Qt.Key(event.key())):
            event.accept()
            return True
        return super().event(event)

    def _takes(self, key: Qt.Key) -> bool:
        """Whether a key is ours, before it is anybody's shortcut."""
        if key == Qt.Key.Key_Escape:
            return self.is_moving
        return key in (*KEYS, Qt.Key.Key_Home, Qt.Key.Key_End)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        facts = self._facts
        if facts is None:
            return
        t = current_tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = round((self.height() - BAR) / 2)
        hue = hue_of(t, facts.hue)
        budget = self.value() * facts.unit
        at_budget, at_used = self.place(budget), self.place(facts.used)
        track = QRectF(EDGE, top, max(RADIUS * 2, at_budget - EDGE), BAR)
        rounded(painter, track, RADIUS, t.well, t.line2)
        if facts.used:
            self._paint_used(painter, t, hue, top, at_used, at_budget)
        if facts.cut:
            self._paint_cut(painter, t, facts, top, self._cut_from(facts))
        self._paint_marks(painter, t, facts, top)
        self._paint_thumb(painter, t)

    def _paint_used(
        self,
        painter: QPainter,
        t: Tokens,
        hue: QColor,
        top: float,
        at_used: float,
        at_budget: float,
    ) -> None:
        """Within the budget the tier's hue; beyond it, what others lent, paler."""
        inside = min(at_used, at_budget)
        rounded(painter, QRectF(EDGE, top, max(RADIUS * 2, inside - EDGE), BAR), RADIUS, hue)
        if at_used > at_budget + 1:
            beyond = QRectF(at_budget, top + 2, at_used - at_budget, BAR - 4)
            rounded(painter, beyond, RADIUS, faded(hue, 0.5))

    def _paint_cut(
        self, painter: QPainter, t: Tokens, facts: RowFacts, top: float, left: float
    ) -> None:
        """The hatch of what is cut, and how much that is."""
        right = max(left + 6, min(self.place(facts.full), EDGE + self.span))
        right = max(right, self.thumb.right())
        area = QRectF(left + 2, top + 0.5, right - left - 2, BAR - 1)
        brush = hatch_brush(t.out_of_budget.text, NO_FILL)
        painter.setPen(QPen(t.out_of_budget.text, 1))
        painter.setBrush(QBrush(brush))
        painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        middle = self.height() / 2
        end = letters(12, SEMIBOLD).draw(
            painter, f"−{number(facts.cut)}", t.out_of_budget.text, right + 9, middle
        )
        if end + 18 <= self.width():
            pixmap = icon_pixmap("scissors", t.out_of_budget.text, 13, self.devicePixelRatioF())
            painter.drawPixmap(QPointF(round(end + 5), round(middle - 6.5)), pixmap)

    def _paint_marks(self, painter: QPainter, t: Tokens, facts: RowFacts, top: float) -> None:
        """Below the bar where it once reached; across it the turn's own budget, and the user's."""
        painter.setPen(Qt.PenStyle.NoPen)
        if facts.most > facts.full:
            x = round(self.place(min(facts.most, self._scale.ceiling)))
            painter.fillRect(QRectF(x - 1, top + BAR + 2, 2, 4), t.t3)
        for tokens in {facts.turn, facts.own} - {facts.budget}:
            x = round(self.place(tokens))
            painter.fillRect(QRectF(x - 0.5, top - 3, 1, BAR + 6), t.t2)

    def _paint_thumb(self, painter: QPainter, t: Tokens) -> None:
        area = self.thumb
        has_focus = self.hasFocus() and self._by_key
        if not self.isEnabled():
            line = QRectF(area.center().x() - 1, area.top() + 2, 2, area.height() - 4)
            painter.fillRect(line, t.t2)
            return
        if has_focus:
            rounded(painter, area.adjusted(-3, -3, 3, 3), 6, None, t.ring, t.ring_width)
        is_lit = self.isSliderDown() or has_focus
        rounded(painter, area, 3, t.accent if is_lit else t.t1)
        grip = QRectF(area.center().x() - 0.75, area.top() + 5, 1.5, area.height() - 10)
        painter.fillRect(grip, t.accent_ink if is_lit else t.stage)


def hue_of(t: Tokens, hue: str) -> QColor:
    """The colour that names a tier; the total has none of its own, recaps are included."""
    if hue == TOTAL_HUE:
        return QColor(t.t3)
    return QColor(t.slot_hues[hue]) if hue else QColor(t.included.fill)


def track_tip(facts: RowFacts) -> str:
    """What the track shows, a sentence for each mark."""
    if facts.why_fixed:
        said = [facts.why_fixed]
    else:
        said = [
            tr(
                "{title} may use {tokens}.",
                title=facts.title,
                tokens=words.tokens_words(facts.budget),
            )
        ]
    if facts.cut:
        said.append(
            tr(
                "Cut: {tokens} of {full} do not fit.",
                tokens=words.tokens_words(facts.cut),
                full=number(facts.full),
            )
        )
    if facts.lent:
        said.append(
            tr(
                "{tokens} are lent by kinds of memory that need less.",
                tokens=words.tokens_words(facts.lent),
            )
        )
    if facts.turn != facts.budget and facts.name is None:
        said.append(
            tr("The next prompt has room for {turn} of it: the thin line.", turn=number(facts.turn))
        )
    elif facts.turn != facts.budget:
        said.append(
            tr("In this kind of turn it becomes {turn}: the thin line.", turn=number(facts.turn))
        )
    if facts.own != facts.budget:
        said.append(tr("Your own value is {own}.", own=number(facts.own)))
    if facts.most > facts.full:
        said.append(
            tr("The most it has needed here: {most}, marked below.", most=number(facts.most))
        )
    return "\n".join(said)
