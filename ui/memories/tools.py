"""What the memories page has in the window's header: the search, adding, and all the rest."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QWidget

from app.core.translation import N_, tr
from ui.controls.buttons import Button, IconButton
from ui.controls.fields import Field
from ui.controls.timers import once
from ui.memories.commands import MemoryCommands

MenuMaker = Callable[[QWidget], QMenu]

SETTLE_MS = 120
WIDTHS = (140, 340)
HELP = N_(
    "Words, or who:Mara (about her), of:Mara (what she remembers), kind:secret, type:fact, "
    "is:stale, is:aside (set aside), is:pinned, before:#92, after:#40, scene:4 (from its "
    "messages); “several words” finds a phrase, -word leaves out."
)


class MemoryTools(QWidget):
    """Signals:
    searched: what is searched for, a moment after the last key.
    left: the keyboard belongs to the table again.
    """

    searched = Signal(str)
    left = Signal()

    def __init__(self, commands: MemoryCommands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = _Search()
        self.add = Button(tr("Add"), icon="plus")
        self.add.follow(commands.add)
        self.more = IconButton("more", tr("All memories: clear, pause, keep"), is_framed=True)
        self.more.clicked.connect(self._open_menu)
        self.more.hide()
        self._menu: MenuMaker | None = None
        self._settle = once(self, SETTLE_MS, self._tell)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.field)
        row.addWidget(self.add)
        row.addWidget(self.more)
        self.field.textChanged.connect(self._on_text)
        self.field.returnPressed.connect(self._on_return)
        self.field.escaped.connect(self._on_escape)

    def set_menu(self, menu: MenuMaker) -> None:
        """Give the last button a menu, made anew each time."""
        self._menu = menu
        self.more.show()

    def _open_menu(self) -> None:
        if self._menu is not None:
            menu = self._menu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            # Never exec(): it would hold up every other task.
            menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height() + 4)))

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
        super().__init__(
            tr("Find memories"), placeholder=tr("Find memories, who:…, is:…"), icon="search"
        )
        self.setToolTip(f"{tr(HELP)} ({tr('Ctrl F')})")
        self.setAccessibleDescription(tr(HELP))
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
