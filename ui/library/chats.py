"""The rows of the chat list: characters and groups as headings, their chats beneath."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from app.core.translation import tr
from app.story.story import ChatRef
from ui.controls.labels import safe_tip
from ui.core.chat_words import chat_title

if TYPE_CHECKING:
    from app.views.taverns import Tavern

Index = QModelIndex | QPersistentModelIndex

CHAT_ROLE = Qt.ItemDataRole.UserRole
HEADING_ROLE = Qt.ItemDataRole.UserRole + 1
OPEN_ROLE = Qt.ItemDataRole.UserRole + 2
IN_PAGE_ROLE = Qt.ItemDataRole.UserRole + 3
ALIKE_ROLE = Qt.ItemDataRole.UserRole + 4


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """A heading (chat None) or a chat."""

    text: str
    chat: ChatRef | None = None
    is_group: bool = False
    alike: int = 0  # letters at its beginning that another chat of this owner has, too


def alike(texts: Sequence[str]) -> tuple[int, ...]:
    """How many letters of each, from its beginning on, another one has as well."""
    order = sorted(range(len(texts)), key=lambda place: texts[place])
    shared = [0] * len(texts)
    for one, other in pairwise(order):  # what is most alike stands side by side
        letters = zip(texts[one], texts[other], strict=False)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], letters))
        shared[one], shared[other] = max(shared[one], common), max(shared[other], common)
    return tuple(shared)


def library_rows(
    taverns: tuple[Tavern, ...], demo: ChatRef | None, needle: str = ""
) -> tuple[LibraryRow, ...]:
    """All that matches `needle` (in the name or the title, any case), newest first per owner."""
    wanted = needle.strip().casefold()
    rows: list[LibraryRow] = []

    def add(owner: str, chats: tuple[ChatRef, ...], *, is_group: bool = False) -> None:
        found = [
            chat
            for chat in chats
            if not wanted or wanted in f"{owner} {chat.title} {chat_title(chat)}".casefold()
        ]
        if found:
            rows.append(LibraryRow(owner, None, is_group))
            titles = [chat_title(chat) for chat in found]
            told = zip(titles, found, alike(titles), strict=True)
            rows.extend(LibraryRow(title, chat, is_group, same) for title, chat, same in told)

    for tavern in taverns:
        where = f" · {tavern.host}" if tavern.host else ""
        for character in tavern.characters:
            add(f"{character.name}{where}", character.chats)
        for group in tavern.groups:
            name = group.name if group.id else tr(group.name)  # a name of ours for those of none
            add(f"{name}{where}", group.chats, is_group=True)
    if demo is not None and all(row.chat is None or row.chat.path != demo.path for row in rows):
        add(tr("Demo story"), (demo,), is_group=demo.kind.value == "group")
    return tuple(rows)


class LibraryModel(QAbstractListModel):
    """Headings cannot be chosen; chats can."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[LibraryRow, ...] = ()
        self._open: Path | None = None
        self._in_pages: tuple[Path, ...] = ()

    def show_rows(
        self,
        rows: tuple[LibraryRow, ...],
        open_path: Path | None,
        in_pages: tuple[Path, ...] = (),
    ) -> None:
        """Replace all; a filter changes everything anyway. in_pages: what SillyTavern shows."""
        self.beginResetModel()
        self._rows, self._open, self._in_pages = rows, open_path, in_pages
        self.endResetModel()

    def row(self, row: int) -> LibraryRow:
        return self._rows[row]

    def first_chat(self) -> QModelIndex:
        """The first row that can be chosen, invalid when there is none."""
        for number, row in enumerate(self._rows):
            if row.chat is not None:
                return self.index(number)
        return QModelIndex()

    def index_of(self, path: Path) -> QModelIndex:
        """The row of a chat, the first that can be chosen when it is not shown."""
        for number, row in enumerate(self._rows):
            if row.chat is not None and row.chat.path == path:
                return self.index(number)
        return self.first_chat()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(row)
            case Qt.ItemDataRole.ToolTipRole if row.chat is not None:
                where = tr("Open in SillyTavern") if self._is_in_page(row) else ""
                return safe_tip("\n".join(filter(None, (row.text, where))))
        if role == CHAT_ROLE:
            return row.chat
        if role == HEADING_ROLE:
            return row.chat is None
        if role == ALIKE_ROLE:
            return row.alike
        if role == OPEN_ROLE:
            return row.chat is not None and row.chat.path == self._open
        if role == IN_PAGE_ROLE:
            return self._is_in_page(row)
        return None

    def _is_in_page(self, row: LibraryRow) -> bool:
        return row.chat is not None and row.chat.path in self._in_pages

    def _spoken(self, row: LibraryRow) -> str:
        if row.chat is None:
            return row.text
        spoken = tr("Chat {text}", text=row.text)
        return f"{spoken}, {tr('Open in SillyTavern')}" if self._is_in_page(row) else spoken

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or self._rows[index.row()].chat is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
