"""The list of chats that opens from the card, with a field that filters it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.core.translation import tr
from ui.controls.fields import Field
from ui.controls.holding import Hold
from ui.controls.labels import Label
from ui.controls.surfaces import FloatingSheet
from ui.core.session import Session
from ui.library.chats import (
    ALIKE_ROLE,
    CHAT_ROLE,
    HEADING_ROLE,
    IN_PAGE_ROLE,
    OPEN_ROLE,
    Index,
    LibraryModel,
    library_rows,
)
from ui.shell.chat_card import paint_disc
from ui.shell.entries import BESIDE_ROWS, above_rows
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.palette import T3_ROLE
from ui.theme.style import rounded

WIDTH = 336
LIST_HEIGHT = 380
HEADING_HEIGHT = 34
ROW_HEIGHT = 30
LEAD, TELLING = 10, 4  # letters kept of what is alike at both its ends


class LibraryPopover(FloatingSheet):
    """Arrow keys move in the list while the field keeps the focus; Return opens.

    Signals:
        chat_chosen: ChatRef.
        folder_wanted: the user wants to name SillyTavern's folder.
    """

    chat_chosen = Signal(object)
    folder_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._model = LibraryModel()
        self._field = Field(
            tr("Filter chats"), placeholder=tr("Filter characters and chats"), icon="search"
        )
        self._field.textChanged.connect(self._show_rows)
        self._field.installEventFilter(self)
        self._list = QListView()
        self._list.setModel(self._model)
        self._list.setItemDelegate(_ChatDelegate(self._list))
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setAccessibleName(tr("Chats"))
        self._list.setMouseTracking(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self._list.viewport().setAutoFillBackground(False)
        self._list.clicked.connect(self._choose)
        self._nothing = Label(tr("No chat has this name."), font=ui_font(12), tone=T3_ROLE)
        self._nothing.setContentsMargins(10, 6, 10, 10)
        inner = QVBoxLayout()
        inner.setContentsMargins(8, 8, 4, 4)
        inner.setSpacing(6)
        inner.addLayout(above_rows(self._field))
        inner.addWidget(self._nothing)
        inner.addWidget(self._list, 1)
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.addLayout(inner)
        self.hold = Hold(self._list)
        self.hold.ended.connect(self._show_new)
        self._is_behind = False
        session.library_changed.connect(self._on_library_changed)
        session.health_changed.connect(self._mark_pages)
        self._in_pages: tuple[object, ...] = ()

    def open_below(self, anchor: QWidget) -> None:
        """Show under `anchor`, filtered by nothing."""
        self._field.clear()
        self._show_rows()
        at = anchor.mapToGlobal(QPoint(-self.MARGIN, anchor.height() + 4 - self.MARGIN))
        height = min(self._wanted_height(), LIST_HEIGHT) + 50 + 2 * self.MARGIN
        self.setGeometry(QRect(at, QSize(WIDTH, height)))
        self.show()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._on_key(event)
        return False

    def _on_key(self, event: QKeyEvent) -> bool:
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                self._move(1 if event.key() == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._choose(self._list.currentIndex())
            case Qt.Key.Key_Escape:
                self.close()
            case _:
                return False
        return True

    def _move(self, step: int) -> None:
        row = self._list.currentIndex().row() + step
        while 0 <= row < self._model.rowCount():
            if self._model.row(row).chat is not None:
                self._list.setCurrentIndex(self._model.index(row))
                return
            row += step

    def _choose(self, index: Index) -> None:
        chat = index.data(CHAT_ROLE) if index.isValid() else None
        if chat is not None:
            self.close()
            self.chat_chosen.emit(chat)

    def _on_library_changed(self) -> None:
        self._is_behind = True
        self._show_new()

    def _show_new(self) -> None:
        """A chat that is played rises to the top: not while a press is aimed at another."""
        if self._is_behind and not self.hold.is_on:
            chosen = self._list.currentIndex().data(CHAT_ROLE)
            self._show_rows()
            if chosen is not None:
                self._list.setCurrentIndex(self._model.index_of(chosen.path))

    def _show_rows(self) -> None:
        self._is_behind = False
        companion = self._session.companion
        rows = library_rows(companion.taverns, companion.demo, self._field.text())
        self._model.show_rows(rows, self._session.path, companion.chats_in_pages)
        self._list.setCurrentIndex(self._model.first_chat())
        self._nothing.setVisible(not rows)

    def _mark_pages(self, _health: object) -> None:
        shown = self._session.companion.chats_in_pages
        if self.isVisible() and shown != self._in_pages:
            self._in_pages = shown
            self._on_library_changed()

    def _wanted_height(self) -> int:
        rows = range(self._model.rowCount())
        heights = (
            HEADING_HEIGHT if self._model.row(row).chat is None else ROW_HEIGHT for row in rows
        )
        return sum(heights) + 2


def telling(text: str, alike: int, metrics: QFontMetrics, width: int) -> str:
    """A text cut to a width so that what tells it from others stays. alike: letters at its
    beginning that another one has, too.
    """
    right = Qt.TextElideMode.ElideRight
    shown = metrics.elidedText(text, right, width)
    if shown == text or len(shown) > alike + TELLING:
        return shown
    lead = f"{text[:LEAD].rstrip()}…"
    rest = text[max(LEAD, alike - TELLING) :].lstrip()
    return lead + metrics.elidedText(rest, right, width - metrics.horizontalAdvance(lead))


class _ChatDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, HEADING_HEIGHT if index.data(HEADING_ROLE) else ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        t = current_tokens()
        area = QRectF(option.rect)
        text = str(index.data())
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.save()
        if index.data(HEADING_ROLE):
            paint_disc(painter, QRectF(area.x() + 8, area.y() + 8, 20, 20), text)
            painter.setFont(ui_font(12, SEMIBOLD))
            painter.setPen(t.t2)
            words = area.adjusted(36, 2, -8, 0)
        else:
            state = option.state
            ground = area.adjusted(0, 1, -BESIDE_ROWS, -1)
            if state & QStyle.StateFlag.State_Selected:
                rounded(painter, ground, 7, t.accent_soft)
            elif state & QStyle.StateFlag.State_MouseOver:
                rounded(painter, ground, 7, t.hover)
            painter.setFont(ui_font(12.5, MEDIUM))
            painter.setPen(t.t1)
            words = area.adjusted(36, 0, -30, 0)
            ratio = painter.device().devicePixelRatioF()
            if index.data(IN_PAGE_ROLE):
                # Where the heading has its disc: this is what SillyTavern shows.
                plug = icon_pixmap("plug", t.accent_text, 14, ratio)
                painter.drawPixmap(int(area.x()) + 11, int(area.y()) + 8, plug)
            if index.data(OPEN_ROLE):
                mark = icon_pixmap("check", t.accent_text, 14, ratio)
                painter.drawPixmap(int(area.right()) - 26, int(area.y()) + 8, mark)
        same = 0 if index.data(HEADING_ROLE) else int(index.data(ALIKE_ROLE))
        shown = telling(text, same, painter.fontMetrics(), int(words.width()))
        painter.drawText(words, middle, shown)
        painter.restore()
