"""The bar at the window's foot: facts about SillyTavern, bridge, reading, queue and model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from app.core.part_health import HealthItem, Light
from app.core.translation import tr
from ui.controls.labels import plain_tip
from ui.controls.timers import once
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

if TYPE_CHECKING:
    from app.core.part_health import Health

HEIGHT = 28
GAP = 20

# Item, icon ("" is a dot), and its rank: the highest number is dropped first in a narrow window.
# The bridge goes last: with it, all between window and page stands still.
LEFT = (("sillytavern", "", 1), ("bridge", "link", 0), ("reading", "eye", 3), ("queue", "pulse", 2))
RIGHT = (("backend", "chip", 4),)
STAYS = 2  # facts up to this rank keep their place beside what went wrong
SAID_MS = 7_000
LEAST_BAD = 140  # pixels that make a bad fact worth showing its beginning


class StatusItem(QAbstractButton):
    """One fact; a press leads to where it can be changed."""

    def __init__(self, key: str, icon: str, rank: int) -> None:
        super().__init__()
        self.key = key
        self.rank = rank
        self._icon = icon
        self._light = "off"
        self.setFont(ui_font(11, MEDIUM))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_item(self, item: HealthItem) -> None:
        """Say this fact."""
        self._light = item.light.value
        self.setText(item.sentence)
        self.setAccessibleName(item.sentence)
        self.setToolTip(plain_tip(item.sentence))
        self.updateGeometry()
        self.update()

    @property
    def is_bad(self) -> bool:
        """Whether this fact tells of something that went wrong."""
        return self._light == "bad"

    def sizeHint(self) -> QSize:
        lead = 20 if self._icon else 14
        return QSize(lead + self.fontMetrics().horizontalAdvance(self.text()) + 2, 20)

    def _tone(self) -> QColor:
        t = current_tokens()
        if self._light == "bad":
            return t.failed.text
        if self._light == "working":
            return t.accent_text
        return t.t3 if self._icon else t.included.fill

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        lead = 20
        if self._icon:
            name = "triangle" if self._light == "bad" else self._icon
            pixmap = icon_pixmap(name, self._tone(), 13, self.devicePixelRatioF())
            painter.drawPixmap(0, (self.height() - 13) // 2, pixmap)
        else:
            lead = 14
            dot = QRectF(0, (self.height() - 8) / 2, 8, 8)
            is_hollow = self._light in ("off", "idle")
            rounded(
                painter,
                dot,
                4,
                None if is_hollow else self._tone(),
                t.t3 if is_hollow else None,
                1.35,
            )
        painter.setPen(t.t1 if self.underMouse() else t.t2)
        area = QRectF(lead, 0, self.width() - lead, self.height())
        text = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, int(area.width())
        )
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


def _give(widths: dict[StatusItem, int], item: StatusItem, room: int) -> int:
    """Give a fact the room that it needs, or none; the pixels that it took."""
    needed = item.sizeHint().width() + GAP
    if needed > room:
        return 0
    widths[item] = needed
    return needed


class StatusBar(QWidget):
    """Facts, also bad ones.

    Signals:
        item_pressed: key of a fact: sillytavern, bridge, reading, queue, backend.
    """

    item_pressed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName(tr("Status"))
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 0, 12, 0)
        self._row.setSpacing(GAP)
        self._items: dict[str, StatusItem] = {}
        for key, icon, rank in LEFT:
            self._add(key, icon, rank)
        self._row.addStretch(1)
        self._said = StatusItem("said", "info", -1)
        self._said.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._row.addWidget(self._said)
        for key, icon, rank in RIGHT:
            self._add(key, icon, rank)
        self._going_on = ""
        self._moment = once(self, SAID_MS, self._fall_silent)

    def show_health(self, health: Health) -> None:
        """Say how things are."""
        for key, item in self._items.items():
            item.show_item(getattr(health, key))
        self._fit()

    def tell(self, sentence: str) -> None:
        """Say for a moment what was done."""
        self._moment.start()  # first: for its moment it may have the whole bar
        self._show_said(sentence)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))

    def keep_telling(self, sentence: str) -> None:
        """Say how something goes, until told otherwise; "" says nothing any more."""
        self._going_on = sentence
        if not self._moment.isActive():
            self._fall_silent()

    @property
    def said(self) -> str:
        """What is said for the moment, or of what goes on."""
        return self._said.text()

    def _fall_silent(self) -> None:
        self._show_said(self._going_on)

    def _show_said(self, sentence: str) -> None:
        light = Light.WORKING if sentence and sentence == self._going_on else Light.GOOD
        self._said.show_item(HealthItem("said", light, sentence))
        self._fit()

    def sentence(self, key: str) -> str:
        """What is said about `key` now."""
        return self._items[key].text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(120, HEIGHT)

    def _add(self, key: str, icon: str, rank: int) -> None:
        item = StatusItem(key, icon, rank)
        item.clicked.connect(self._on_clicked)
        self._items[key] = item
        self._row.addWidget(item)

    def _fit(self) -> None:
        """Hide the least important facts that have no room, empty ones too.

        What went wrong and what is said go first, and may have half of the bar, or all of it for a
        sentence that is gone in a moment. Then come the facts that keep their place beside them;
        what these leave is theirs as well, before all other facts. Only they are ever cut.
        """
        room = self.width() - 28
        half = room // 2
        all_items = (self._said, *self._items.values())
        said = [item for item in all_items if item.text()]
        loud = [item for item in said if item.is_bad or item is self._said]
        loud.sort(key=lambda item: (not item.is_bad, item.rank))
        quiet = sorted((item for item in said if item not in loud), key=lambda item: item.rank)
        widths: dict[StatusItem, int] = {}
        for item in loud:
            needed = item.sizeHint().width() + GAP
            is_brief = item is self._said and self._moment.isActive() and needed <= room
            given = needed if is_brief else min(needed, max(half, LEAST_BAD), room)
            if given <= room and given >= min(needed, LEAST_BAD):
                widths[item] = given
                room -= given
                half -= given
        for item in (item for item in quiet if item.rank <= STAYS):
            room -= _give(widths, item, room)
        for item in list(widths):
            more = min(room, item.sizeHint().width() + GAP - widths[item])
            widths[item] += more
            room -= more
        for item in (item for item in quiet if item.rank > STAYS):
            room -= _give(widths, item, room)
        for item in all_items:
            item.setMaximumWidth(max(0, widths.get(item, 0) - GAP))
            item.setVisible(item in widths)

    def _on_clicked(self) -> None:
        sender = self.sender()
        if isinstance(sender, StatusItem):
            self.item_pressed.emit(sender.key)
