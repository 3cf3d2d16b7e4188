"""What is shown while no chat is open: what the program is for, and the ways in."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import N_, tr
from app.story.story import ChatRef
from app.views.taverns import Tavern
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label, meta
from ui.core.actions import PAGE_OF
from ui.core.chat_words import chat_title, owner_words
from ui.core.session import Session
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, display_font, ui_font
from ui.theme.palette import T2_ROLE

WIDTH = 560
RECENT = 5
NO_CHAT = N_("No chat is open.")
FOUND = N_("Long-term memory for your SillyTavern stories.")
NOT_FOUND = N_(
    "Long-term memory for your SillyTavern stories. No SillyTavern folder was found on this "
    "computer yet. Nothing leaves this computer unless you choose a model elsewhere."
)


class WelcomePage(QWidget):
    """One sentence, one main button, the newest chats, and the demo story.

    Signals:
        chat_chosen: ChatRef.
        folder_wanted: the user wants to name SillyTavern's folder.
        list_wanted: the user wants to see all chats.
    """

    chat_chosen = Signal(object)
    folder_wanted = Signal()
    list_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._page = "story"
        self._title = Label("Tavernkeep", font=display_font(26))
        self._sentence = Label(font=ui_font(13.5), tone=T2_ROLE, wraps=True)
        # Of two lines on every page, so that the titles stand at one height.
        self._sentence.setMinimumHeight(2 * self._sentence.fontMetrics().lineSpacing())
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._main = Button(tr("Choose SillyTavern's folder"), icon="folder", role=ButtonRole.MAIN)
        self._main.clicked.connect(self._on_main)
        self._demo = Button(tr("Open the demo story"), icon="book")
        self._demo.clicked.connect(self._on_demo)
        self._recent_title = meta(tr("Newest chats"))
        self._recent = QVBoxLayout()
        self._recent.setSpacing(4)
        commands = QHBoxLayout()
        commands.setSpacing(8)
        commands.addWidget(self._main)
        commands.addWidget(self._demo)
        commands.addStretch(1)
        block = QWidget()
        block.setFixedWidth(WIDTH)
        column = QVBoxLayout(block)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        column.addWidget(self._title)
        column.addWidget(self._sentence)
        column.addLayout(commands)
        column.addSpacing(12)
        column.addWidget(self._recent_title)
        column.addLayout(self._recent)
        outer = QVBoxLayout(self)
        outer.addStretch(2)
        row = QHBoxLayout()  # an aligned widget would be as high as its hint, wrapped text or not
        row.addStretch(1)
        row.addWidget(block)
        row.addStretch(1)
        outer.addLayout(row)
        outer.addStretch(3)
        session.library_changed.connect(self.refresh)
        self.refresh()

    @property
    def sentence(self) -> str:
        """What it says under its title."""
        return self._sentence.text()

    def show_for(self, page: str) -> None:
        """Say what the page is for on which it stands."""
        if page != self._page:
            self._page = page
            self.refresh()

    def refresh(self) -> None:
        """Say what was found."""
        companion = self._session.companion
        has_tavern = bool(companion.taverns)
        spec = PAGE_OF[self._page]
        purpose = spec.purpose  # the story page greets
        self._title.setText(tr(spec.name) if purpose else "Tavernkeep")
        said = tr(FOUND) if has_tavern else tr(NOT_FOUND)
        self._sentence.setText(f"{tr(purpose)} {tr(NO_CHAT)}" if purpose else said)
        self._main.set_text(
            tr("Choose a chat") if has_tavern else tr("Choose SillyTavern's folder")
        )
        self._main.set_icon("chat" if has_tavern else "folder")
        while (item := self._recent.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        chats = newest_chats(companion.taverns)
        for chat in chats:
            row = _ChatLink(chat)
            row.clicked.connect(self._on_recent)
            self._recent.addWidget(row)
        self._recent_title.setVisible(bool(chats))

    def _on_main(self) -> None:
        if self._session.companion.taverns:
            self.list_wanted.emit()
        else:
            self.folder_wanted.emit()

    def _on_demo(self) -> None:
        self.chat_chosen.emit(self._session.companion.demo)

    def _on_recent(self) -> None:
        link = self.sender()
        if isinstance(link, _ChatLink):
            self.chat_chosen.emit(link.chat)


class _ChatLink(QAbstractButton):
    """Words in line with those above, without a button around them."""

    def __init__(self, chat: ChatRef) -> None:
        super().__init__()
        title, name = chat_title(chat), owner_words(chat) or chat.owner
        self.setText(f"{name}, {title}" if name else title)
        self.setAccessibleName(self.text())
        self.chat = chat
        self.setFont(ui_font(12.5, MEDIUM))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(min(WIDTH, self.fontMetrics().horizontalAdvance(self.text()) + 2), 26)

    def paintEvent(self, event: QPaintEvent) -> None:
        t, is_over = current_tokens(), self.underMouse()
        painter = QPainter(self)
        font = QFont(self.font())
        font.setUnderline(is_over)
        painter.setFont(font)
        painter.setPen(t.t1 if is_over else t.t2)
        elide = Qt.TextElideMode.ElideRight
        text = self.fontMetrics().elidedText(self.text(), elide, self.width())
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect(), left, text)


def newest_chats(taverns: tuple[Tavern, ...], *, shown: Sequence[Path] = ()) -> tuple[ChatRef, ...]:
    """The chats that pages of SillyTavern show, then those that were written last, a few in all."""
    lists = [owner.chats for tavern in taverns for owner in tavern.owners if owner.chats]
    heads = [(-changed_at(chats[0].path), number, 0) for number, chats in enumerate(lists)]
    heapq.heapify(heads)
    open_now = [chat for chats in lists for chat in chats if chat.path in shown]
    found = open_now[:RECENT]
    while heads and len(found) < RECENT:
        _, number, place = heapq.heappop(heads)
        chats = lists[number]  # newest first
        if chats[place] not in found:
            found.append(chats[place])
        if place + 1 < len(chats):
            heapq.heappush(heads, (-changed_at(chats[place + 1].path), number, place + 1))
    return tuple(found)


def changed_at(path: Path) -> float:
    """When a file was written last, in seconds since the epoch; 0 where nobody knows."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
