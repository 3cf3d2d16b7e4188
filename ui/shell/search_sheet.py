"""Finds words in the memories and messages of all chats, and leads to them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QListView, QVBoxLayout, QWidget

from app.core.errors import TavernkeepError
from app.core.translation import N_, number, tr, tr_in
from app.memory.records import Tier
from app.memory.tiers.table import TIERS
from app.views.search_results import Findings, Hit
from ui.controls.buttons import Button, ButtonRole
from ui.controls.fields import Field
from ui.controls.labels import Label, meta
from ui.controls.surfaces import FloatingSheet
from ui.controls.timers import once
from ui.shell.entries import Index, above_rows, step_in
from ui.shell.find_row import FIND_ROLE, ROW, Find, FindDelegate
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T2_ROLE

WIDTH = 680
ROWS_SHOWN = 7
FOOT = 66  # the button, and the space between
SETTLE_MS = 180
MOST = 30
HOW = N_("Searches the memories and messages of every chat opened here.")
FORMS = (
    (N_("“two words”"), N_("a phrase, word for word")),
    (N_("-word"), N_("leaves out what contains this word")),
    (N_("who:Ada"), N_("what is about one person")),
    (N_("in:here"), N_("only the open chat; or write a part of a chat’s name")),
    (N_("kind:plot-threads"), N_("only one kind of memory; kind:messages finds only messages")),
)
NOTHING = N_("Nothing was found in the chats that were opened here.")
TOO_MUCH = N_("Too many matches: not all of them were checked. Use rarer words.")

Ask = Callable[[str], Coroutine[Any, Any, Findings]]


class _FindModel(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self._finds: tuple[Find, ...] = ()

    def show_finds(self, finds: tuple[Find, ...]) -> None:
        self.beginResetModel()
        self._finds = finds
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._finds)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        find = self._finds[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{find.hit.snippet}. {find.place}"
        return find if role == FIND_ROLE else None


def _forms_table() -> QWidget:
    """What can be written into the field, and what that finds."""
    table = QWidget()
    grid = QGridLayout(table)
    grid.setContentsMargins(10, 0, 10, 6)
    grid.setHorizontalSpacing(18)
    grid.setVerticalSpacing(4)
    grid.setColumnStretch(1, 1)
    for row, (form, meaning) in enumerate(FORMS):
        grid.addWidget(Label(tr(form), font=ui_font(11.5, MEDIUM)), row, 0)
        grid.addWidget(Label(tr(meaning), font=ui_font(11.5), tone=T2_ROLE), row, 1)
    return table


class SearchSheet(FloatingSheet):
    """Arrow keys move in the finds while the field keeps the focus; Return goes there.

    ask: finds, to be awaited. place: says where a find stands. run: looks after a coroutine.

    Signals:
        hit_chosen: Hit to go to. index_wanted: chats that were never opened are to be read.
    """

    hit_chosen = Signal(object)
    index_wanted = Signal()

    def __init__(
        self,
        ask: Ask,
        place: Callable[[Hit], str],
        run: Callable[[Coroutine[Any, Any, None]], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._ask = ask
        self._place = place
        self._run = run
        self._turn = 0
        self._model = _FindModel()
        self.field = Field(
            tr("Search all chats"),
            placeholder=tr("Search the memories and messages of all chats"),
            icon="search",
        )
        self.field.installEventFilter(self)
        self.list = QListView()
        self.list.setModel(self._model)
        self.list.setItemDelegate(FindDelegate(self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName(tr("Results, best first"))
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.viewport().setAutoFillBackground(False)
        self.list.clicked.connect(self._choose)
        self.words = Label(tr(HOW), font=ui_font(11.5), tone=T2_ROLE, wraps=True)
        self.words.setContentsMargins(10, 2, 10, 6)
        self.forms = _forms_table()
        self.index = Button(
            tr("Read all chats for this search"),
            icon="sync",
            role=ButtonRole.QUIET,
            flush=Qt.Edge.LeftEdge,
        )
        self.index.setToolTip(
            tr("Also reads chats you have never opened here, so that the search covers them.")
        )
        self.index.clicked.connect(self.index_wanted)
        self.progress = meta("")
        self._settle = once(self, SETTLE_MS, self.search)
        self.field.textChanged.connect(self._settle.start)
        self._build()

    def _build(self) -> None:
        inner = QVBoxLayout()
        inner.setContentsMargins(8, 8, 4, 4)
        inner.setSpacing(6)
        inner.addLayout(above_rows(self.field))
        inner.addWidget(self.list, 1)
        inner.addWidget(self.words)
        inner.addWidget(self.forms)
        foot = QHBoxLayout()
        foot.setContentsMargins(10, 0, 6, 4)
        foot.addWidget(self.index)
        foot.addWidget(self.progress, 1)
        inner.addLayout(foot)
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.addLayout(inner)

    def open_over(self, window: QWidget) -> None:
        """Show in the upper middle of `window`, with the last query chosen to be written over."""
        self._window = window
        self._fit()
        self.show()
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        self.search()

    def _fit(self) -> None:
        window = self._window
        width = min(WIDTH, window.width() - 40) + 2 * self.MARGIN
        rows = min(self._model.rowCount(), ROWS_SHOWN)
        words = self.words.heightForWidth(width - 2 * self.MARGIN - 12) if self.words.text() else 0
        forms = 0 if self.forms.isHidden() else self.forms.sizeHint().height() + 6
        wanted = self.field.sizeHint().height() + rows * ROW + words + forms + FOOT
        height = min(wanted + 2 * self.MARGIN, window.height() - 60)
        at = window.mapToGlobal(QPoint((window.width() - width) // 2, 40))
        self.setGeometry(QRect(at, QSize(width, height)))

    def show_indexing(self, done: int, total: int) -> None:
        """How many chats were read for the search; all of them: it is over."""
        is_over = done >= total
        self.index.setEnabled(is_over)
        said = tr("{done} of {total} chats read.", done=number(done), total=number(total))
        self.progress.setText(tr("All chats have been read.") if is_over else said)
        if is_over and self.isVisible():
            self.search()

    def search(self) -> None:
        """Find what is written in the field."""
        self._turn += 1
        self._settle.stop()
        query = self.field.text().strip()
        if query:
            self._run(self._find(query, self._turn))
        else:
            self._show((), tr(HOW))

    async def _find(self, query: str, turn: int) -> None:
        finds: tuple[Find, ...] = ()
        try:
            findings = await self._ask(query)
        except TavernkeepError as error:
            words = str(error)
        else:
            finds = tuple(Find(hit, self._place(hit)) for hit in findings.hits)
            words = "" if findings.is_complete else tr(TOO_MUCH)
            words = words or ("" if finds else tr(NOTHING))
        if turn == self._turn:  # else something else was written meanwhile
            self._show(finds, words)

    def _show(self, finds: tuple[Find, ...], words: str) -> None:
        self._model.show_finds(finds)
        self.list.setVisible(bool(finds))
        self.list.setCurrentIndex(self._model.index(0))
        self.words.setText(words)
        self.words.setVisible(bool(words))
        self.forms.setVisible(words == tr(HOW))
        if self.isVisible():
            self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                step_in(self.list, event.key())
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                if self._settle.isActive():
                    self.search()
                else:
                    self._choose(self.list.currentIndex())
            case Qt.Key.Key_Escape:
                self.close()
            case _:
                return False
        return True

    def _choose(self, index: Index) -> None:
        find = index.data(FIND_ROLE) if index.isValid() else None
        if isinstance(find, Find):
            self.close()
            self.hit_chosen.emit(find.hit)


def place_words(hit: Hit, chat: str, *, is_here: bool) -> str:
    """What a find is and where it stands: "Arcs · Ada, 3 May · #12". chat: its name."""
    parts = [tr(TIERS[Tier(hit.tier)].words.name) if hit.memory_id else tr("Message")]
    if hit.memory_id and not hit.is_current:
        parts[0] = tr("{tier}, no longer holds", tier=parts[0])
    parts.append(tr_in("where a hit is", "this chat") if is_here else chat)
    if hit.index is not None:
        parts.append(f"#{hit.index}")
    if hit.elsewhere:
        parts.append(
            tr("and in {elsewhere} more chats", elsewhere=hit.elsewhere)
            if hit.elsewhere > 1
            else tr("and in a branch")
        )
    return " · ".join(parts)


def stem_words(path: Path) -> str:
    """What a chat is called of which only the file is known."""
    return f"{path.parent.name}, {path.stem}" if path.parent.name else path.stem
