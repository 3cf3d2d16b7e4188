"""Find in chat: a slim bar over the column that steps through the messages that hold a text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.core.translation import number, tr, trn
from app.story.messages import Message
from ui.controls.buttons import IconButton
from ui.controls.fields import Field
from ui.controls.labels import meta
from ui.theme.source import ThemeSource

HEIGHT = 44
SLICE = 1_000  # messages searched at once, about 8 ms where they are as long as people write


class FindBar(QWidget):
    """Searches the messages' own text in slices, so that a long chat never stalls the window.

    Signals:
        found: message index to show.
        text_changed: what is searched for; "" once the bar is closed.
        closed: the reader is done.
    """

    found = Signal(int)
    text_changed = Signal(str)
    closed = Signal()

    def __init__(self, theme: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._messages: tuple[Message, ...] = ()
        self._wanted = ""
        self._hits: list[int] = []
        self._searched = 0
        self._place = -1  # message that is shown
        self._start = 0
        self.field = Field(tr("Find in chat"), placeholder=tr("Find in chat"), icon="search")
        self._count = meta()
        self._previous = IconButton("chevron-up", tr("Previous (Shift Return)"))
        self._next = IconButton("chevron-down", tr("Next (Return)"))
        self._close = IconButton("cross", tr("Close (Esc)"))
        self._slices = QTimer(self)
        self._slices.setInterval(0)
        self._slices.timeout.connect(self._search_slice)
        self._lay_out()
        self.field.textChanged.connect(self._on_text)
        self._previous.clicked.connect(self.previous)
        self._next.clicked.connect(self.next)
        self._close.clicked.connect(self.close_bar)

    def _lay_out(self) -> None:
        self.setFixedHeight(HEIGHT)
        row = QHBoxLayout(self)
        row.setContentsMargins(22, 8, 22, 8)
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self._count)
        row.addWidget(self._previous)
        row.addWidget(self._next)
        row.addWidget(self._close)

    @property
    def hits(self) -> tuple[int, ...]:
        """Messages found so far, in story order."""
        return tuple(self._hits)

    @property
    def is_searching(self) -> bool:
        """Whether there are messages left to look at."""
        return self._slices.isActive()

    @property
    def count_text(self) -> str:
        return self._count.text()

    def open_at(self, message: int) -> None:
        """Show the bar; the first hit is looked for from this message on."""
        self._start = max(message, 0)
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        if self.field.text():
            self._begin()

    def close_bar(self) -> None:
        """Hide the bar and unmark everything."""
        self._slices.stop()
        self.hide()
        self.text_changed.emit("")
        self.closed.emit()

    def set_messages(self, messages: tuple[Message, ...], first_changed: int | None) -> None:
        """Search another state of the story; hits before `first_changed` stay."""
        self._messages = messages
        if not self.isVisible() or first_changed is None or not self._wanted:
            return
        self._hits = self._hits[: bisect_left(self._hits, first_changed)]
        self._searched = min(self._searched, first_changed)
        self._slices.start()

    def _on_text(self, text: str) -> None:
        self.text_changed.emit(text.strip())
        self._begin()

    def _begin(self) -> None:
        self._wanted = self.field.text().strip().casefold()
        self._hits, self._searched, self._place = [], 0, -1
        self._slices.stop()
        if self._wanted:
            self._slices.start()
        self._tell()

    def _search_slice(self) -> None:
        end = min(self._searched + SLICE, len(self._messages))
        for index in range(self._searched, end):
            if self._wanted in self._messages[index].text.casefold():
                self._hits.append(index)
        self._searched = end
        if end >= len(self._messages):
            self._slices.stop()
        if (
            self._place < 0
            and self._hits
            and (self._hits[-1] >= self._start or not self.is_searching)
        ):
            place = bisect_left(self._hits, self._start)
            self._show(self._hits[place if place < len(self._hits) else 0])
        self._tell()

    def next(self) -> None:
        """Show the next hit, from the end on the first."""
        if self._hits:
            place = bisect_right(self._hits, self._place)
            self._show(self._hits[place % len(self._hits)])

    def previous(self) -> None:
        """Show the hit before, from the first on the last."""
        if self._hits:
            place = bisect_left(self._hits, self._place)
            self._show(self._hits[place - 1])

    def _show(self, message: int) -> None:
        self._place = message
        self.found.emit(message)
        self._tell()

    def _tell(self) -> None:
        if not self._wanted:
            text = ""
        elif not self._hits:
            text = tr("Searching") if self.is_searching else tr("Not found")
        elif self._place in self._hits:
            place = number(self._hits.index(self._place) + 1)
            text = tr("{place} of {many}", place=place, many=number(len(self._hits)))
        else:
            text = trn("{n} message", "{n} messages", len(self._hits))
        self._count.setText(text)
        self._previous.setEnabled(bool(self._hits))
        self._next.setEnabled(bool(self._hits))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape:
                self.close_bar()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                is_back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self.previous() if is_back else self.next()
            case _:
                super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), tokens.stage)
        painter.fillRect(0, self.height() - 1, self.width(), 1, tokens.line)
