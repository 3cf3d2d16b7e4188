"""One side of a comparison as a document: marked words, and rows as high as the other side's."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QFont,
    QPainter,
    QPaintEvent,
    QPen,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLine,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from app.story.comparison import Block, BlockKind, Choice, Passage
from ui.recaps.comparing.choices import FOLD_HEIGHT
from ui.theme import current_tokens
from ui.theme.fonts import SEMIBOLD, story_font, ui_font

TEXT_PX = 15
LINE_PX = 22
HEADING_LINE_PX = 26
BLANK_PX = 10
MARK_ABOVE, MARK_HEIGHT = 16, 22  # px over the base line, and in all
FIXED = QTextBlockFormat.LineHeightTypes.FixedHeight.value


class ColumnText(QTextEdit):
    """Read-only; each block of the comparison is a row that begins where `top` says."""

    def __init__(
        self,
        side: Choice,
        name: str,
        parent: QWidget | None = None,
        *,
        font: QFont | None = None,
    ) -> None:
        super().__init__(parent)
        self._side = side
        self._words = font if font is not None else story_font(TEXT_PX)
        self._first: list[int] = []  # number of the text block that each row begins with
        self._gaps: list[float] = []  # room under each row
        self._marks: list[tuple[int, int]] = []  # (start, end) in the document
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)

    def show_blocks(self, blocks: Sequence[Block], unfolded: Collection[int], missing: str) -> None:
        """Show this side. missing: what stands where it has nothing."""
        document = QTextDocument(self)
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        document.setDefaultFont(self._words)
        writer = _Writer(document, self._side, self._words)
        self._first = []
        for number, block in enumerate(blocks):
            self._first.append(writer.next_block)
            passage = block.left if self._side is Choice.LEFT else block.right
            if block.kind is BlockKind.EQUAL:
                writer.add_gap(FOLD_HEIGHT)
                if number in unfolded and passage is not None:
                    writer.add_passage(passage)
            elif passage is None:
                writer.add_note(missing)
            else:
                writer.add_passage(passage)
        self._first.append(writer.next_block)
        writer.add_gap(1)
        self._gaps = [0.0] * len(blocks)
        self._marks = writer.marks
        writer.end()
        self.setDocument(document)  # which deletes the one before

    def lay_out(self, width: int) -> None:
        """Break lines for this width now. Qt waits with that until a column is seen."""
        self.document().setTextWidth(width)

    def heights(self) -> list[float]:
        """Height of each row in px by its own words, without the room under it."""
        tops = self.tops()
        return [tops[row + 1] - tops[row] - self._gaps[row] for row in range(len(self._first) - 1)]

    def tops(self) -> list[float]:
        """Where each row begins in the document, in px, and where the last one ends."""
        layout, document = self.document().documentLayout(), self.document()
        return [
            layout.blockBoundingRect(document.findBlockByNumber(number)).top()
            for number in self._first
        ]

    def set_gaps(self, gaps: Sequence[float]) -> None:
        """Give each row this much room under it."""
        document = self.document()
        cursor = QTextCursor(document)
        cursor.beginEditBlock()
        for row, gap in enumerate(gaps):
            if abs(gap - self._gaps[row]) < 0.5:
                continue
            self._gaps[row] = gap
            block = document.findBlockByNumber(self._first[row + 1] - 1)
            cursor.setPosition(block.position())
            spacing = QTextBlockFormat()
            spacing.setBottomMargin(gap)
            cursor.mergeBlockFormat(spacing)
        cursor.endEditBlock()

    def paintEvent(self, event: QPaintEvent) -> None:
        # Qt's own ground of words reaches into the line above and hides its underline.
        painter = QPainter(self.viewport())
        painter.translate(0, -self.verticalScrollBar().value())
        for line in self._marked_lines(event.rect()):
            self._paint_mark(painter, line)
        painter.end()
        super().paintEvent(event)

    def _marked_lines(self, seen: QRect) -> Iterator[QRectF]:
        """Where marked words lie, line by line, in px of the document."""
        layout = self.document().documentLayout()
        first = self.cursorForPosition(seen.topLeft()).position()
        bottom = seen.bottom() + self.verticalScrollBar().value()
        for start, end in self._marks[bisect_left(self._marks, first, key=lambda m: m[1]) :]:
            block = self.document().findBlock(start)
            area = layout.blockBoundingRect(block)
            if area.top() > bottom:
                return
            text = block.layout()
            for number in range(text.lineCount()):
                line = text.lineAt(number)
                low = max(line.textStart(), start - block.position())
                high = min(line.textStart() + line.textLength(), end - block.position())
                if low < high:
                    left, right = _x(line, low), _x(line, high)
                    if high == line.textStart() + line.textLength():
                        right = min(right, line.naturalTextRect().right())
                    base = area.top() + line.y() + line.ascent()
                    yield QRectF(area.left() + left, base - MARK_ABOVE, right - left, MARK_HEIGHT)

    def _paint_mark(self, painter: QPainter, area: QRectF) -> None:
        t = current_tokens()
        is_left = self._side is Choice.LEFT
        tone = t.compare_left if is_left else t.compare_right
        painter.fillRect(area.adjusted(-1, 0, 1, 0), tone.ground)
        pen = QPen(tone.text, 1)
        if is_left:
            pen.setDashPattern([3, 2])
        painter.setPen(pen)
        y = round(area.bottom()) - 1.5
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))


def _x(line: QTextLine, position: int) -> float:
    # PySide gives the position that it settled on, too; its annotation knows of one number only.
    x: float = line.cursorToX(position)[0]  # type: ignore[index]
    return x


class _Writer:
    """Puts rows into a document, one text block after the other."""

    def __init__(self, document: QTextDocument, side: Choice, words: QFont) -> None:
        t = current_tokens()
        self._cursor = QTextCursor(document)
        self._cursor.beginEditBlock()
        self._is_empty = True
        self.next_block = 0
        self.marks: list[tuple[int, int]] = []  # (start, end) in the document
        self._prose = QTextCharFormat()
        self._prose.setFont(words)
        self._prose.setForeground(t.prose)
        self._heading = QTextCharFormat()
        self._heading.setFont(ui_font(12, SEMIBOLD))
        self._heading.setForeground(t.t2)
        self._note = QTextCharFormat()
        self._note.setFont(ui_font(12.5))
        self._note.setForeground(t.t3)
        tone = t.compare_left if side is Choice.LEFT else t.compare_right
        self._mark = QTextCharFormat()
        self._mark.setForeground(tone.text)

    def end(self) -> None:
        self._cursor.endEditBlock()

    def add_gap(self, height: float) -> None:
        """An empty line of this height."""
        self._begin(height)

    def add_note(self, words: str) -> None:
        """A line in the program's voice."""
        self._begin(HEADING_LINE_PX)
        self._cursor.insertText(words, self._note)

    def add_passage(self, passage: Passage) -> None:
        """A passage with its marks; its heading in the program's voice."""
        at = 0
        marks = list(passage.marked)
        for number, line in enumerate(passage.text.split("\n")):
            is_heading = number == 0 and bool(passage.heading)
            if not line.strip():
                self._begin(BLANK_PX)
            else:
                self._begin(HEADING_LINE_PX if is_heading else LINE_PX)
                self._add_line(line, at, marks, self._heading if is_heading else self._prose)
            at += len(line) + 1

    def _add_line(
        self, line: str, offset: int, marks: list[tuple[int, int]], plain: QTextCharFormat
    ) -> None:
        marked = QTextCharFormat(plain)
        marked.merge(self._mark)
        at, end = offset, offset + len(line)
        while marks and marks[0][0] < end:
            start, stop = max(marks[0][0], at), min(marks[0][1], end)
            if stop > start:
                self._cursor.insertText(line[at - offset : start - offset], plain)
                begin = self._cursor.position()
                self._cursor.insertText(line[start - offset : stop - offset], marked)
                self.marks.append((begin, self._cursor.position()))
                at = stop
            if marks[0][1] > end:  # goes on in the next line
                break
            marks.pop(0)
        self._cursor.insertText(line[at - offset :], plain)

    def _begin(self, height: float) -> None:
        spacing = QTextBlockFormat()
        spacing.setLineHeight(height, FIXED)
        if self._is_empty:
            self._cursor.setBlockFormat(spacing)
            self._cursor.setBlockCharFormat(QTextCharFormat())
        else:
            self._cursor.insertBlock(spacing, QTextCharFormat())
        self._is_empty = False
        self.next_block += 1
