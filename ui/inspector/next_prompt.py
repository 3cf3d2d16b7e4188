"""The foot of the inspector: what the next prompt holds, and what is cut."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.core.translation import number, tr, trn
from app.prompt.slot_names import slot_name
from app.prompt.slots import Slot, SlotSet
from ui.controls.bars import BudgetBar
from ui.controls.buttons import Button
from ui.controls.labels import ElidedLabel, Label, body, section
from ui.core.slot_words import SLOT_TIERS, slot_meaning, used_words
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.palette import T2_ROLE, T3_ROLE

LEAST_ROWS = 64  # px
FIGURE_WIDTH, CUT_WIDTH = 36, 44  # px for 9,999 and for −9,999


class NextPrompt(QWidget):
    """One line per slot: name, bar, tokens, and in red what did not fit."""

    def __init__(self, see_text: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._has_cuts = False
        self._who = ElidedLabel(font=ui_font(12), tone=T3_ROLE)
        self._who.setAlignment(Qt.AlignmentFlag.AlignRight)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(section(tr("Next prompt")))
        head.addWidget(self._who, 1)
        self.area = _Rows()
        self._rows = self.area.grid
        self._rows.setHorizontalSpacing(8)
        self._rows.setVerticalSpacing(7)
        self._rows.setColumnStretch(1, 1)
        self._nothing = body(tr("Nothing is added to the prompt yet."))
        self._button = Button(tr("See the exact text"), icon="prompt")
        self._button.follow(see_text)
        self._button.setSizePolicy(
            self._button.sizePolicy().Policy.Expanding, self._button.sizePolicy().verticalPolicy()
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(12)
        column.addLayout(head)
        column.addWidget(self._nothing)
        column.addWidget(self.area)
        column.addWidget(self._button)

    def show_counting(self) -> None:
        """What goes into the coming turn is not known yet."""
        self.show_slots(SlotSet(), "")
        self._nothing.setText(tr("Counting …"))

    def show_slots(self, slots: SlotSet, who: str) -> None:
        """Show the slots of the coming turn; `who` answers it."""
        self._who.setText(who)
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        scale = max((max(slot.full_tokens, slot.budget) for slot in slots.slots), default=1)
        self._has_cuts = any(slot.full_tokens > slot.tokens for slot in slots.slots)
        elsewhere = {content.key: content.of_other_chats for content in slots.contents}
        for row, slot in enumerate(slots.slots):
            self._add_row(row, slot, scale, elsewhere.get(slot.key, 0))
        why = " ".join(slots.warnings)  # as where Tavernkeep is off for the chat
        self._nothing.setText(why or tr("Nothing is added to the prompt yet."))
        self._nothing.setVisible(not slots.slots)
        self.area.setVisible(bool(slots.slots))
        self.area.updateGeometry()

    def _add_row(self, row: int, slot: Slot, scale: int, elsewhere: int) -> None:
        """elsewhere: how many memories of other chats it tells."""
        name = Label(slot_name(slot.key), font=ui_font(12), tone=T2_ROLE)
        told = trn("{n} of another chat", "{n} of other chats", elsewhere) if elsewhere else ""
        name.setToolTip("\n".join(filter(None, (slot_meaning(slot.key), told))))
        bar = BudgetBar(height=6)
        bar.set_values(slot.tokens, slot.budget, wanted=slot.full_tokens, scale=scale)
        bar.setAccessibleName(f"{slot_name(slot.key)}: {used_words(slot)}")
        cut = max(0, slot.full_tokens - slot.tokens)
        figures = _Figures(slot.tokens, cut, has_cuts=self._has_cuts)
        if cut:
            figures.setToolTip(
                tr(
                    "Cut: {cut} tokens of {slot} do not fit in {budget}.",
                    cut=number(cut),
                    slot=slot_name(slot.key),
                    budget=number(slot.budget),
                )
            )
        self._rows.addWidget(name, row, 0)
        self._rows.addWidget(bar, row, 1)
        self._rows.addWidget(figures, row, 2)


class _Rows(QScrollArea):
    """All rows at their full height; only those that there is no room for are scrolled to."""

    def __init__(self) -> None:
        super().__init__()
        rows = QWidget()
        self.grid = QGridLayout(rows)
        self.grid.setContentsMargins(0, 0, 0, 0)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAccessibleName(tr("Next prompt"))
        self.setWidget(rows)
        self.viewport().setAutoFillBackground(False)
        rows.setAutoFillBackground(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A new row has a size only once it is shown."""
        if watched is self.widget() and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def sizeHint(self) -> QSize:
        return self.grid.sizeHint()

    def minimumSizeHint(self) -> QSize:
        hint = self.grid.sizeHint()
        return QSize(self.grid.minimumSize().width(), min(hint.height(), LEAST_ROWS))


class _Figures(QWidget):
    """486 −245: used in the text's tone, cut in red; each flush right, in all rows alike."""

    def __init__(self, used: int, cut: int, *, has_cuts: bool) -> None:
        super().__init__()
        self._used, self._cut = number(used), f"−{number(cut)}" if cut else ""
        words = trn("{n} token", "{n} tokens", used)
        if cut:
            words = tr("{tokens}, {cut} cut", tokens=words, cut=number(cut))
        self.setAccessibleName(words)
        self._beside = CUT_WIDTH if has_cuts else 0
        self.setFixedSize(FIGURE_WIDTH + self._beside, 16)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        painter.setFont(ui_font(12, SEMIBOLD))
        painter.setPen(t.t1)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect().adjusted(0, 0, -self._beside, 0), right, self._used)
        painter.setFont(ui_font(12, MEDIUM))
        painter.setPen(QColor(t.out_of_budget.text))
        painter.drawText(self.rect(), right, self._cut)


def slot_fill(slot: Slot) -> QColor | None:
    """The hue of the slot's tier; None for the running recap, which is green like all included."""
    tier = SLOT_TIERS.get(slot.key)
    return current_tokens().slot_hues[tier] if tier else None
