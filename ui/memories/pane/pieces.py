"""Small parts of the panes: a link to a message, a tag, a proof, a step of a history."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import tr
from app.memory.documents.browsing import sentence_of
from app.memory.records import Tier
from app.memory.standing import Standing
from app.story.messages import Message
from ui.controls.labels import ElidedLabel, Label, meta, plain_tip, safe_tip, section
from ui.controls.surfaces import Surface
from ui.memories.listing.delegate import tier_hue
from ui.memories.words import excerpt, history_words
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, story_font, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T2_ROLE, T3_ROLE
from ui.theme.style import rounded

PROOF_LETTERS = 220


class Link(QAbstractButton):
    """Words that lead somewhere; blue, as sources are in the table."""

    def __init__(self, text: str, tip: str = "", *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(ui_font(12, SEMIBOLD))
        self.set_text(text, tip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_text(self, text: str, tip: str = "") -> None:
        """Lead somewhere else."""
        self.setText(text)
        self.setToolTip(safe_tip(tip))
        self.setAccessibleName(tip.rstrip(".") if tip else text)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        font = QFont(self.font())
        font.setUnderline(self.underMouse() and self.isEnabled())
        painter.setFont(font)
        painter.setPen(t.long_term.text if self.isEnabled() else t.t3)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect(), left, self.text())


class TierLine(QWidget):
    """A tier's swatch with its name, and a fact at the right."""

    def __init__(self) -> None:
        super().__init__()
        self._tier = Tier.LONG_TERM
        self._name = ElidedLabel(font=ui_font(12, SEMIBOLD), tone=T2_ROLE)
        self._fact = meta()
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._name, 1)
        row.addWidget(self._fact)

    def show_tier(self, tier: Tier, name: str, fact: str = "") -> None:
        """Say what it is."""
        self._tier = tier
        self._name.setText(name)
        self._fact.setText(fact)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        swatch = QRectF(0, self.height() / 2 - 5, 10, 10)
        rounded(painter, swatch, 3, tier_hue(current_tokens(), self._tier))


class Tag(QWidget):
    """An icon and words on a well: why something is to be looked at."""

    def __init__(self, icon: str, text: str, tone: str = "t2") -> None:
        super().__init__()
        self._icon, self._text, self._tone = icon, text, tone
        self.setAccessibleName(text)
        self.setToolTip(plain_tip(text))
        self.setFixedHeight(21)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        width = QFontMetrics(ui_font(11, SEMIBOLD)).horizontalAdvance(self._text)
        return QSize(width + 33, 21)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, 21)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        rounded(painter, self.rect(), 5, t.well)
        named = getattr(t, self._tone)
        ink = named.text if hasattr(named, "text") else named
        painter.drawPixmap(7, 4, icon_pixmap(self._icon, ink, 13, self.devicePixelRatioF()))
        painter.setFont(ui_font(11, SEMIBOLD))
        painter.setPen(ink)
        area = QRectF(25, 0, self.width() - 30, self.height())
        words = painter.fontMetrics().elidedText(
            self._text, Qt.TextElideMode.ElideRight, int(area.width())
        )
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)


class Proof(Surface):
    """A message that a memory comes from: who says it, what it says, and the way there.

    Signals:
        jump_asked: anchor of the message.
    """

    jump_asked = Signal(str)

    def __init__(self, message: Message, place: int, *, is_changed: bool) -> None:
        super().__init__("well", edge="")
        self._anchor = message.anchor
        self._whole = excerpt(message.text)
        self._is_whole = len(self._whole) <= PROOF_LETTERS
        self.jump = Link(f"#{place}", tr("Go to message #{place} in the story.", place=place))
        self.jump.clicked.connect(self._on_jump)
        who = ElidedLabel(message.name, font=ui_font(12, MEDIUM), tone=T2_ROLE)
        self.words = Label(font=story_font(13), tone=T2_ROLE, wraps=True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.more = Link(tr("Show more"))
        self.more.clicked.connect(self.toggle)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.jump)
        head.addWidget(who, 1)
        if is_changed:
            head.addWidget(Label(tr("changed since"), font=ui_font(11, SEMIBOLD), tone=T3_ROLE))
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 10, 9)
        column.setSpacing(3)
        column.addLayout(head)
        column.addWidget(self.words)
        column.addWidget(self.more)
        self.more.setVisible(not self._is_whole)  # without a parent it would be a window
        self._is_open = False
        self._show_words()

    def toggle(self) -> None:
        """Show all of it, or its beginning."""
        self._is_open = not self._is_open
        self._show_words()

    def _show_words(self) -> None:
        text = self._whole
        if not self._is_open and not self._is_whole:
            text = text[:PROOF_LETTERS].rsplit(" ", 1)[0].rstrip(",;:") + "…"
        self.words.setText(text)
        self.more.set_text(tr("Show less") if self._is_open else tr("Show more"))

    def _on_jump(self) -> None:
        self.jump_asked.emit(self._anchor)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        area = QRectF(0, 6, 3, self.height() - 12)
        rounded(QPainter(self), area, 1.5, current_tokens().long_term.fill)


class Step(QAbstractButton):
    """One memory of a history: what it said, and why it gave way; a press shows it.

    Signals:
        chosen: id of the memory.
    """

    chosen = Signal(str)

    def __init__(self, standing: Standing, *, is_shown: bool) -> None:
        super().__init__()
        self._standing = standing
        self._is_shown = is_shown
        words = sentence_of(standing.memory)
        self.setText(words)
        self.setAccessibleName(f"{words}. {history_words(standing)}")
        self.setToolTip("" if is_shown else tr("Show this memory."))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setEnabled(not is_shown)
        if not is_shown:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._on_clicked)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _on_clicked(self) -> None:
        self.chosen.emit(self._standing.memory.id)

    def sizeHint(self) -> QSize:
        return QSize(200, 42)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        if self.underMouse() and self.isEnabled():
            rounded(painter, self.rect(), 7, t.hover)
        is_over = not self._standing.is_active
        painter.fillRect(QRectF(7.5, 0, 1, self.height()), t.line2)
        dot = QRectF(4, 9, 8, 8)
        fill = t.ctl if is_over else tier_hue(t, self._standing.memory.tier)
        rounded(painter, dot, 4, fill if not self._is_shown else t.ring)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        font = ui_font(12, SEMIBOLD if self._is_shown else MEDIUM)
        painter.setFont(font)
        painter.setPen(t.t1 if self._is_shown or self.underMouse() else t.t2)
        area = QRectF(22, 4, self.width() - 26, 18)
        words = painter.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, int(area.width())
        )
        painter.drawText(area, left, words)
        painter.setFont(ui_font(11, MEDIUM))
        painter.setPen(t.t3)
        area = QRectF(22, 21, self.width() - 26, 16)
        words = painter.fontMetrics().elidedText(
            history_words(self._standing), Qt.TextElideMode.ElideRight, int(area.width())
        )
        painter.drawText(area, left, words)


def titled(title: str, fact: str = "") -> QWidget:
    """The head of a section, with a fact at its right."""
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 8, 0, 0)
    row.addWidget(section(title), 1)
    row.addWidget(meta(fact))
    return holder
