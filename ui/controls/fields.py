"""Fields: one line to write in, a choice of a list, choices as cards, and text to read or edit."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QFrame,
    QLineEdit,
    QSizePolicy,
    QTextEdit,
    QWidget,
)

from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, SEMIBOLD, story_font, ui_font
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

FIELD_HEIGHT = 28
CARD_HEIGHT = 52


class Field(QLineEdit):
    """One line of text; Return is told by `returnPressed`."""

    def __init__(
        self, name: str, *, placeholder: str = "", icon: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setFont(ui_font(12.5))
        self.setFixedHeight(FIELD_HEIGHT)
        self.setTextMargins(26 if icon else 6, 0, 6, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._icon:
            t = current_tokens()
            pixmap = icon_pixmap(self._icon, t.t3, 14, self.devicePixelRatioF())
            QPainter(self).drawPixmap(11, (self.height() - 14) // 2, pixmap)


class Choice(QComboBox):
    """One of a list."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFont(ui_font(12.5, MEDIUM))
        self.setFixedHeight(FIELD_HEIGHT)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)

    def wheelEvent(self, event: object) -> None:
        """A wheel over a closed list scrolls the page and changes nothing."""
        event.ignore()  # type: ignore[attr-defined]


class ChoiceCard(QAbstractButton):
    """A radio with a title, what it means, and one fact at the right."""

    def __init__(
        self, title: str, detail: str, fact: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._detail = detail
        self._fact = fact
        self.setText(title)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setAccessibleName(title)
        self.setAccessibleDescription(detail)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_detail(self, detail: str, fact: str = "") -> None:
        self._detail, self._fact = detail, fact
        self.setAccessibleDescription(detail)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, CARD_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        is_on = self.isChecked()
        fill = t.accent_soft if is_on else t.hover if self.underMouse() else t.raised
        edge = t.ring if is_on else t.line2
        rounded(painter, self.rect(), 8, fill, edge, 1.6 if is_on else 1.0)
        middle = self.height() / 2
        dot = QRectF(16, middle - 8, 16, 16)
        if is_on:
            rounded(painter, dot, 8, t.accent)
            rounded(painter, dot.adjusted(5, 5, -5, -5), 3, t.accent_ink)
        else:
            rounded(painter, dot, 8, t.well, t.ctl, 1.35)
        left, top = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter
        width = self.width() - 46 - 16
        painter.setPen(t.t1)
        painter.setFont(ui_font(13, SEMIBOLD))
        painter.drawText(QRectF(46, 7, width, 20), left | top, self.text())
        painter.setFont(ui_font(12))
        fact_width = 0.0
        if self._fact:
            painter.setPen(t.t2)
            fact_width = painter.fontMetrics().horizontalAdvance(self._fact) + 16
            area = QRectF(46, 0, width, self.height())
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | top, self._fact)
        painter.setPen(t.t2)
        detail = painter.fontMetrics().elidedText(
            self._detail, Qt.TextElideMode.ElideRight, int(width - fact_width)
        )
        painter.drawText(QRectF(46, 26, width, 18), left | top, detail)


class Segments(QWidget):
    """Two to four words of which one is on, side by side on a well.

    Signals:
        chosen: the key of the word that is on now, by the user.
    """

    chosen = Signal(str)

    def __init__(self, name: str, choices: dict[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        from PySide6.QtWidgets import QHBoxLayout

        self.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(0)
        self._buttons: dict[str, _Segment] = {}
        for key, word in choices.items():
            button = _Segment(key, word, name)
            button.clicked.connect(self._on_clicked)
            row.addWidget(button)
            self._buttons[key] = button
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def choose(self, key: str) -> None:
        """Turn one on without telling `chosen`."""
        if key in self._buttons:
            self._buttons[key].setChecked(True)

    def _on_clicked(self) -> None:
        for key, button in self._buttons.items():
            if button.isChecked():
                self.chosen.emit(key)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        rounded(QPainter(self), self.rect(), 7, t.well, t.line)


class _Segment(QAbstractButton):
    def __init__(self, key: str, word: str, group: str) -> None:
        super().__init__()
        self.key = key
        self.setText(word)
        self.setAccessibleName(f"{group}: {word}")
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFont(ui_font(12, MEDIUM))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 24, 22)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        if self.isChecked():
            rounded(painter, self.rect(), 5, t.raised, t.line2)
        painter.setFont(self.font())
        painter.setPen(t.t1 if self.isChecked() or self.underMouse() else t.t2)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


class Prose(QTextEdit):
    """Text in the story's voice; plain text in and out, read-only until told otherwise.

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
        font: QFont | None = None,
        has_headings: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._line_px = line_px
        self._has_headings = has_headings
        self.setAccessibleName(name)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(True)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(font if font is not None else story_font(px))
        self.document().setDocumentMargin(0)
        self.setTabChangesFocus(True)
        self.viewport().setAutoFillBackground(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._tint()

    def set_text(self, text: str) -> None:
        """Show other words; keeps the place when they are the same."""
        if text == self.toPlainText():
            return
        self.setPlainText(text)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(self._spacing(self._line_px))
        if self._has_headings:
            self._set_headings(text.split("\n"))
        self.document().clearUndoRedoStacks()

    def _spacing(self, line_px: float) -> QTextBlockFormat:
        block = QTextBlockFormat()
        block.setLineHeight(line_px, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        return block

    def _set_headings(self, lines: list[str]) -> None:
        """Show headings in the program's voice and blank lines at half height."""
        letters = QTextCharFormat()
        letters.setFont(ui_font(12, SEMIBOLD))
        for number, line in enumerate(lines):
            cursor = QTextCursor(self.document().findBlockByNumber(number))
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.isReadOnly():
            if event.key() == Qt.Key.Key_Escape:
                self.escaped.emit()
                return
            is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if is_return and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.committed.emit()
                return
        super().keyPressEvent(event)


HEADING_LENGTH = 80


def is_heading(lines: list[str], number: int) -> bool:
    """Whether a line titles the lines under it: first of its paragraph, short, no sentence."""
    line = lines[number].strip()
    starts = number == 0 or not lines[number - 1].strip()
    has_more = number + 1 < len(lines) and bool(lines[number + 1].strip())
    return (
        bool(line)
        and starts
        and has_more
        and len(line) <= HEADING_LENGTH
        and ": " not in line
        and line[-1] not in ".!?…”\"'"
    )
