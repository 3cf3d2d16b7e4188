"""The sections of the settings under a few headings, the one that is read marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from app.core.translation import tr
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.style import rounded

ROW, HEADING, GAP = 25, 22, 8
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
Index = QModelIndex | QPersistentModelIndex


class SectionList(QListWidget):
    """A heading can be neither chosen nor reached by the keyboard.

    Signals:
        wanted: title of the section that the user goes to.
    """

    wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setItemDelegate(_SectionDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Sections of the settings"))
        self.viewport().setAutoFillBackground(False)
        self.setMouseTracking(True)
        self.currentItemChanged.connect(self._on_wanted)
        self.itemClicked.connect(self._on_wanted)  # also the one that is marked already

    def show_groups(self, groups: Mapping[str, Sequence[str]]) -> None:
        """List these titles under their headings; a heading without any is left out."""
        current = self.place
        with QSignalBlocker(self):
            self.clear()
            for heading, titles in groups.items():
                if titles:
                    item = QListWidgetItem(heading, self)
                    item.setFlags(Qt.ItemFlag.NoItemFlags)
                for title in titles:
                    item = QListWidgetItem(title, self)
                    item.setToolTip("")
        self.show_place(current)

    @property
    def place(self) -> str:
        """Title of the section that is marked, "" for none."""
        item = self.currentItem()
        return item.text() if item is not None else ""

    def show_place(self, title: str) -> None:
        """Mark the section that is read now, without telling `wanted`."""
        found = self.item_of(title)
        if found is not self.currentItem():
            with QSignalBlocker(self):
                self.setCurrentRow(self.row(found) if found is not None else -1)
            self.viewport().update()

    def item_of(self, title: str) -> QListWidgetItem | None:
        """The row of a section, None where it is not there now."""
        items = (self.item(row) for row in range(self.count()))
        return next((one for one in items if one.text() == title and one.flags()), None)

    def _on_wanted(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.flags():
            self.wanted.emit(item.text())


class _SectionDelegate(QStyledItemDelegate):
    def __init__(self, view: SectionList) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        if index.flags():
            return QSize(120, ROW)
        return QSize(120, HEADING + (GAP if index.row() else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t, state, area = current_tokens(), option.state, QRectF(option.rect)
        painter.save()
        if not index.flags():
            painter.setFont(ui_font(12, SEMIBOLD))
            painter.setPen(t.t3)
            painter.drawText(
                area.adjusted(0, area.height() - HEADING, 0, 0), LEFT, str(index.data())
            )
            painter.restore()
            return
        is_current = bool(state & QStyle.StateFlag.State_Selected)
        if is_current or state & QStyle.StateFlag.State_MouseOver:
            rounded(painter, area, 7, t.raised if is_current else t.hover)
        if is_current:
            rounded(painter, QRectF(area.x(), area.y() + 5, 3, ROW - 10), 1.5, t.ring)
            if self._view.hasFocus() and state & QStyle.StateFlag.State_KeyboardFocusChange:
                rounded(painter, area, 7, None, t.ring, t.ring_width)
        painter.setFont(ui_font(12.5, SEMIBOLD if is_current else MEDIUM))
        painter.setPen(t.t1 if is_current else t.t2)
        room = area.adjusted(12, 0, -10, 0)
        words = painter.fontMetrics().elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, int(room.width())
        )
        painter.drawText(room, LEFT, words)
        painter.restore()
