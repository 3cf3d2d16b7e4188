"""The left of the settings page: a field to find a setting, for which chats, and the sections."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import tr
from ui.controls.fields import FindField, Segments
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.style import rounded

WIDTH = 216
ROW = 30
ALL, CHAT = "all", "chat"


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
        self._items: dict[str, _Item] = {}
        self._list = QWidget()
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(0, 8, 0, 0)
        self._column.setSpacing(0)
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setSpacing(8)
        self._box.addWidget(self.field)
        self._box.addWidget(self.scopes)
        self._box.addWidget(self._list)
        self._box.addStretch(1)
        self.set_wide(True)

    def set_wide(self, is_wide: bool) -> None:
        """Stand beside the settings, or in one row above them."""
        down, right = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._box.setDirection(down if is_wide else right)
        self._list.setVisible(is_wide)
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

    def set_sections(self, titles: Sequence[str]) -> None:
        """List these sections; the others are not there now."""
        for title in titles:
            if title not in self._items:
                item = _Item(title)
                item.clicked.connect(self._on_item)
                self._items[title] = item
        while self._column.takeAt(0) is not None:
            pass
        for title in titles:  # first: shown without a parent, they were windows
            self._column.addWidget(self._items[title])
        for title, item in self._items.items():
            item.setVisible(title in titles)

    def show_place(self, title: str) -> None:
        """Say which section is read now."""
        for name, item in self._items.items():
            item.set_current(name == title)

    def _on_text(self, text: str) -> None:
        self.filtered.emit(text.strip().casefold())

    def _on_scope(self, key: str) -> None:
        self.scope_chosen.emit(key == CHAT)

    def _on_item(self) -> None:
        item = self.sender()
        if isinstance(item, _Item):
            self.section_wanted.emit(item.text())


class _Item(QAbstractButton):
    def __init__(self, title: str) -> None:
        super().__init__()
        self._is_current = False
        self.setText(title)
        self.setAccessibleName(tr("Section: {title}", title=title))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_current(self, is_current: bool) -> None:
        if is_current != self._is_current:
            self._is_current = is_current
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        if self._is_current or self.underMouse():
            rounded(painter, self.rect(), 8, t.raised if self._is_current else t.hover)
        if self._is_current:
            rounded(painter, QRectF(0, 6, 3, self.height() - 12), 1.5, t.ring)
        painter.setFont(ui_font(12.5, SEMIBOLD if self._is_current else MEDIUM))
        painter.setPen(t.t1 if self._is_current else t.t2)
        room = self.width() - 22
        text = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(12, 0, room, self.height()), left, text)
