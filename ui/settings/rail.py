"""The left of the settings page: a field to find a setting, for which chats, and the sections."""

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
    QBoxLayout,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.core.translation import tr
from ui.controls.fields import FindField, Segments
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.style import rounded

WIDTH = 216
ALL, CHAT = "all", "chat"
ROW, HEADING, GAP = 25, 22, 8
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
Index = QModelIndex | QPersistentModelIndex


class SettingsRail(QWidget):
    """Narrow or low windows lose the list of sections, never the field.

    Signals:
        filtered: what settings must hold, casefolded; "" for all.
        scope_chosen: whether values of the open chat are meant.
        section_wanted: title of a section to go to.
    """

    filtered = Signal(str)
    scope_chosen = Signal(bool)
    section_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = FindField(tr("Find a setting"))
        self.field.textChanged.connect(self._on_text)
        self.scopes = Segments(tr("Settings for"), {ALL: tr("All chats"), CHAT: tr("This chat")})
        self.scopes.choose(ALL)
        self.scopes.chosen.connect(self._on_scope)
        self.sections = SectionList()
        self.sections.wanted.connect(self.section_wanted)
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setSpacing(8)
        self._box.addWidget(self.field)
        self._box.addWidget(self.scopes)
        self._box.addWidget(self.sections, 1)
        self._box.addStretch(0)
        self.set_wide(True)

    def set_wide(self, is_wide: bool) -> None:
        """Stand beside the settings, or in one row above them."""
        down, right = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._box.setDirection(down if is_wide else right)
        self.sections.setVisible(is_wide)
        if is_wide:
            self.setFixedWidth(WIDTH)
            self._box.setContentsMargins(16, 8, 12, 12)
        else:
            self.setMinimumWidth(0)
            self.setMaximumWidth(16_777_215)
            self._box.setContentsMargins(24, 8, 24, 8)
        free, fixed = QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed
        self.field.setMaximumWidth(16_777_215 if is_wide else 300)
        self.scopes.setSizePolicy(free if is_wide else fixed, fixed)

    def set_has_chat(self, has_chat: bool) -> None:
        """Whether a chat is open that settings could be for."""
        self.scopes.setVisible(has_chat)

    def choose_scope(self, is_chat: bool) -> None:
        """Show for which chats values are, without telling `scope_chosen`."""
        self.scopes.choose(CHAT if is_chat else ALL)

    def set_sections(self, groups: Mapping[str, Sequence[str]]) -> None:
        """List these sections, by their headings; the others are not there now."""
        self.sections.show_groups(groups)

    def show_place(self, title: str) -> None:
        """Say which section is read now."""
        self.sections.show_place(title)

    def _on_text(self, text: str) -> None:
        self.filtered.emit(text.strip().casefold())

    def _on_scope(self, key: str) -> None:
        self.scope_chosen.emit(key == CHAT)


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
