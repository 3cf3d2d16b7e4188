"""Where the result of a comparison is written on: its undo is that of the choices."""

from __future__ import annotations

from collections.abc import Sequence

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
        super().__init__("Result", px=15, line_px=LINE_PX, parent=parent)
        self.setReadOnly(False)
        self.setUndoRedoEnabled(False)
        self._tones = _Tones(self.document())
        self.committed.connect(self._on_committed)
        self.textChanged.connect(self._on_changed)
        self._shown = ""
        theme.changed.connect(self._tones.follow)

    def show_display(
        self, text: str, notices: Sequence[tuple[int, int]], *, cursor: int | None = None
    ) -> None:
        """Show a text and grey its notices. Only what differs is replaced, so the view stays.

        Places are counted in characters, which Qt counts in UTF-16.
        """
        self._tones.notices = [(_units(text[:low]), _units(text[:high])) for low, high in notices]
        before = self.toPlainText()
        with QSignalBlocker(self):
            if text != before:
                self._replace(before, text)
            if cursor is not None:
                place = self.textCursor()
                place.setPosition(_units(text[:cursor]))
                self.setTextCursor(place)
        self._shown = text
        self._tones.rehighlight()

    def reveal(self, position: int) -> None:
        """Bring a place into view; the cursor goes there."""
        place = self.textCursor()
        place.setPosition(_units(self._shown[:position]))
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
        place.setPosition(_units(before[:start]))
        place.setPosition(_units(before[: len(before) - end]), QTextCursor.MoveMode.KeepAnchor)
        place.insertText(text[start : len(text) - end])
        whole = QTextCursor(self.document())
        whole.select(QTextCursor.SelectionType.Document)
        spacing = QTextBlockFormat()
        spacing.setLineHeight(LINE_PX, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        whole.mergeBlockFormat(spacing)
        spacing.setLineHeight(LINE_PX / 2, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        for number, line in enumerate(text.split("\n")):
            if not line.strip():
                QTextCursor(self.document().findBlockByNumber(number)).mergeBlockFormat(spacing)

    def _on_changed(self) -> None:
        text = self.toPlainText()
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


def _units(text: str) -> int:
    """Length as Qt counts it: in UTF-16."""
    return len(text) + sum(sign > "\uffff" for sign in text)


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
        for low, high in self.notices:
            if low < end and high > start:
                self.setFormat(max(0, low - start), min(high, end) - max(low, start), grey)
