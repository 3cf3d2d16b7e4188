"""Text in the story's voice, to read and to edit."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QLinearGradient,
    QPainter,
    QPaintEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QVBoxLayout, QWidget

from app.story.comparison import is_heading
from ui.controls.surfaces import Surface
from ui.theme import current_tokens
from ui.theme.fonts import SEMIBOLD, story_font, ui_font
from ui.theme.tokens import faded

EDIT_MARGIN = 10
PARAGRAPH = 0.3  # of a line, between two lines of a recap, each of which is a paragraph
FADE = 20  # px over which a text that goes on beneath its end fades


class Prose(QTextEdit):
    """Text in the story's voice; plain text in and out, read-only until told otherwise.

    room_after: px beneath its last line.

    Signals:
        escaped: Escape was pressed while editing.
        committed: Ctrl+Return was pressed while editing.
    """

    escaped = Signal()
    committed = Signal()

    def __init__(
        self,
        name: str,
        *,
        px: float = 14,
        line_px: float = 21,
        has_headings: bool = False,
        room_after: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._line_px = line_px
        self._has_headings = has_headings
        self._room_after = room_after
        self.setAccessibleName(name)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(True)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(story_font(px))
        self.document().setDocumentMargin(0)
        self.setTabChangesFocus(True)
        self.viewport().setAutoFillBackground(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._tint()

    def _write_plainly(self) -> None:
        """What is typed at a heading is none for that, and takes no letters of it."""
        if self._has_headings and not self.textCursor().hasSelection():
            self.setCurrentCharFormat(QTextCharFormat())

    def set_text(self, text: str) -> None:
        """Show other words; keeps the place when they are the same."""
        if text == self.toPlainText():
            return
        # Or the words come in the letters of the place where somebody wrote last.
        self.setCurrentCharFormat(QTextCharFormat())
        self.setPlainText(text)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(self._spacing(self._line_px))
        if self._has_headings:
            self._set_headings(text.split("\n"))
        if self._room_after:
            frame = self.document().rootFrame()
            room = frame.frameFormat()
            room.setBottomMargin(self._room_after)
            frame.setFrameFormat(room)
        self.document().clearUndoRedoStacks()

    def set_sides(self, left: int, right: int) -> None:
        """Room beside the text, in px; the scroll bar keeps to the edge."""
        self.setViewportMargins(left, 0, right, 0)

    def _spacing(self, line_px: float) -> QTextBlockFormat:
        block = QTextBlockFormat()
        block.setLineHeight(line_px, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        return block

    def _set_headings(self, lines: list[str]) -> None:
        """Show headings in the program's voice, paragraphs apart, blank lines at half height."""
        letters = QTextCharFormat()
        letters.setFont(ui_font(12, SEMIBOLD))
        apart = self._spacing(self._line_px)
        apart.setTopMargin(round(PARAGRAPH * self._line_px))
        for number, line in enumerate(lines):
            cursor = QTextCursor(self.document().findBlockByNumber(number))
            if number and line.strip() and lines[number - 1].strip():
                cursor.mergeBlockFormat(apart)
            if not line.strip():
                cursor.mergeBlockFormat(self._spacing(self._line_px / 2))
            elif is_heading(lines, number):
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                cursor.mergeCharFormat(letters)

    def _tint(self) -> None:
        t = current_tokens()
        palette = self.palette()
        if palette.color(palette.ColorRole.Text) != t.prose:
            palette.setColor(palette.ColorRole.Text, t.prose)
            palette.setColor(palette.ColorRole.Base, t.stage)
            self.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tint()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        t, bar = current_tokens(), self.verticalScrollBar()
        if not self.isReadOnly() or t.is_contrast or bar.value() >= bar.maximum():
            return
        area = self.viewport().rect()
        area.setTop(area.bottom() + 1 - FADE)
        fade = QLinearGradient(area.topLeft(), area.bottomLeft())
        fade.setColorAt(0, faded(t.stage, 0))
        fade.setColorAt(1, t.stage)
        QPainter(self.viewport()).fillRect(area, fade)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.isReadOnly():
            if event.key() == Qt.Key.Key_Escape:
                self.escaped.emit()
                return
            is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if is_return and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.committed.emit()
                return
            self._write_plainly()
        super().keyPressEvent(event)


class ProseField(Surface):
    """Prose on a ground that shows whether it is being edited.

    Signals:
        committed: the edit is to be kept (Ctrl+Return).
        escaped: the edit is to be dropped (Escape).
    """

    committed = Signal()
    escaped = Signal()

    def __init__(
        self,
        name: str,
        *,
        px: float = 14,
        line_px: float = 21,
        room_after: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("stage", edge="", parent=parent)
        self.prose = Prose(name, px=px, line_px=line_px, has_headings=True, room_after=room_after)
        self.prose.committed.connect(self.committed)
        self.prose.escaped.connect(self.escaped)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.prose)

    @property
    def is_editing(self) -> bool:
        """Whether the text may be changed now."""
        return not self.prose.isReadOnly()

    @property
    def text(self) -> str:
        """The words as they stand, edited or not."""
        return self.prose.toPlainText()

    def set_text(self, text: str) -> None:
        """Show other words."""
        self.prose.set_text(text)

    def set_editing(self, is_editing: bool) -> None:
        """Open the text for editing and give it the keyboard, or close it."""
        self.prose.setReadOnly(not is_editing)
        margin = EDIT_MARGIN if is_editing else 0
        self._column.setContentsMargins(margin, margin, margin, margin)
        self.set_ground("well" if is_editing else "stage", "ring" if is_editing else "")
        if is_editing:
            self.prose.setFocus(Qt.FocusReason.OtherFocusReason)
