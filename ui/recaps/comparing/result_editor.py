"""Where the result of a comparison is written on: its undo is that of the choices."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QSyntaxHighlighter,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QWidget

from app.core.translation import tr
from app.story.comparison import is_heading
from ui.controls.prose import Prose
from ui.theme import current_tokens, theme
from ui.theme.fonts import SEMIBOLD, ui_font

LINE_PX = 23


class ResultEditor(Prose):
    """Plain text whose undo is that of the choices.

    Signals:
        typed: the whole text, after the user changed it.
        asked: undo, redo, keep, left, right, both, by key.
        focused: whether it has the keyboard.
    """

    typed = Signal(str)
    asked = Signal(str)
    focused = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Result"), px=15, line_px=LINE_PX, parent=parent)
        self.setReadOnly(False)
        self.setUndoRedoEnabled(False)
        self._tones = _Tones(self.document())
        self.committed.connect(self._on_committed)
        self.textChanged.connect(self._on_changed)
        self._shown = ""
        theme.changed.connect(self._tones.follow)

    @property
    def text(self) -> str:
        """The words as they stand. Not Qt's plain text: that turns hard spaces into soft ones."""
        return self.document().toRawText().replace("\u2029", "\n")

    def show_display(
        self, text: str, notices: Sequence[tuple[int, int]], *, cursor: int | None = None
    ) -> None:
        """Show a text and grey its notices. Only what differs is replaced, so the view stays.

        Places are counted in characters, which Qt counts in UTF-16.
        """
        place = _units(text)
        self._tones.notices = [(place(low), place(high)) for low, high in notices]
        before = self.text
        with QSignalBlocker(self):
            if text != before:
                self._replace(before, text)
            if cursor is not None:
                at = self.textCursor()
                at.setPosition(place(cursor))
                self.setTextCursor(at)
        self._shown = text

    def reveal(self, position: int) -> None:
        """Bring a place into view; the cursor goes there."""
        place = self.textCursor()
        place.setPosition(_units(self._shown)(min(position, len(self._shown))))
        self.setTextCursor(place)
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect().top())

    def _replace(self, before: str, text: str) -> None:
        start, shortest = 0, min(len(before), len(text))
        while start < shortest and before[start] == text[start]:
            start += 1
        end = 0
        while end < shortest - start and before[-1 - end] == text[-1 - end]:
            end += 1
        place = QTextCursor(self.document())
        units = _units(before)
        low, high = units(start), units(len(before) - end)
        place.setPosition(low)
        place.setPosition(high, QTextCursor.MoveMode.KeepAnchor)
        place.insertText(text[start : len(text) - end])
        first = self.document().findBlock(low)
        last = self.document().findBlock(place.position())
        self._space(first.blockNumber(), last.blockNumber())
        for block in (first.previous(), last.next()):  # a heading is one by its neighbours
            if block.isValid():
                self._tones.rehighlightBlock(block)

    def _space(self, first: int, last: int) -> None:
        """Give text blocks their height; blank ones half of it."""
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for number in range(first, last + 1):
            block = self.document().findBlockByNumber(number)
            height = LINE_PX if block.text().strip() else LINE_PX / 2
            spacing = QTextBlockFormat()
            spacing.setLineHeight(height, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
            cursor.setPosition(block.position())
            cursor.setBlockFormat(spacing)
        cursor.endEditBlock()

    def _on_changed(self) -> None:
        text = self.text
        if text != self._shown:
            self._shown = text
            self.typed.emit(text)

    def _on_committed(self) -> None:
        self.asked.emit("keep")

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and _asked(event):
            event.accept()  # or the window's own undo would run
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        asked = _asked(event)
        if asked:
            self.asked.emit(asked)
            return
        if event.key() == Qt.Key.Key_Escape:
            event.ignore()
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)


def _asked(event: QEvent) -> str:
    """What a key asks for in the result, "" for nothing."""
    assert isinstance(event, QKeyEvent)
    if event.matches(QKeySequence.StandardKey.Undo):
        return "undo"
    if event.matches(QKeySequence.StandardKey.Redo):
        return "redo"
    if event.modifiers() == Qt.KeyboardModifier.ControlModifier:
        signs = {
            Qt.Key.Key_BracketLeft: "left",
            Qt.Key.Key_BracketRight: "right",
            Qt.Key.Key_Equal: "both",
            Qt.Key.Key_Y: "redo",
        }
        return signs.get(Qt.Key(event.key()), "")
    return ""


def editable(text: str) -> str:
    """The text as an editor can hold it: what Qt takes for the end of a line is one, and signs
    that it takes for no text (or on the way to it for a byte order) are replaced."""
    text = text.replace("\r\n", "\n").translate(_LINE_ENDS)
    return _NO_TEXT.sub("\ufffd", text)


_LINE_ENDS = dict.fromkeys(map(ord, "\r\u2028\u2029\ufdd0\ufdd1"), "\n")
_NO_TEXT = re.compile("[\0\ud800-\udfff\ufeff\ufffe]")


def _units(text: str) -> Callable[[int], int]:
    """From places in a text to places as Qt counts them: in UTF-16."""
    if not text or max(text) <= "\uffff":
        return int
    return list(accumulate((1 + (sign > "\uffff") for sign in text), initial=0)).__getitem__


class _Tones(QSyntaxHighlighter):
    """Headings in the program's voice, notices in grey."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.notices: Sequence[tuple[int, int]] = ()

    def follow(self, _tokens: object) -> None:
        """Another palette is in use."""
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        t = current_tokens()
        block = self.currentBlock()
        before, after = block.previous().text(), block.next().text()
        if is_heading([before, text, after], 1):
            heading = QTextCharFormat()
            heading.setFont(ui_font(12.5, SEMIBOLD))
            heading.setForeground(t.t1)
            self.setFormat(0, len(text), heading)
        grey = QTextCharFormat()
        grey.setForeground(t.t3)
        start, end = block.position(), block.position() + block.length()
        for low, high in self.notices[bisect_right(self.notices, start, key=_end) :]:
            if low >= end:
                break
            self.setFormat(max(0, low - start), min(high, end) - max(low, start), grey)


def _end(stretch: tuple[int, int]) -> int:
    return stretch[1]
