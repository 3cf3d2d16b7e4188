"""How much of the story reaches the next prompt in which way, and what would mend the rest."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import N_, number, tr, trn
from app.prompt.reach import Reach
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label
from ui.story.lettering import centre_square, letters, meta
from ui.story.reach_look import (
    ICONS,
    SHOWN,
    paint_reach,
    reach_brush,
    reach_colour,
    reach_word,
)
from ui.story.scenes.bars import Amount
from ui.theme import current_tokens
from ui.theme.fonts import ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T3_ROLE
from ui.theme.style import rounded

ROW = 24
LEFT = 9
SWATCH = 10
ICON_LEFT = LEFT + SWATCH + 5
WORD_LEFT = ICON_LEFT + 20
NUMBERS_RIGHT = 8
TOKENS_WIDTH = 56
SEEN = N_("As in the newest prompt that SillyTavern sent.")
RECKONED = N_("Estimated: SillyTavern has not sent a prompt yet.")
CHANGED = N_("Estimated: the chat has changed since the newest prompt that SillyTavern sent.")
ONCE = N_("Each message counts once, for what tells most of it; its length is in tokens.")
CHOOSE = N_("Select these messages and go to the first; press again for the next.")
MENDS = N_("Suggestions to bring them in appear below.")


class _Row(QAbstractButton):
    """One way into the prompt, with its messages and tokens."""

    def __init__(self, reach: Reach, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reach = reach
        self._amount = Amount(0, 0)
        self.setFixedHeight(ROW)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_amount(self, amount: Amount) -> None:
        self._amount = amount
        self.setEnabled(amount.messages > 0)
        messages = trn("{n} message", "{n} messages", amount.messages)
        tokens = trn("{n} token", "{n} tokens", amount.tokens)
        said = f"{reach_word(self.reach)}: {messages}, {tokens}"
        self.setAccessibleName(said)
        said = f"{said}. {tr(ONCE)}"
        command = f"{tr(CHOOSE)} {tr(MENDS)}" if self.reach is Reach.NOT_AT_ALL else tr(CHOOSE)
        self.setToolTip(f"{said} {command}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, ROW)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = current_tokens()
        painter = QPainter(self)
        card, middle = QRectF(self.rect()).adjusted(3, 1, -3, -1), self.height() / 2
        if self.underMouse() and self.isEnabled():
            rounded(painter, card, 5, tokens.hover)
        if self.hasFocus():
            rounded(painter, card, 5, None, tokens.ring, tokens.ring_width)
        swatch = QRectF(LEFT, middle - SWATCH / 2, SWATCH, SWATCH)
        paint_reach(painter, tokens, self.reach, reach_brush(tokens, self.reach), swatch)
        ink = reach_colour(tokens, self.reach) if self.isEnabled() else tokens.t3
        pixmap = icon_pixmap(ICONS[self.reach], ink.name(), 14, self.devicePixelRatioF())
        painter.drawPixmap(centre_square(QRectF(ICON_LEFT, middle - 7, 14, 14), 14), pixmap)
        right = self.width() - NUMBERS_RIGHT
        loud = tokens.t2 if self.isEnabled() else tokens.t3
        meta().draw_right(painter, number(self._amount.tokens), tokens.t3, right, middle)
        right -= TOKENS_WIDTH
        count = number(self._amount.messages)
        word_right = meta().draw_right(painter, count, loud, right, middle) - 6
        word = reach_word(self.reach)
        meta().draw(painter, word, loud, WORD_LEFT, middle, word_right - WORD_LEFT)


class _Head(QWidget):
    """What the two columns of numbers count."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(18)
        self.setToolTip(tr(ONCE))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, painter = current_tokens(), QPainter(self)
        small, right = letters(10), self.width() - NUMBERS_RIGHT
        small.draw_right(painter, tr("Length"), tokens.t3, right, 9)
        small.draw_right(painter, tr("Messages"), tokens.t3, right - TOKENS_WIDTH, 9)


class ReachLegend(QWidget):
    """The ways into the prompt, a row each.

    Signals:
        reach_chosen: Reach whose messages are wanted.
        recaps_wanted: recaps of the scenes of which nothing is told for want of one.
        budget_wanted: more room in the prompt.
    """

    reach_chosen = Signal(object)
    recaps_wanted = Signal()
    budget_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = {reach: _Row(reach) for reach in SHOWN}
        self.source = Label(font=ui_font(11), tone=T3_ROLE)
        self.source.setWordWrap(True)
        self.source.setContentsMargins(LEFT, 2, 8, 2)
        self.recap_button = Button("", icon="book", role=ButtonRole.QUIET, flush=Qt.Edge.LeftEdge)
        self.budget_button = Button(
            tr("Give recaps more room"),
            icon="sliders",
            role=ButtonRole.QUIET,
            flush=Qt.Edge.LeftEdge,
        )
        for button in (self.recap_button, self.budget_button):  # a narrow list cuts no number off
            button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.recap_button.clicked.connect(self.recaps_wanted)
        self.budget_button.clicked.connect(self.budget_wanted)
        self._chosen: Reach | None = None
        self._scenes = 0
        self._not = 0
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(_Head())
        for row in self.rows.values():
            row.clicked.connect(self._on_clicked)
            column.addWidget(row)
        offers = QVBoxLayout()
        offers.setContentsMargins(LEFT, 0, 8, 0)
        offers.setSpacing(0)
        offers.addWidget(self.recap_button)
        offers.addWidget(self.budget_button)
        column.addLayout(offers)
        column.addWidget(self.source)
        self.setAccessibleName(tr("How messages get into the next prompt"))
        self.show_amounts({}, is_seen=False, scenes=0)

    def show_amounts(
        self,
        amounts: Mapping[Reach, Amount],
        *,
        is_seen: bool,
        scenes: int,
        was_sent: bool = False,
    ) -> None:
        """Show how much there is of each. is_seen: a real prompt showed it. scenes: that lack a
        recap, of those that are not told at all. was_sent: there was a prompt, of another state.
        """
        for reach, row in self.rows.items():
            row.set_amount(amounts.get(reach, Amount(0, 0)))
        self.source.setText(tr(SEEN if is_seen else CHANGED if was_sent else RECKONED))
        self._not = amounts.get(Reach.NOT_AT_ALL, Amount(0, 0)).messages
        self._scenes = scenes
        self._offer()

    def _on_clicked(self) -> None:
        row = self.sender()
        if isinstance(row, _Row):
            self._chosen = row.reach
            self._offer()
            self.reach_chosen.emit(row.reach)

    def _offer(self) -> None:
        """What would mend it, while those messages are looked at."""
        offers = self._chosen is Reach.NOT_AT_ALL and self._not > 0
        self.recap_button.setText(
            trn("Recap {n} scene without one", "Recap {n} scenes without one", self._scenes)
        )
        self.recap_button.setVisible(offers and self._scenes > 0)
        self.budget_button.setVisible(offers)
