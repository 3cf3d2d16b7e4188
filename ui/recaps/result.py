"""The result of a comparison: what the choices make, to be read, counted and written on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QSyntaxHighlighter,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QVBoxLayout, QWidget

from app.story.comparison import is_heading
from ui.controls.labels import Label, section
from ui.controls.prose import Prose
from ui.controls.surfaces import Surface
from ui.theme import current_tokens, theme
from ui.theme.fonts import MEDIUM, SEMIBOLD, ui_font
from ui.theme.palette import T1_ROLE, T3_ROLE
from ui.theme.style import rounded

HEIGHT = 204
LINE_PX = 23
KEYS = (
    ("left", "[", "take left"),
    ("right", "]", "take right"),
    ("both", "=", "take both"),
    ("next", "F7", "next change"),
    ("previous", "Shift F7", "previous"),
    ("undo", "Ctrl Z", "undo"),
)


class ResultPane(QWidget):
    """204 px under the columns.

    Signals:
        typed: the whole text as the user left it.
        asked: the key in KEYS of a hint that was pressed, or "redo", "keep".
    """

    typed = Signal(str)
    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self.editor = ResultEditor()
        self.editor.typed.connect(self.typed)
        self.editor.asked.connect(self.asked)
        self._about = Label(font=ui_font(12), tone=T3_ROLE)
        self._count = Label(font=ui_font(12.5, SEMIBOLD), tone=T1_ROLE)
        self._budget = Label(font=ui_font(12), tone=T3_ROLE)
        head = QHBoxLayout()
        head.setContentsMargins(14, 0, 28, 0)
        head.setSpacing(8)
        head.addWidget(section("Result"))
        head.addWidget(self._about, 1)
        head.addWidget(self._count)
        head.addWidget(self._budget)
        self._box = Surface("well", radius=8, edge="line2")
        box = QVBoxLayout(self._box)
        box.setContentsMargins(18, 12, 8, 8)
        box.setSpacing(8)
        box.addWidget(self.editor, 1)
        box.addLayout(self._make_hints())
        self.editor.focused.connect(self._on_focused)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 14)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._box, 1)

    def _make_hints(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(12)
        self._hints: dict[str, KeyHint] = {}
        for key, shortcut, word in KEYS:
            hint = KeyHint(key, shortcut, word)
            hint.pressed_key.connect(self.asked)
            self._hints[key] = hint
            row.addWidget(hint)
        row.addStretch(1)
        return row

    def show_about(self, words: str) -> None:
        """What this becomes, behind the title."""
        self._about.setText(words)

    def show_count(self, tokens: int | None, budget: int) -> None:
        """tokens: None while they are counted. budget: 0 for none."""
        self._count.setText("" if tokens is None else f"{tokens:,}")
        self._budget.setText(f"of {budget:,} tokens" if budget else "tokens")
        self._count.setForegroundRole(T1_ROLE)

    def show_undo(self, label: str) -> None:
        """Name what Ctrl+Z takes back; "" for nothing."""
        self._hints["undo"].set_word(f"undo: {label}" if label else "undo")
        self._hints["undo"].setEnabled(bool(label))

    def _on_focused(self, has_focus: bool) -> None:
        self._box.set_ground("well", "ring" if has_focus else "line2")
        for key, shortcut, _word in KEYS[:3]:
            # In the text these signs are written; with Ctrl they choose there, too.
            self._hints[key].set_key(f"Ctrl {shortcut}" if has_focus else shortcut)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(QRectF(0, 0, self.width(), 1), current_tokens().line)


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


class KeyHint(QAbstractButton):
    """A key and what it does; a press does it, too.

    Signals:
        pressed_key: its name.
    """

    pressed_key = Signal(str)

    def __init__(self, key: str, shortcut: str, word: str) -> None:
        super().__init__()
        self._name = key
        self._key = shortcut
        self.setText(word)
        self.setAccessibleName(word)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(self._on_clicked)

    def set_word(self, word: str) -> None:
        """Say something else."""
        if word != self.text():
            self.setText(word)
            self.setAccessibleName(word)
            self.updateGeometry()

    def set_key(self, key: str) -> None:
        """Another key does it now."""
        if key != self._key:
            self._key = key
            self.updateGeometry()
            self.update()

    def _on_clicked(self) -> None:
        self.pressed_key.emit(self._name)

    def _key_width(self) -> int:
        from PySide6.QtGui import QFontMetrics

        return QFontMetrics(ui_font(10.5, MEDIUM)).horizontalAdvance(self._key) + 12

    def _words_width(self) -> int:
        from PySide6.QtGui import QFontMetrics

        return QFontMetrics(ui_font(12)).horizontalAdvance(self.text())

    def sizeHint(self) -> QSize:
        return QSize(self._key_width() + 7 + self._words_width() + 2, 20)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._key_width(), 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        is_lit = self.isEnabled() and self.underMouse()
        cap = QRectF(0, 1, self._key_width(), 18)
        rounded(painter, cap, 4, t.hover if is_lit else t.raised, t.line2)
        painter.setFont(ui_font(10.5, MEDIUM))
        painter.setPen(t.t2 if self.isEnabled() else t.t3)
        painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, self._key)
        painter.setFont(ui_font(12))
        painter.setPen(t.t1 if is_lit else t.t3)
        room = self.width() - cap.width() - 7
        words = painter.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, int(room)
        )
        area = QRectF(cap.right() + 7, 0, room, 20)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
