"""What falls out of a slot, in the story's voice, each with what it would take."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import number, tr, trn
from ui.budgets import words
from ui.budgets.pane_facts import SHOWN, LostLine
from ui.story.lettering import hatch_brush, letters, meta
from ui.theme import current_tokens
from ui.theme.fonts import MEDIUM, story_font
from ui.theme.style import rounded
from ui.theme.tokens import NO_FILL

LINE = 20
LINES = 6  # more than any memory; a recap is cut behind a sentence
SENTENCE_ENDS = (". ", "! ", "? ", "… ", "” ", "。")
FOOT = 17
INDENT = 14
ABOVE = 5


class LostList(QWidget):
    """The first few, and how many more there are.

    Signals:
        message_asked: index.
    """

    message_asked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self.lines = [_Line(self._ask) for _ in range(SHOWN)]
        for line in self.lines:
            self._column.addWidget(line)
        self._more = _More()
        self._column.addWidget(self._more)

    def show_lines(self, lines: Sequence[LostLine], count: int) -> None:
        """lines: the first of them. count: of all."""
        for place, widget in enumerate(self.lines):
            widget.setVisible(place < min(len(lines), SHOWN))
            if place < len(lines):
                widget.show_line(lines[place])
        self._more.show_count(count - min(len(lines), SHOWN))
        self.setVisible(count > 0)

    def _ask(self, message: int) -> None:
        if message >= 0:
            self.message_asked.emit(message)


class _Line(QAbstractButton):
    def __init__(self, ask: Callable[[int], None]) -> None:
        super().__init__()
        self._ask = ask
        self._line = LostLine("", "", 0)
        self._rows: tuple[str, ...] = ()
        self._room = 0
        self.setFont(story_font(14))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)
        self.hide()

    def show_line(self, line: LostLine) -> None:
        if line == self._line:
            return
        self._line, self._room = line, 0
        has_message = line.message >= 0
        self.setCursor(
            Qt.CursorShape.PointingHandCursor if has_message else Qt.CursorShape.ArrowCursor
        )
        self.setText(line.text)
        tokens = words.tokens_words(line.tokens)
        where = tr("Go to message #{message}.", message=line.message) if has_message else ""
        self.setAccessibleName(
            f"{tr('Left out, {tokens}: {line}', tokens=tokens, line=line.text)} {where}".strip()
        )
        self.setToolTip(f"{tr('It would need {tokens}.', tokens=tokens)} {where}".strip())
        self._fit()
        self.updateGeometry()
        self.update()

    @property
    def shown_text(self) -> str:
        """What can be read of it."""
        return " ".join(self._rows)

    def _fit(self) -> None:
        """Break the text into lines of the width; what is too long ends behind a sentence."""
        room = self.width() - INDENT
        if room == self._room or room < 40:
            return
        self._room = room
        metrics = QFontMetrics(self.font())
        rows, left = _rows(self._line.text, room, metrics)
        if left:
            whole = sentences_within(self._line.text[: len(self._line.text) - len(left)])
            rows, _ = _rows(f"{whole} …", room, metrics)
        self._rows = tuple(rows)
        self.setFixedHeight(ABOVE + LINE * len(rows) + FOOT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(240, ABOVE + LINE * max(1, len(self._rows)) + FOOT)

    def _on_clicked(self) -> None:
        self._ask(self._line.message)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = current_tokens()
        painter = QPainter(self)
        if self.underMouse() and self._line.message >= 0:
            rounded(painter, QRectF(self.rect()).adjusted(6, 1, 0, 0), 6, t.hover)
        brush = hatch_brush(t.out_of_budget.text, NO_FILL)
        painter.fillRect(QRectF(0, ABOVE, 3, self.height() - ABOVE - 1), brush)
        painter.setFont(self.font())
        painter.setPen(t.prose)
        for place, row in enumerate(self._rows):
            area = QRectF(INDENT, ABOVE + place * LINE - 2, self.width() - INDENT, LINE)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, row)
        middle = self.height() - FOOT / 2 - 1
        left = meta().draw_right(painter, number(self._line.tokens), t.t2, self.width() - 2, middle)
        letters(11, MEDIUM).draw(painter, self._line.kind, t.t3, INDENT, middle, left - INDENT - 8)


def _rows(text: str, room: int, metrics: QFontMetrics) -> tuple[list[str], str]:
    """At most LINES lines of the text, and what is left of it."""
    rows: list[str] = []
    while text and len(rows) < LINES:
        head = _head(text, room, metrics)
        rows.append(head)
        text = text[len(head) :].lstrip()
    return rows, text


def sentences_within(text: str) -> str:
    """The text up to its last whole sentence; up to its last word where it has none."""
    end = max((text.rfind(s) + len(s.rstrip()) for s in SENTENCE_ENDS if s in text), default=0)
    return text[:end] if end else text.rstrip().rpartition(" ")[0]


class _More(QWidget):
    """How many are not listed."""

    def __init__(self) -> None:
        super().__init__()
        self._words = ""
        self.setFixedHeight(18)
        self.hide()

    def show_count(self, count: int) -> None:
        self._words = trn("and {n} line more", "and {n} lines more", count)
        self.setAccessibleName(self._words)
        self.setVisible(count > 0)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        meta().draw(QPainter(self), self._words, current_tokens().t3, INDENT, 9)


def _head(text: str, room: int, metrics: QFontMetrics) -> str:
    """As many whole words from the beginning as fit; part of the first where it does not."""
    if metrics.horizontalAdvance(text[:400]) <= room and len(text) <= 400:
        return text
    low, high = 1, min(len(text), 400)
    while low < high:
        middle = (low + high + 1) // 2
        if metrics.horizontalAdvance(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    space = text.rfind(" ", 0, low + 1)
    return text[:space] if space > 0 else text[:low]
