"""Small pictures that are no buttons: the lantern, and an icon beside words."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from ui.theme import current_tokens
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

LANTERN = 18
SIGN = 14


class Emblem(QWidget):
    """The lantern on its ground. side: px."""

    def __init__(self, side: int) -> None:
        super().__init__()
        self.setFixedSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        rounded(painter, QRectF(self.rect()), 8, t.accent_soft)
        pixmap = icon_pixmap("lantern", t.accent_text, LANTERN, self.devicePixelRatioF())
        at = (self.width() - LANTERN) // 2
        painter.drawPixmap(at, at, pixmap)


class Sign(QWidget):
    """An icon that says the same as the words beside it."""

    def __init__(self, icon: str) -> None:
        super().__init__()
        self._icon = icon
        self.setFixedSize(SIGN, SIGN)

    def set_icon(self, icon: str) -> None:
        if icon != self._icon:
            self._icon = icon
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        pixmap = icon_pixmap(self._icon, t.t2, SIGN, self.devicePixelRatioF())
        QPainter(self).drawPixmap(0, 0, pixmap)
