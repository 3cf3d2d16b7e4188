"""The copies of a chat, what only a copy still has, and bringing one back as a chat of its own."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QListWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from app.health import count_of
from app.sillytavern.chat_copies import ChatCopy
from app.sillytavern.data_folders import chat_ref_for
from app.work.chat_guard import CopyComparison
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label
from ui.copies.model import Column, CopiesModel
from ui.library.words import chat_title
from ui.session import Session
from ui.theme.fonts import display_font, ui_font
from ui.theme.palette import T2_ROLE

EXPLANATION = (
    "While SillyTavern writes this chat, copies of it are kept apart: after each hour of play and "
    "after every 20 messages, thinned out with age. A copy comes back as a chat of its own; "
    "nothing is overwritten."
)
NO_COPIES = (
    "No copy of this chat is kept yet: the first is made when SillyTavern writes it while "
    "Tavernkeep runs."
)
MOST_LOST = 500  # named in the list; the count is of all


class CopiesDialog(QDialog):
    """Over the window, until closed or a copy was restored."""

    def __init__(self, session: Session, chat: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._chat = chat
        self._compared: Path | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Copies of a chat")
        self.resize(720, 560)
        self._model = CopiesModel(self)
        self.table = self._make_table()
        self.difference = Label(EXPLANATION, font=ui_font(12), tone=T2_ROLE, wraps=True)
        self.lost = QListWidget()
        self.lost.setAccessibleName("Messages that only the copy has")
        self.lost.setFrameShape(QFrame.Shape.NoFrame)
        self.lost.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.lost.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.lost.setUniformItemSizes(True)
        self.lost.setSpacing(3)
        self.lost.hide()
        self.restore = Button("Restore as a new chat", icon="undo", role=ButtonRole.MAIN)
        self.restore.setEnabled(False)
        self.restore.clicked.connect(self._on_restore)
        self.leave = Button("Close")
        self.leave.clicked.connect(self.reject)
        self._lay_out()
        self._session.do(self._load(), name="looking for copies")

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self._model)
        table.setAccessibleName("Copies of the chat")
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.setShowGrid(False)
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(Column.WHEN, QHeaderView.ResizeMode.Stretch)
        for column in (Column.MESSAGES, Column.SIZE):
            table.setColumnWidth(column, 110)
        table.selectionModel().currentRowChanged.connect(self._on_current)
        return table

    def _lay_out(self) -> None:
        title = Label(chat_title(chat_ref_for(self._chat)), font=display_font(20), wraps=True)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.leave)
        buttons.addWidget(self.restore)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 24, 28, 22)
        column.setSpacing(12)
        column.addWidget(title)
        column.addWidget(self.difference)
        column.addWidget(self.table, 3)
        column.addWidget(self.lost, 2)
        column.addLayout(buttons)

    async def _load(self) -> None:
        copies = await self._session.companion.guard.copies(self._chat)
        if not isValid(self):
            return
        self._model.show(copies)
        if copies:
            self.table.setCurrentIndex(self._model.index(0, 0))
            self.table.setFocus()
        else:
            self.difference.setText(NO_COPIES)

    def _on_current(self, current: QModelIndex) -> None:
        copy = self._model.copy_at(current)
        self.restore.setEnabled(copy is not None)
        if copy is not None:
            self._compared = copy.path
            self._session.do(self._compare(copy), name="comparing a copy")

    async def _compare(self, copy: ChatCopy) -> None:
        found = await self._session.companion.guard.compare(self._chat, copy)
        if isValid(self) and self._compared == copy.path:
            self._show(found)

    def _show(self, found: CopyComparison) -> None:
        shared = count_of(found.kept, "message")
        difference = "it has nothing that the chat has not."
        if found.lost:
            difference = f"{count_of(len(found.lost), 'message')} only the copy has."
        if found.added:
            difference += f" {count_of(found.added, 'message')} came to the chat since."
        self.difference.setText(
            f"{EXPLANATION}\n\nThis copy and the chat share {shared}; {difference}"
        )
        self.lost.clear()
        self.lost.addItems(found.lost[:MOST_LOST])
        self.lost.setVisible(bool(found.lost))

    def _on_restore(self) -> None:
        copy = self._model.copy_at(self.table.currentIndex())
        if copy is not None:
            self._session.do(self._bring_back(copy), name="restoring a copy")

    async def _bring_back(self, copy: ChatCopy) -> None:
        made = await self._session.companion.guard.restore(self._chat, copy)
        self._session.told.emit(f"Restored as “{made.stem}”.")
        if isValid(self):
            self.accept()
        await self._session.open_path(made)
