"""The card above the scenes: whose chat is open, how long it is, and the way to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.core.translation import tr, trn
from ui.controls.labels import plain_tip
from ui.core.chat_words import owner_words
from ui.theme import current_tokens
from ui.theme.fonts import SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded
from ui.theme.tokens import TIERS, faded

if TYPE_CHECKING:
    from app.story.story import Story

HEIGHT = 44
HUES = TIERS[:10]  # one that is added later gives no chat another colour


def initials(name: str) -> str:
    """Up to two letters that stand for a name."""
    words = [word for word in name.split() if word[:1].isalnum()]
    if not words:
        return "?"
    letters = words[0][0] + (words[-1][0] if len(words) > 1 else "")
    return letters.upper()


def name_hue(name: str) -> QColor:
    """The same name has the same hue, today and tomorrow."""
    place = sum(name.encode("utf-8", "replace")) % len(HUES)
    return current_tokens().slot_hues[HUES[place]]


def length_words(story: Story) -> str:
    """ "104 messages, 11 scenes", said whole."""
    messages = trn("{n} message", "{n} messages", len(story.messages))
    scenes = trn("{n} scene", "{n} scenes", len(story.scenes))
    return f"{messages}, {scenes}"


class LibraryCard(QAbstractButton):
    """Opens the list of chats."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = tr("No chat is open")
        self._detail = tr("Choose one")
        self.setAccessibleName(tr("Choose a chat"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_story(self, story: Story | None, host: str = "") -> None:
        """Name the chat that is open. host: of the page that it comes from, "" for a file here."""
        if story is None:
            self._title, self._detail = tr("No chat is open"), tr("Choose one")
        else:
            self._title = owner_words(story.chat) or story.chat.title
            self._detail = length_words(story)
            if host:
                messages = trn("{n} message", "{n} messages", len(story.messages))
                self._detail = f"{messages}, {tr('from {host}', host=host)}"
        self.setAccessibleName(
            tr("Choose a chat. Open: {title}, {detail}", title=self._title, detail=self._detail)
        )
        tip = f"{self._title}: {self._detail}"
        if host:
            tip = tr(
                "{title}: {detail}. From SillyTavern's page at {host}: it can be changed only "
                "while that page shows it.",
                title=self._title,
                detail=length_words(story) if story is not None else "",
                host=host,
            )
        if story is not None and story.messages:
            last = len(story.messages) - 1
            numbers = tr("Messages are numbered from #0 to #{last}, as in SillyTavern.", last=last)
            tip = f"{tip}\n{numbers}"
        self.setToolTip(plain_tip(tip))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(236, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        fill = t.hover if self.underMouse() or self.isDown() else t.raised
        rounded(painter, self.rect(), 8, fill, t.line)
        paint_disc(painter, QRectF(8, (self.height() - 28) / 2, 28, 28), self._title)
        area = QRectF(44, 0, self.width() - 44 - 30, self.height())
        left = Qt.AlignmentFlag.AlignLeft
        painter.setFont(ui_font(13, SEMIBOLD))
        painter.setPen(t.t1)
        metrics = painter.fontMetrics()
        elide = Qt.TextElideMode.ElideRight
        title = metrics.elidedText(self._title, elide, int(area.width()))
        painter.drawText(area.adjusted(0, 5, 0, -20), left | Qt.AlignmentFlag.AlignVCenter, title)
        painter.setFont(ui_font(11.5))
        painter.setPen(t.t2)
        metrics, detail = painter.fontMetrics(), self._detail
        if metrics.horizontalAdvance(detail) > area.width():
            detail = detail.partition(", ")[0]  # its messages rather than half of its scenes
        detail = metrics.elidedText(detail, elide, int(area.width()))
        painter.drawText(area.adjusted(0, 22, 0, -5), left | Qt.AlignmentFlag.AlignVCenter, detail)
        chevron = icon_pixmap("chevron-down", t.t2, 13, self.devicePixelRatioF())
        painter.drawPixmap(self.width() - 23, (self.height() - 13) // 2, chevron)


def paint_disc(painter: QPainter, area: QRectF, name: str) -> None:
    """A disc with a name's initials, in the name's hue."""
    t = current_tokens()
    hue = name_hue(name)
    rounded(painter, area, area.width() / 2, faded(hue, 0.32 if t.is_dark else 0.28))
    painter.setFont(ui_font(round(area.width() * 0.4), SEMIBOLD))
    painter.setPen(hue.lighter(135) if t.is_dark else hue.darker(190))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, initials(name))
