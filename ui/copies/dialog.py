"""The copies of a chat, what only a copy still has, and bringing one back as a chat of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
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

from app.core.translation import N_, tr, trn
from app.views.chat_copies import ChatCopy, CopyComparison
from ui.controls.buttons import Button, ButtonRole
from ui.controls.fields import Choice
from ui.controls.labels import Label
from ui.copies.model import Column, CopiesModel, copy_words
from ui.core.chat_words import chat_title, chat_words
from ui.core.dialogs import size_over
from ui.core.session import Session
from ui.theme.fonts import MEDIUM, display_font, ui_font
from ui.theme.palette import FLOAT_ROLE, T2_ROLE

EXPLANATION = N_(
    "Whenever SillyTavern saves this chat, Tavernkeep keeps a copy. Of older copies the fullest of "
    "each ten minutes, hour, day and week are kept, and no message is ever thrown away that "
    "nothing else has. A copy is restored as a new chat; nothing is overwritten."
)
NO_COPIES = N_(
    "There is no copy of this chat yet. The first is made when SillyTavern saves the chat while "
    "Tavernkeep is running."
)
SIZE = QSize(720, 560)
MOST_LOST = 500  # named in the list; the count is of all


def difference_sentence(found: CopyComparison) -> str:
    """What a copy and the chat have in common, and what only one of them has."""
    difference = tr("it has nothing that the chat does not have.")
    if found.lost:
        difference = trn(
            "{n} message is only in the copy.",
            "{n} messages are only in the copy.",
            len(found.lost),
        )
    shared = trn(
        "This copy and the chat share {n} message; {difference}",
        "This copy and the chat share {n} messages; {difference}",
        found.kept,
        difference=difference,
    )
    sentences = [shared]
    if found.added:
        sentences.append(
            trn(
                "{n} message is only in the chat.",
                "{n} messages are only in the chat.",
                found.added,
            )
        )
    if found.newest is not None:
        sentences.append(_elsewhere(found.elsewhere, found.newest))
    return " ".join(sentences)


def _elsewhere(count: int, newest: ChatCopy) -> str:
    if newest.is_rest:
        return trn(
            "{n} more message is in neither, but among the messages of older copies.",
            "{n} more messages are in neither, but among the messages of older copies.",
            count,
        )
    return trn(
        "{n} more message is in neither, but in the copy from {when}.",
        "{n} more messages are in neither, but in other copies, the newest of them from {when}.",
        count,
        when=copy_words(newest),
    )


class CopiesDialog(QDialog):
    """Over the window, until closed or a copy was restored. wanted: the copy that is looked for,
    None for the newest that holds anything.

    Signals:
        restored: a copy is a chat of its own; what is to be said of that.
    """

    restored = Signal(str)

    def __init__(
        self, session: Session, chat: Path, parent: QWidget, *, wanted: ChatCopy | None = None
    ) -> None:
        super().__init__(parent)
        self.setBackgroundRole(FLOAT_ROLE)
        self.setAutoFillBackground(True)
        self._session = session
        self._chat = chat
        self._wanted = wanted
        self._compared: Path | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Copies of a chat"))
        self._size = size_over(parent, SIZE)
        self.resize(self._size)
        self._model = CopiesModel(self)
        self.table = self._make_table()
        self.difference = Label(tr(EXPLANATION), font=ui_font(12), tone=T2_ROLE, wraps=True)
        self.lost = QListWidget()
        self.lost.setAccessibleName(tr("Messages found only in the copy"))
        self.lost.setFrameShape(QFrame.Shape.NoFrame)
        self.lost.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.lost.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.lost.setUniformItemSizes(True)
        self.lost.setSpacing(3)
        self.lost.hide()
        self.restore = Button(tr("Restore as a new chat"), icon="undo", role=ButtonRole.MAIN)
        self.restore.setEnabled(False)
        self.restore.clicked.connect(self._on_restore)
        self.leave = Button(tr("Close"))
        self.leave.clicked.connect(self.reject)
        of = session.companion.guard.chat_of(chat)
        self._of = Label(chat_title(of), font=ui_font(13, MEDIUM), wraps=True)
        self.chats = Choice(tr("Chat"))  # this one, and those of which only copies are left
        self.chats.activated.connect(self._on_chat)
        self.chats.hide()
        self._lay_out()
        session.companion.guard.look_at_copies(chat)
        self._session.do(self._load_gone(), name=N_("looking for copies"))
        self._session.do(self._load(), name=N_("looking for copies"))

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self._model)
        table.setAccessibleName(tr("Copies of the chat"))
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
        title = Label(tr("Copies of this chat"), font=display_font(20))
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.leave)
        buttons.addWidget(self.restore)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 24, 28, 22)
        column.setSpacing(12)
        column.addWidget(title)
        column.addWidget(self._of)
        column.addWidget(self.chats)
        column.addWidget(self.difference)
        column.addWidget(self.table, 3)
        column.addWidget(self.lost, 2)
        column.addLayout(buttons)

    async def _load_gone(self) -> None:
        guard = self._session.companion.guard
        gone = await guard.gone(self._chat)
        if not (isValid(self) and gone):
            return
        self.chats.addItem(chat_words(guard.chat_of(self._chat)), self._chat)
        for path in gone:
            words = chat_words(guard.chat_of(path))
            self.chats.addItem(tr("{chat} (no longer there)", chat=words), path)
        self._of.hide()
        self.chats.show()

    def _on_chat(self, place: int) -> None:
        self._chat, self._wanted = self.chats.itemData(place), None
        self.resize(self._size)  # one without copies had made it small
        self.difference.setText(tr(EXPLANATION))
        self.lost.hide()
        self.restore.setEnabled(False)
        self._session.do(self._load(), name=N_("looking for copies"))

    async def _load(self) -> None:
        copies = await self._session.companion.guard.copies(self._chat)
        if not isValid(self):
            return
        self._model.show(copies)
        self.table.setVisible(bool(copies))
        self.restore.setVisible(bool(copies))
        if copies:
            self.table.setCurrentIndex(self._model.index(self._row_wanted(copies), 0))
            self.table.setFocus()
        else:
            self.difference.setText(tr(NO_COPIES))
            self.adjustSize()

    def _row_wanted(self, copies: Sequence[ChatCopy]) -> int:
        """What is left after a loss is kept as well, and nobody comes to bring that back."""
        if self._wanted is not None:
            wanted = self._wanted.path
            return next((row for row, copy in enumerate(copies) if copy.path == wanted), 0)
        return next((row for row, copy in enumerate(copies) if copy.messages), 0)

    def _on_current(self, current: QModelIndex) -> None:
        copy = self._model.copy_at(current)
        self.restore.setEnabled(copy is not None)
        if copy is not None:
            self._compared = copy.path
            self._session.do(self._compare(copy), name=N_("comparing a copy"))

    async def _compare(self, copy: ChatCopy) -> None:
        found = await self._session.companion.guard.compare(self._chat, copy)
        if isValid(self) and self._compared == copy.path:
            self._show(found)

    def _show(self, found: CopyComparison) -> None:
        self.difference.setText(f"{tr(EXPLANATION)}\n\n{difference_sentence(found)}")
        self.lost.clear()
        self.lost.addItems(found.lost[:MOST_LOST])
        self.lost.setVisible(bool(found.lost))

    def _on_restore(self) -> None:
        copy = self._model.copy_at(self.table.currentIndex())
        if copy is not None:
            self._session.do(self._bring_back(copy), name=N_("restoring a copy"))

    async def _bring_back(self, copy: ChatCopy) -> None:
        companion = self._session.companion
        restored = await companion.restoring.restore(self._chat, copy)
        made = restored.path
        words = tr("Restored as “{stem}”.", stem=chat_title(companion.guard.chat_of(made)))
        self.restored.emit(f"{words} {restored.sentence}".rstrip())
        if isValid(self):
            self.accept()
        await self._session.open_path(made)
