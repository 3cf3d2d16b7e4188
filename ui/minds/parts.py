"""Small parts of the pane: a person's head, the head of an attitude, words behind a veil, a row."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import tr
from app.memory.epistemic.map_view import Attitude
from ui.controls.labels import ElidedLabel, Label, meta, plain_tip
from ui.memories.pane.pieces import Link
from ui.minds.tones import ICONS, ink, paint_person, paint_veil
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, display_font, story_font, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T2_ROLE, T3_ROLE
from ui.theme.style import rounded

INDENT = 24
VEIL_LINE = 19


class Disc(QWidget):
    """A person's disc with initials."""

    def __init__(self, name: str, place: int, side: int = 46) -> None:
        super().__init__()
        self._name, self._place = name, place
        self.setFixedSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_person(QPainter(self), QRectF(self.rect()), self._name, self._place, current_tokens())


def person_head(name: str, place: int, words: str) -> QWidget:
    """Disc, name, and how much they hold."""
    head = QWidget()
    row = QHBoxLayout(head)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(12)
    row.addWidget(Disc(name, place))
    column = QVBoxLayout()
    column.setSpacing(3)
    column.addStretch(1)
    column.addWidget(ElidedLabel(name, font=display_font(17)))
    column.addWidget(ElidedLabel(words, font=ui_font(12), tone=T3_ROLE))
    column.addStretch(1)
    row.addLayout(column, 1)
    return head


class AttitudeHead(QWidget):
    """An icon and a word over what is so."""

    def __init__(self, words: str, attitude: Attitude | None = None, icon: str = "") -> None:
        super().__init__()
        self._attitude, self._words = attitude, words
        self._icon = icon or (ICONS[attitude] if attitude is not None else "")
        self.setAccessibleName(words)
        self.setFixedHeight(20)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        colour = ink(t, self._attitude) if self._attitude is not None else t.t2
        pixmap = icon_pixmap(self._icon, colour, 15, self.devicePixelRatioF())
        painter.drawPixmap(0, 2, pixmap)
        painter.setFont(ui_font(12.5, SEMIBOLD))
        painter.setPen(t.t1)
        area = QRectF(INDENT, 0, self.width() - INDENT, 20)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, self._words)


class Veiled(QAbstractButton):
    """Bars in place of words; a press shows them."""

    def __init__(self, text: str, indent: int = INDENT) -> None:
        super().__init__()
        self._veiled = text
        self._indent = indent
        self.setAccessibleName(tr("Show this secret"))
        self.setToolTip(tr("Show this secret. It stays shown until Tavernkeep is closed."))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(160, 2 * VEIL_LINE + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        if self.underMouse():
            ground = QRectF(self.rect()).adjusted(self._indent - 6, 0, 0, 0)
            rounded(painter, ground, 6, t.hover)
        words = self._veiled.split()
        half = (len(words) + 1) // 2
        room = self.width() - self._indent - 66
        for line, part in enumerate((words[:half], words[half:])):
            area = QRectF(self._indent, 2 + line * VEIL_LINE, room, VEIL_LINE)
            paint_veil(painter, area, " ".join(part), t)
        painter.setFont(ui_font(12, SEMIBOLD))
        painter.setPen(t.long_term.text)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(self.rect()).adjusted(0, 0, -8, 0), right, tr("Show"))


class Entry(QWidget):
    """What somebody holds: the words in the story's voice, how they came by it, and where.

    Signals:
        message_asked: index. matter_asked, shown: nothing.
    """

    message_asked = Signal(int)
    proposition_asked = Signal()
    shown = Signal()

    def __init__(self, text: str, how: str, message: int, *, is_veiled: bool) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(2)
        if is_veiled:
            veil = Veiled(text)
            veil.clicked.connect(self.shown)
            column.addWidget(veil)
        else:
            column.addWidget(_Words(text, self.proposition_asked.emit))
        row = QHBoxLayout()
        row.setContentsMargins(INDENT, 0, 0, 0)
        row.setSpacing(5)
        row.addWidget(meta(how))
        if message >= 0:
            link = Link(
                f"#{message}", tr("Go to message #{message} in the story.", message=message)
            )
            link.setFont(ui_font(11, SEMIBOLD))
            link.clicked.connect(lambda: self.message_asked.emit(message))
            row.addWidget(link)
        row.addStretch(1)
        column.addLayout(row)


class _Words(Label):
    """Words of the story that lead to their proposition."""

    def __init__(self, text: str, ask: Callable[[], object]) -> None:
        super().__init__(text, font=story_font(14), tone=T2_ROLE, wraps=True)
        self._ask = ask
        self.setContentsMargins(INDENT, 0, 0, 0)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(tr("Show who else has to do with it."))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._ask()


class Row(QWidget):
    """A name that leads to a person, how it came, and the message.

    Signals:
        message_asked: index. person_asked: nothing.
    """

    message_asked = Signal(int)
    person_asked = Signal()

    def __init__(self, name: str, how: str, message: int, *, leads: bool = True) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(INDENT, 0, 0, 0)
        row.setSpacing(8)
        self.name = PlainLink(name) if leads else ElidedLabel(name, font=ui_font(12, MEDIUM))
        if isinstance(self.name, PlainLink):
            self.name.clicked.connect(self.person_asked)
        row.addWidget(self.name, 1)
        if how:
            row.addWidget(meta(how))
        if message >= 0:
            link = Link(
                f"#{message}", tr("Go to message #{message} in the story.", message=message)
            )
            link.setFont(ui_font(11, SEMIBOLD))
            link.clicked.connect(lambda: self.message_asked.emit(message))
            row.addWidget(link)


class PlainLink(QAbstractButton):
    """A name in the tone of labels; underlined under the pointer."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setText(text)
        self.setAccessibleName(text)
        self.setToolTip(
            plain_tip(tr("Show the world as {name} knows it.", name=text.split(",")[0]))
        )
        self.setFont(ui_font(12, MEDIUM))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2, 22)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        font = self.font()
        font.setUnderline(self.underMouse())
        painter.setFont(font)
        painter.setPen(t.t1 if self.underMouse() else t.t2)
        words = painter.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, self.width()
        )
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, words)
