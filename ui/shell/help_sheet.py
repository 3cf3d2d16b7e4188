"""The pages of help over the window: titles at the left, the chosen one at the right."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import (
    QKeyEvent,
    QPalette,
    QTextBlockFormat,
    QTextCursor,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QTextBrowser,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.core.help_pages import HelpPage, found_pages, help_pages
from app.core.translation import N_, tr
from ui.controls.fields import Field
from ui.controls.labels import body, section
from ui.controls.surfaces import FloatingSheet
from ui.shell.entries import ENTRY_ROLE, Entry, EntryModel, above_rows, entry_list, step_in
from ui.theme import current_tokens
from ui.theme.fonts import ui_font

SIZE = QSize(880, 600)
TITLES_WIDE = 316
CELL = 6  # px around a cell's text
LINE, PARAGRAPH, INDENT = 125, 8, 20  # % of a line's height, px beneath a paragraph, px of a list
NOTHING = N_("No help page mentions that.")


class HelpSheet(FloatingSheet):
    """Written words leave the pages that hold them; arrow keys move, Escape goes away."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pages: tuple[HelpPage, ...] = ()
        self._words: list[str] = []  # that are looked for
        self._model = EntryModel()
        self.field = Field(tr("Search the help"), placeholder=tr("Search the help"), icon="search")
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._filter)
        self.list = entry_list(self._model, tr("Help pages"))
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self.title = section("")
        self.page = QTextBrowser()
        # All of it wraps; Qt rounds tables up to a pixel more than there is room for.
        self.page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.page.setAccessibleName(tr("Help"))
        self.page.setFrameShape(QFrame.Shape.NoFrame)
        self.page.setOpenLinks(False)
        self.page.setFont(ui_font(14))
        self._nothing = body(tr(NOTHING), wraps=True)
        titles = QVBoxLayout()
        titles.setSpacing(6)
        titles.addLayout(above_rows(self.field))
        titles.addWidget(self.list, 1)
        told = QVBoxLayout()
        told.setContentsMargins(12, 10, 8, 8)
        told.setSpacing(8)
        told.addWidget(self.title)
        told.addWidget(self._nothing)
        told.addWidget(self.page, 1)
        left = QWidget()
        left.setFixedWidth(TITLES_WIDE)
        left.setLayout(titles)
        titles.setContentsMargins(0, 0, 0, 0)
        inner = QHBoxLayout()
        inner.setContentsMargins(8, 8, 4, 4)
        inner.addWidget(left)
        inner.addLayout(told, 1)
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.addLayout(inner)

    def open_over(self, window: QWidget, title: str = "", words: str = "") -> None:
        """Show in the upper middle of `window`. title: of the page that is shown first. words: what
        was looked for on it.
        """
        self._pages = help_pages()
        self.field.clear()
        self._filter("")
        self._words = words.casefold().split()
        for row, page in enumerate(self._pages):
            if page.title == title:
                self.list.setCurrentIndex(self._model.index(row))
        width = min(SIZE.width(), window.width() - 40) + 2 * self.MARGIN
        height = min(SIZE.height(), window.height() - 80) + 2 * self.MARGIN
        at = window.mapToGlobal(QPoint((window.width() - width) // 2, 40))
        self.setGeometry(QRect(at, QSize(width, height)))
        self.show()
        self._mark_found()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def _filter(self, words: str) -> None:
        self._words = words.casefold().split()
        found = found_pages(self._pages, self._words)
        self._model.show_entries(tuple(Entry(p.title, "", "question", value=p) for p in found))
        self.list.setCurrentIndex(self._model.index(0))
        for part in (self.title, self.page):
            part.setVisible(bool(found))
        self._nothing.setVisible(not found)

    def _on_current(self, index: QModelIndex) -> None:
        entry = index.data(ENTRY_ROLE) if index.isValid() else None
        page = entry.value if isinstance(entry, Entry) else None
        if isinstance(page, HelpPage):
            self.title.setText(page.title)
            self._show(page.text)
            self._mark_found()

    def _show(self, text: str) -> None:
        palette = self.page.palette()
        palette.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        palette.setColor(QPalette.ColorRole.Text, current_tokens().t1)
        self.page.setPalette(palette)
        self.page.document().setDocumentMargin(0)
        self.page.document().setIndentWidth(INDENT)
        self.page.setMarkdown(text)
        block = self.page.document().begin()
        while block.isValid():
            cursor = QTextCursor(block)
            form = cursor.blockFormat()
            form.setLineHeight(LINE, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            if cursor.currentTable() is None:
                form.setBottomMargin(PARAGRAPH)
            cursor.setBlockFormat(form)
            block = block.next()
        for frame in self.page.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                table = frame.format()
                table.setBorder(0)
                table.setCellPadding(CELL)
                table.setCellSpacing(0)
                table.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
                table.setMargin(0)
                table.setBottomMargin(PARAGRAPH)
                frame.setFormat(table)

    def _mark_found(self) -> None:
        """Mark the words that were looked for, and bring the first of them into view."""
        marks: list[QTextEdit.ExtraSelection] = []
        t = current_tokens()
        for word in self._words:
            for at in self._places(word) or self._places(word[:-1]):  # another form of it
                mark = QTextEdit.ExtraSelection()
                mark.cursor = at
                mark.format.setBackground(t.accent)
                mark.format.setForeground(t.accent_ink)
                marks.append(mark)
        self.page.setExtraSelections(marks)
        found = sorted(mark.cursor.selectionStart() for mark in marks)
        first = QTextCursor(self.page.document())
        first.setPosition(found[0] if found else 0)
        self.page.setTextCursor(first)
        bar = self.page.verticalScrollBar()
        place = self.page.cursorRect(first).top() + bar.value()
        bar.setValue(place - self.page.viewport().height() // 3)

    def _places(self, word: str) -> list[QTextCursor]:
        found: list[QTextCursor] = []
        at = self.page.document().find(word) if word else QTextCursor()
        while not at.isNull():
            found.append(at)
            at = self.page.document().find(word, at)
        return found

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                step_in(self.list, event.key())
            case Qt.Key.Key_Escape:
                self.close()
            case _:
                return False
        return True
