"""What the memories page has in the window's header: the search, and a button to add."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from ui.controls.buttons import Button
from ui.controls.fields import Field
from ui.memories.deeds import MemoryDeeds

SETTLE_MS = 120
WIDTHS = (140, 340)
HELP = (
    "Words, or who:Mara, kind:secret, type:fact, is:stale, is:pinned, before:#92, after:#40; "
    '"several words" together, a minus leaves out.'
)


class MemoryTools(QWidget):
    """Signals:
    searched: what is searched for, a moment after the last key.
    left: the keyboard belongs to the table again.
    """

    searched = Signal(str)
    left = Signal()

    def __init__(self, deeds: MemoryDeeds, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = _Search()
        self.add = Button("Add", icon="plus")
        self.add.follow(deeds.add)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._tell)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.field)
        row.addWidget(self.add)
        self.field.textChanged.connect(self._on_text)
        self.field.returnPressed.connect(self._on_return)
        self.field.escaped.connect(self._on_escape)

    def look_for(self, text: str) -> None:
        """Search for this."""
        self.field.setText(text)
        self._tell()

    def take_focus(self) -> None:
        """Give the keyboard to the search."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def _on_text(self, _text: str) -> None:
        self._settle.start()

    def _on_return(self) -> None:
        self._tell()
        self.left.emit()

    def _on_escape(self) -> None:
        self.field.clear()
        self._tell()
        self.left.emit()

    def _tell(self) -> None:
        self._settle.stop()
        self.searched.emit(self.field.text())


class _Search(Field):
    escaped = Signal()

    def __init__(self) -> None:
        super().__init__("Find memories", placeholder="Find memories, who:…, is:…", icon="search")
        self.setToolTip(f"{HELP} (Ctrl F)")
        self.setAccessibleDescription(HELP)
        self.setMinimumWidth(WIDTHS[0])
        self.setMaximumWidth(WIDTHS[1])
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(WIDTHS[1], super().sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
            return
        super().keyPressEvent(event)
