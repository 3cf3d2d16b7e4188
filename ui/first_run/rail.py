"""The steps at the left of the first run: where one is, and what the done ones found."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import N_, tr
from app.llm.backends.specs import BUILTIN, KINDS, SILLYTAVERN
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label, body, safe_tip
from ui.controls.signs import Emblem, Sign
from ui.controls.surfaces import Surface
from ui.controls.wrapping import wrapped
from ui.first_run.step import Step
from ui.theme import current_tokens
from ui.theme.fonts import SEMIBOLD, display_font, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T2_ROLE
from ui.theme.style import rounded

WIDTH, NARROW = 332, 84
# Px of the window in which words have room across; and down: the card at the foot, all of it.
ROOMY, HAS_CARD, HAS_ALL = 860, 560, 660
WITH_WORDS = 160  # px of a row
ROW = 72
DISC = 28
INTRO = N_(
    "Long-term memory for your SillyTavern stories. Four steps; you can skip any of them and "
    "change it later."
)
STAYS = N_("Nothing leaves this computer")
WHY_IT_STAYS = N_("Your stories are read and kept on this computer. No account, no tracking.")
GOES_WITH_SILLYTAVERN = N_("Scenes are sent where your chats go")
WHY_WITH_SILLYTAVERN = N_(
    "SillyTavern's own connection receives the scenes to recap, just as it receives your chats."
)
GOES_TO_A_SERVER = N_("Scenes are sent to the server you name")
WHY_TO_A_SERVER = N_(
    "It receives the scenes to recap, and nobody else does. Your key is sent only there."
)


class StepRow(QAbstractButton):
    """A numbered disc, or a tick; the name, and what was found."""

    def __init__(self, number: int, name: str, *, is_last: bool) -> None:
        super().__init__()
        self._number = number
        self._is_last = is_last
        self._fact = ""
        self._is_done = self._is_here = False
        self.setText(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_state(self, fact: str, *, is_done: bool, is_here: bool) -> None:
        """How far this step is."""
        self._fact, self._is_done, self._is_here = fact, is_done, is_here
        state = tr("done") if is_done else tr("shown now") if is_here else tr("to do")
        self.setAccessibleName(
            tr("Step {number}, {text}: {state}", number=self._number, text=self.text(), state=state)
        )
        self.setAccessibleDescription(fact)
        self.setToolTip(safe_tip(f"{self.text()}: {fact}" if fact else self.text()))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(NARROW - 32, ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        t, painter = current_tokens(), QPainter(self)
        card = QRectF(0, 6, self.width(), ROW - 12)
        if self._is_here:
            rounded(painter, card, 8, t.raised, t.line)
        elif self.underMouse():
            rounded(painter, card, 8, t.hover)
        disc = QRectF(12, (ROW - DISC) / 2, DISC, DISC)
        painter.setPen(QPen(t.line2, 1))
        x = disc.center().x()
        if self._number > 1:
            painter.drawLine(QPointF(x, 0), QPointF(x, disc.top() - 2))
        if not self._is_last:
            painter.drawLine(QPointF(x, disc.bottom() + 2), QPointF(x, ROW))
        self._paint_disc(painter, disc)
        if self.width() < WITH_WORDS:
            return
        words = QRectF(58, 16, self.width() - 66, 20)
        small = QFontMetrics(ui_font(12))
        facts = wrapped(self._fact, small, int(words.width()))
        if len(facts) > 1:
            words.translate(0, -7)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.setFont(ui_font(13, SEMIBOLD))
        painter.setPen(t.t1 if self._is_here or self._is_done else t.t2)
        painter.drawText(words, left, self.text())
        painter.setFont(ui_font(12))
        painter.setPen(t.t2 if self._is_here else t.t3)
        for number, fact in enumerate(facts):
            painter.drawText(words.translated(0, 19 + 15 * number), left, fact)

    def _paint_disc(self, painter: QPainter, disc: QRectF) -> None:
        t = current_tokens()
        middle = Qt.AlignmentFlag.AlignCenter
        if self._is_here:
            rounded(painter, disc, DISC / 2, t.accent)
        elif self._is_done:
            rounded(painter, disc, DISC / 2, t.included.fill)
        else:
            rounded(painter, disc, DISC / 2, None, t.ctl, 1.35)
        if self._is_done and not self._is_here:
            tick = icon_pixmap("check", t.stage, 16, self.devicePixelRatioF())
            painter.drawPixmap(
                disc.center().toPoint().x() - 7, disc.center().toPoint().y() - 7, tick
            )
            return
        painter.setFont(ui_font(12.5, SEMIBOLD))
        painter.setPen(t.accent_ink if self._is_here else t.t2)
        painter.drawText(disc, middle, str(self._number))


class StepRail(QWidget):
    """All steps, and the way past them.

    Signals:
        step_wanted: number of the step, from 0.
        demo_wanted: the user wants to see the demo story, and none of this.
    """

    step_wanted = Signal(int)
    demo_wanted = Signal()

    def __init__(self, steps: Sequence[Step]) -> None:
        super().__init__()
        self.setFixedWidth(WIDTH)
        self._steps = steps
        self.rows: list[StepRow] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 24, 16, 16)
        column.setSpacing(0)
        title = Label("Tavernkeep", font=display_font(17))
        head = QHBoxLayout()
        head.setContentsMargins(8, 0, 8, 0)
        head.setSpacing(12)
        head.addWidget(Emblem(34))
        head.addWidget(title, 1)
        self._title = title
        self._intro = Label(tr(INTRO), font=ui_font(13), tone=T2_ROLE, wraps=True)
        self._intro.setContentsMargins(12, 0, 12, 0)
        column.addLayout(head)
        column.addSpacing(20)
        column.addWidget(self._intro)
        column.addSpacing(24)
        for number, step in enumerate(steps):
            row = StepRow(number + 1, tr(step.name), is_last=number == len(steps) - 1)
            row.clicked.connect(self._on_row)
            self.rows.append(row)
            column.addWidget(row)
        column.addStretch(1)
        demo = Button(
            tr("Skip all and open the demo story"),
            icon="book",
            role=ButtonRole.QUIET,
            flush=Qt.Edge.LeftEdge,
        )
        demo.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        demo.clicked.connect(self.demo_wanted)
        under = QHBoxLayout()
        under.setContentsMargins(14, 0, 14, 0)
        under.addWidget(demo)
        column.addLayout(under)
        column.addSpacing(12)
        self._place = Label(font=ui_font(12.5, SEMIBOLD), wraps=True)
        self._why = body("")
        self._sign = Sign("lock")
        self._card = _card(self._sign, self._place, self._why)
        column.addWidget(self._card)
        self.show_destination(BUILTIN, "")

    def fit(self, size: QSize) -> None:
        """Keep to what has room in a window so large: in a narrow one discs alone."""
        is_wide = size.width() >= ROOMY
        self.setFixedWidth(WIDTH if is_wide else NARROW)
        self._title.setVisible(is_wide)
        self._card.setVisible(is_wide and size.height() >= HAS_CARD)
        self._intro.setVisible(is_wide and size.height() >= HAS_ALL)

    @property
    def privacy(self) -> str:
        """What is said of where stories go."""
        return self._place.text()

    def show_destination(self, kind: str, url: str) -> None:
        """Say where stories go with this kind of backend, at this address."""
        place, why = STAYS, WHY_IT_STAYS
        if kind == SILLYTAVERN:
            place, why = GOES_WITH_SILLYTAVERN, WHY_WITH_SILLYTAVERN
        elif KINDS[kind].asks_url and not is_here(url):
            place, why = GOES_TO_A_SERVER, WHY_TO_A_SERVER
        self._sign.set_icon("lock" if place == STAYS else "link")
        self._place.setText(tr(place))
        self._why.setText(tr(why))

    def show_steps(self, current: int) -> None:
        """Say where one is, and what each step has found."""
        for number, (row, step) in enumerate(zip(self.rows, self._steps, strict=True)):
            found = step.found
            row.show_state(found or tr(step.hint), is_done=bool(found), is_here=number == current)

    def _on_row(self) -> None:
        for number, row in enumerate(self.rows):
            if row is self.sender():
                self.step_wanted.emit(number)


def is_here(url: str) -> bool:
    """Whether an address is on this machine."""
    try:
        host = (urlsplit(url).hostname or "").casefold()
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _card(sign: QWidget, title: QWidget, words: QWidget) -> QWidget:
    card = Surface("stage", edge="line")
    head = QHBoxLayout()
    head.setSpacing(8)
    head.addWidget(sign)
    head.addWidget(title, 1)
    column = QVBoxLayout(card)
    column.setContentsMargins(14, 12, 14, 12)
    column.setSpacing(6)
    column.addLayout(head)
    column.addWidget(words)
    return card
