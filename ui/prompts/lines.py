"""A part of a prompt to write in: as high as its text, with its inputs in colour."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QFrame, QTextEdit

from app.llm.prompts.prompt_files import PLACEHOLDER
from ui.theme import current_tokens, theme
from ui.theme.fonts import mono_font

LINE_PX = 18
LEAST_LINES = 3


class PromptLines(QTextEdit):
    """Plain text, monospaced.

    Signals:
        edited: the user changed the text.
        saved: Ctrl+S or Ctrl+Return.
        cursor_moved: where the cursor is now, in px of this widget.
    """

    edited = Signal()
    saved = Signal()
    cursor_moved = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._is_showing = False
        self.setAccessibleName(name)
        self.setAcceptRichText(False)
        self.setFont(mono_font(12))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.inputs = _Inputs(self.document())
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.textChanged.connect(self._on_changed)
        self.cursorPositionChanged.connect(self._on_cursor)
        theme.changed.connect(self._on_theme)
        self._tint()

    @property
    def text(self) -> str:
        """The words as they stand."""
        return self.toPlainText()

    def show_text(self, text: str) -> None:
        """Show other words, without telling `edited`; the same keep place and undo."""
        if text == self.toPlainText():
            return
        self._is_showing = True
        self.setPlainText(text)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        block = QTextBlockFormat()
        block.setLineHeight(LINE_PX, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor.mergeBlockFormat(block)
        self.document().clearUndoRedoStacks()
        self._is_showing = False
        self._fit()

    def replace_text(self, text: str) -> None:
        """Put other words in as the user would: it can be taken back by Ctrl+Z."""
        if text != self.toPlainText():
            cursor = QTextCursor(self.document())
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.insertText(text)

    def insert_input(self, name: str) -> None:
        """Put an input where the cursor is."""
        self.textCursor().insertText(f"{{{{{name}}}}}")
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_changed(self) -> None:
        if not self._is_showing:
            self.edited.emit()

    def _on_cursor(self) -> None:
        if self.hasFocus():
            place: QRect = self.cursorRect()
            self.cursor_moved.emit(place)

    def _fit(self, _size: object = None) -> None:
        height = max(LEAST_LINES * LINE_PX, round(self.document().size().height())) + 2
        if height != self.height():
            self.setFixedHeight(height)

    def _on_theme(self, _tokens: object) -> None:
        self._tint()
        self.inputs.rehighlight()

    def _tint(self) -> None:
        t, palette = current_tokens(), self.palette()
        if palette.color(palette.ColorRole.Text) != t.prose:
            palette.setColor(palette.ColorRole.Text, t.prose)
            self.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        has_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.matches(QKeySequence.StandardKey.Save) or (is_return and has_control):
            self.saved.emit()
        else:
            super().keyPressEvent(event)


class _Inputs(QSyntaxHighlighter):
    """Colours the inputs: green goes into the prompt, red there is not. The remark says it too."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._known: frozenset[str] = frozenset()

    def show_known(self, known: frozenset[str]) -> None:
        """Which inputs there are."""
        if known != self._known:
            self._known = known
            self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        t = current_tokens()
        for found in PLACEHOLDER.finditer(text):
            look = QTextCharFormat()
            if found[1] in self._known:
                look.setForeground(t.included.text)
            else:
                look.setForeground(t.failed.text)
                look.setUnderlineColor(t.failed.text)
                look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DashUnderline)
            start = _utf16(text, found.start())
            self.setFormat(start, _utf16(text, found.end()) - start, look)


def _utf16(text: str, index: int) -> int:
    """Qt counts signs beyond the basic plane as two."""
    return index + sum(ord(sign) > 0xFFFF for sign in text[:index])
