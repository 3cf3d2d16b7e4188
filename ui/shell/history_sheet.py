"""The list of what was done to a chat: a press makes one of the changes the last that counts."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.translation import N_, retold, tr
from app.views.journal import AT_FIRST, JournalEntry
from ui.controls.dates import time_words
from ui.controls.labels import meta, section
from ui.controls.surfaces import FloatingSheet
from ui.shell.entries import ENTRY_ROLE, ROW_HEIGHT, Entry, EntryModel, Index, entry_list

WIDTH = 500
ROWS_SHOWN = 10
HEAD = 64
NOTHING = N_(
    "Nothing has been changed in this chat yet. Your changes are listed here and can be undone."
)
HOW = N_("Click a change to go back or forward to the point right after it.")
BEFORE_ALL = N_("Before all of these")


def history_entries(changes: Sequence[JournalEntry], now: float) -> tuple[Entry, ...]:
    """The rows: changes newest first, and last the state before them. now: epoch seconds."""
    current = next((change.id for change in changes if not change.is_undone), AT_FIRST)
    rows = [
        Entry(
            sentence_of(retold(change.label)),
            tr("now, {moment}", moment=time_words(change.when, now=now))
            if change.id == current
            else time_words(change.when, now=now),
            "check" if change.id == current else "redo" if change.is_undone else "undo",
            value=change.id,
            is_faded=change.is_undone,
        )
        for change in changes
    ]
    if rows:
        is_now = current == AT_FIRST
        detail, icon = (tr("now"), "check") if is_now else ("", "undo")
        rows.append(Entry(tr(BEFORE_ALL), detail, icon, value=AT_FIRST))
    return tuple(rows)


def sentence_of(name: str) -> str:
    """A command's name as the beginning of a line."""
    return name[:1].upper() + name[1:]


class HistorySheet(FloatingSheet):
    """Arrow keys move, Return goes there, Escape goes away.

    Signals:
        change_chosen: id of a JournalEntry, or AT_FIRST.
    """

    change_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = EntryModel()
        self.list = entry_list(self._model, tr("Changes of this chat, the newest first"))
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self._words = meta(tr(HOW), wraps=True)
        head = QVBoxLayout()
        head.setContentsMargins(8, 4, 8, 2)
        head.setSpacing(2)
        head.addWidget(section(tr("Changes of this chat")))
        head.addWidget(self._words)
        inner = QVBoxLayout()
        inner.setContentsMargins(8, 8, 4, 4)
        inner.setSpacing(6)
        inner.addLayout(head)
        inner.addWidget(self.list, 1)
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.addLayout(inner)

    def open_below(self, anchor: QWidget, changes: Sequence[JournalEntry]) -> None:
        """Show these changes under `anchor`, flush with its right edge."""
        self.show_changes(changes)
        rows = min(self._model.rowCount(), ROWS_SHOWN)
        height = HEAD + rows * ROW_HEIGHT + 8 + 2 * self.MARGIN
        width = WIDTH + 2 * self.MARGIN
        at = anchor.mapToGlobal(
            QPoint(anchor.width() - width + self.MARGIN, anchor.height() + 4 - self.MARGIN)
        )
        window = anchor.window()
        at.setX(max(at.x(), window.mapToGlobal(QPoint(0, 0)).x()))
        self.setGeometry(QRect(at, QSize(width, height)))
        self.show()
        self.list.setFocus(Qt.FocusReason.PopupFocusReason)

    def show_changes(self, changes: Sequence[JournalEntry]) -> None:
        """Show these changes, the one that counts last chosen."""
        self._model.show_entries(history_entries(changes, time.time()))
        self._words.setText(tr(HOW) if changes else tr(NOTHING))
        self.list.setVisible(bool(changes))
        at = next((row for row, change in enumerate(changes) if not change.is_undone), len(changes))
        self.list.setCurrentIndex(self._model.index(at))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.list.currentIndex())
        elif event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def _choose(self, index: Index) -> None:
        entry = index.data(ENTRY_ROLE) if index.isValid() else None
        if isinstance(entry, Entry) and self.isVisible():
            self.close()
            self.change_chosen.emit(entry.value)
