"""The bar at the window's left edge: one button per page, the lamp beside the one that is shown."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import tr
from ui.controls.labels import words_of
from ui.controls.signs import Emblem
from ui.theme import current_tokens
from ui.theme.fonts import SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

WIDTH = 52
BUTTON = 36
ICON = 18


class PageButton(QAbstractButton):
    """One page's button, 52 px wide so that the lamp can stand at the edge."""

    def __init__(self, icon: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = icon
        self._badge = ""
        self._has_dot = False
        self._name = name
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_badge(self, badge: str, *, dot: bool = False) -> None:
        """A count in the corner, or a dot for "something runs"."""
        if (badge, dot) != (self._badge, self._has_dot):
            self._badge, self._has_dot = badge, dot
            self.update()

    def set_more(self, words: str) -> None:
        """What the badge is about, beside the page's name; "" for nothing."""
        told = f"{self._name}: {words}" if words else self._name
        self.setToolTip(told)
        self.setAccessibleName(told)

    @property
    def badge(self) -> str:
        """The count in the corner, "" for none."""
        return self._badge

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, BUTTON)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        ground = QRectF((WIDTH - BUTTON) / 2, 0, BUTTON, BUTTON)
        if self.isChecked():
            rounded(painter, ground, 8, t.raised)
            rounded(painter, QRectF(0, 8, 3, 20), 1.5, t.ring)
        elif self.underMouse() or self.isDown():
            rounded(painter, ground, 8, t.hover)
        ink = t.t1 if self.isChecked() or self.underMouse() else t.t2
        pixmap = icon_pixmap(self._icon, ink, ICON, self.devicePixelRatioF())
        painter.drawPixmap((WIDTH - ICON) // 2, (BUTTON - ICON) // 2, pixmap)
        if self._badge:
            self._paint_badge(painter)
        elif self._has_dot:
            rounded(painter, QRectF(35, 6, 7, 7), 3.5, t.included.fill)

    def _paint_badge(self, painter: QPainter) -> None:
        t = current_tokens()
        painter.setFont(ui_font(10, SEMIBOLD))
        width = max(15, painter.fontMetrics().horizontalAdvance(self._badge) + 8)
        area = QRectF(46 - width, 3, width, 14)
        rounded(painter, area, 7, t.accent)
        painter.setPen(t.accent_ink)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, self._badge)


class ActivityBar(QWidget):
    """Pages from the top, search and settings at the foot.

    Signals:
        page_chosen: key of the page whose button was pressed.
    """

    page_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedWidth(WIDTH)
        self.setAccessibleName(tr("Pages"))
        self._buttons: dict[str, PageButton] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 13, 0, 12)
        self._column.setSpacing(6)
        self._column.addWidget(Emblem(30), 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addSpacing(13)
        self._column.addStretch(1)
        self._top = 2

    def add_page(self, key: str, icon: str, name: str, *, at_foot: bool = False) -> PageButton:
        """A button for a page; `name` with its key is the tooltip."""
        button = PageButton(icon, name)
        button.setCheckable(True)
        button.setAutoExclusive(True)
        button.setProperty("page", key)
        button.clicked.connect(self._on_clicked)
        self._buttons[key] = button
        if at_foot:
            self._column.addWidget(button)
        else:
            self._column.insertWidget(self._top, button)
            self._top += 1
        return button

    def add_action(self, action: QAction, icon: str) -> None:
        """A button at the foot that triggers an action."""
        button = PageButton(icon, action.toolTip() or words_of(action))
        button.clicked.connect(action.trigger)
        self._column.addWidget(button)

    def show_page(self, key: str) -> None:
        """Light the lamp at this page."""
        if key in self._buttons:
            self._buttons[key].setChecked(True)

    def _on_clicked(self) -> None:
        for key, button in self._buttons.items():
            if button.isChecked():
                self.page_chosen.emit(key)
