"""A row of the budgets page: what the slot is, its track, what it uses, its budget in figures."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QHBoxLayout,
    QSizePolicy,
    QSpinBox,
    QToolTip,
    QWidget,
)

from app.core.translation import number, tr
from ui.budgets import words
from ui.budgets.facts import RowFacts
from ui.budgets.scale import Scale
from ui.budgets.track import BudgetTrack, hue_of
from ui.controls.buttons import IconButton
from ui.story.lettering import letters, meta
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.style import rounded

SHARE_RIGHT = 13  # px from the edge of a field to its figures
NAME_WIDTH, USED_WIDTH, FIELD_WIDTH, RESET_WIDTH = 174, 56, 74, 24
GAP = 10
LEFT, RIGHT = 12, 8
LEAST_HEIGHT, BEST_HEIGHT = 39, 57
STEP_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class SlotRow(QWidget):
    """One budget.

    Signals:
        chosen: it is what the pane is to be about.
        moved, settled: value of the setting, while it moves and when it is meant.
        cancelled: it is as it was.
        reset_asked: what holds for all chats is to hold here.
    """

    chosen = Signal()
    moved = Signal(int)
    settled = Signal(int)
    cancelled = Signal()
    reset_asked = Signal()

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key
        self.facts: RowFacts | None = None
        self._shown: tuple[RowFacts, Scale, bool] | None = None
        self._is_chosen = False
        self.name = _Name()
        self.track = BudgetTrack()
        self.used = _Used()
        self.field = TokenField()
        self.reset = _Reset()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(LEAST_HEIGHT)
        self.setMaximumHeight(BEST_HEIGHT)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        row = QHBoxLayout(self)
        row.setContentsMargins(LEFT, 0, RIGHT, 0)
        row.setSpacing(GAP)
        row.addWidget(self.name)
        row.addWidget(self.track, 1)
        row.addWidget(self.used)
        row.addWidget(self.field)
        row.addWidget(self.reset)
        self.track.moved.connect(self._on_moved)
        self.track.settled.connect(self.settled)
        self.track.cancelled.connect(self.cancelled)
        self.track.cut_pressed.connect(self.chosen)  # the pane lists it
        self.field.moved.connect(self._on_moved)
        self.field.settled.connect(self.settled)
        self.reset.clicked.connect(self.reset_asked)
        for widget in (self.track, self.field):
            widget.installEventFilter(self)

    @property
    def is_moving(self) -> bool:
        """Whether a value is shown that is not meant yet."""
        return self.track.is_moving or self.field.is_moving

    def show_facts(self, facts: RowFacts, scale: Scale, *, is_own: bool) -> None:
        """is_own: whether this chat has a value of its own, which can be reset."""
        shown = (facts, scale, is_own)
        if shown == self._shown:
            return  # most rows stay as they are while one moves
        self._shown, self.facts = shown, facts
        self.name.show_facts(facts)
        self.track.show_facts(facts, scale)
        self.used.show_facts(facts)
        self.field.show_facts(facts)
        self.reset.set_name(
            tr("Reset the budget of {slot} to the one for all chats", slot=facts.title)
        )
        self.reset.setEnabled(is_own)
        self._show_reset()

    def choose(self, is_chosen: bool) -> None:
        """Mark it as what the pane is about."""
        if is_chosen != self._is_chosen:
            self._is_chosen = is_chosen
            self._show_reset()
            self.update()

    def _on_moved(self, value: int) -> None:
        self.chosen.emit()
        self.moved.emit(value)

    def _show_reset(self) -> None:
        self.reset.set_near(self.underMouse() or self._is_chosen)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn:
            self.chosen.emit()
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.chosen.emit()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._show_reset()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._show_reset()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        area = QRectF(self.rect()).adjusted(0, 1, 0, -1)
        if self._is_chosen:
            rounded(painter, area, 8, t.raised)
            bar = QRectF(0, area.center().y() - 14, 3, 28)
            rounded(painter, bar, 1.5, t.ring if self._has_focus() else t.t3)
        elif self.underMouse():
            rounded(painter, area, 8, t.hover)

    def _has_focus(self) -> bool:
        return self.track.hasFocus() or self.field.hasFocus() or self.underMouse()


class _Name(QWidget):
    """Swatch, name, and where it stands."""

    def __init__(self) -> None:
        super().__init__()
        self._facts: RowFacts | None = None
        self.setFixedWidth(NAME_WIDTH)

    def show_facts(self, facts: RowFacts) -> None:
        if facts is not self._facts:
            self._facts = facts
            self.setAccessibleName(f"{facts.title}, {facts.place}")
            self.setToolTip(facts.meaning)
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._facts is None:
            return
        t = current_tokens()
        painter = QPainter(self)
        middle = self.height() / 2
        rounded(painter, QRectF(0, middle - 5, 10, 10), 3, hue_of(t, self._facts.hue))
        room = self.width() - 20.0
        letters(13, MEDIUM).draw(painter, self._facts.title, t.t1, 20, middle - 8, room)
        meta().draw(painter, self._facts.place, t.t3, 20, middle + 8, room)


class _Reset(IconButton):
    """Seen where the hand or the keyboard is, and nowhere else."""

    def __init__(self) -> None:
        super().__init__("undo", tr("Reset"), side=RESET_WIDTH, icon_size=13)
        self._is_near = False

    def set_near(self, is_near: bool) -> None:
        """Whether its row is under the hand."""
        if is_near != self._is_near:
            self._is_near = is_near
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.isEnabled() and (self._is_near or self.hasFocus()):
            super().paintEvent(event)


class _Used(QWidget):
    """Tokens that the slot takes in the next prompt."""

    def __init__(self) -> None:
        super().__init__()
        self._facts: RowFacts | None = None
        self.setFixedWidth(USED_WIDTH)

    def show_facts(self, facts: RowFacts) -> None:
        if self._facts is None or facts.used != self._facts.used:
            self.setAccessibleName(
                tr(
                    "{title} uses {tokens}",
                    title=facts.title,
                    tokens=words.tokens_words(facts.used),
                )
            )
            self.update()
        self._facts = facts

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and self._facts is not None:
            QToolTip.showText(event.globalPos(), used_tip(self._facts), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._facts is not None:
            letters(13, SEMIBOLD).draw_right(
                QPainter(self),
                number(self._facts.used),
                current_tokens().t1,
                self.width(),
                self.height() / 2,
            )


class TokenField(QSpinBox):
    """A budget in figures; a step is meant when Return is pressed or the field is left.

    Signals:
        moved: value while it changes. settled: value that is meant.
    """

    moved = Signal(int)
    settled = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._facts: RowFacts | None = None
        self._before: int | None = None
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setGroupSeparatorShown(True)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFont(ui_font(13, SEMIBOLD))
        self.setFixedSize(FIELD_WIDTH, 27)
        self.setKeyboardTracking(False)
        # What is too little becomes the least; the number from before would come back unexplained.
        self.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToNearestValue)
        self.lineEdit().setTextMargins(0, 0, 6, 0)
        self.valueChanged.connect(self._on_changed)
        self.editingFinished.connect(self.settle)

    @property
    def is_moving(self) -> bool:
        """Whether a value is shown that is not meant yet."""
        return self._before is not None

    def show_facts(self, facts: RowFacts) -> None:
        was_blocked = self.blockSignals(True)
        if self._facts is None or _bounds(facts) != _bounds(self._facts):
            self.setEnabled(not facts.why_fixed)
            self.setAccessibleName(tr("Budget of {slot}, as a number", slot=facts.title))
            self.setSuffix("" if facts.unit == 1.0 else " %")
            self.setSingleStep(words.STEP if facts.unit == 1.0 else 1)
            self.setRange(facts.minimum, facts.maximum)
        was_share, self._facts = self._facts is not None and self._facts.is_share, facts
        if facts.is_share is not was_share:
            self.setRange(facts.minimum, facts.maximum)
            self.lineEdit().setText(self.prefix() + self.textFromValue(facts.value) + self.suffix())
        if not self.is_moving:
            self.setValue(facts.value)
        self.blockSignals(was_blocked)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A share is no field: only what stands for its figure is shown, in line with others."""
        if self._facts is None or not self._facts.is_share:
            super().paintEvent(event)
            return
        ink, right = current_tokens().t3, self.width() - SHARE_RIGHT
        letters(13, SEMIBOLD).draw_right(QPainter(self), self.text(), ink, right, self.height() / 2)

    def textFromValue(self, value: int) -> str:
        # Others lend it what they do not need: a figure here would look like a bound.
        if self._facts is not None and self._facts.is_share:
            return "–"
        return super().textFromValue(value)

    def _on_changed(self, value: int) -> None:
        if self._before is None:
            self._before = -1
        self.moved.emit(value)

    def settle(self) -> None:
        """What stands there is meant."""
        if self._before is not None:
            self._before = None
            self.settled.emit(self.value())

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        super().keyReleaseEvent(event)
        if not event.isAutoRepeat() and event.key() in STEP_KEYS:
            self.settle()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and self._facts is not None:
            tip = self._facts.why_fixed or field_tip(self._facts)
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A wheel scrolls the page and changes nothing."""
        event.ignore()


def used_tip(facts: RowFacts) -> str:
    """What the figure means."""
    words_ = words.tokens_words(facts.used)
    if not facts.full:
        return tr("{title}: nothing to tell in the next prompt.", title=facts.title)
    return tr(
        "{words} of the next prompt, including its heading. In full: {full}.",
        words=words_,
        full=number(facts.full),
    )


def field_tip(facts: RowFacts) -> str:
    """What may be written into the field."""
    if facts.unit != 1.0:
        return tr("Percent of the context, now {tokens}.", tokens=words.tokens_words(facts.budget))
    return tr(
        "Maximum in tokens, from {minimum} to {maximum}.",
        minimum=number(facts.minimum),
        maximum=number(facts.maximum),
    )


def _bounds(facts: RowFacts) -> tuple[object, ...]:
    return facts.title, facts.minimum, facts.maximum, facts.unit, bool(facts.why_fixed)
